import { Agent, request } from "undici";

const limit = 20_000;

/** Sends turns and reads what is stored. A gateway that dies is no error here, but an unexpected answer is one. */
export class Client {
  #agent = new Agent({ headersTimeout: limit, bodyTimeout: limit, connectTimeout: limit });
  #url;
  #finding;

  constructor(url, finding) {
    this.#url = url;
    this.#finding = finding;
  }

  close() {
    return this.#agent.destroy();
  }

  /** Resolves when the turn has ended, its client has left, or the gateway is gone. */
  async send(turn) {
    try {
      const answer = await this.#post(turn);
      if (answer.statusCode !== 200) {
        this.#finding(`turn ${turn.number} got ${answer.statusCode}: ${(await answer.body.text()).slice(0, 300)}`);
        turn.isRefused = true;
      } else if (turn.stream) await readStream(turn, answer.body);
      else readWhole(turn, await answer.body.json());
      if (answer.headers["x-toolwire-store"] === "failed") turn.isRefused = true;
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** The body of a stored object, or `undefined` if there is none. */
  async get(path) {
    const { statusCode, body } = await request(this.#url + path, { dispatcher: this.#agent });
    if (statusCode === 200) return await body.json();
    const text = await body.text();
    if (statusCode !== 404) this.#finding(`GET ${path} got ${statusCode}: ${text.slice(0, 300)}`);
    return undefined;
  }

  #post(turn) {
    const headers = { "content-type": "application/json" };
    if (turn.conversation) headers["x-toolwire-conversation"] = turn.conversation.name;
    if (turn.key) headers["idempotency-key"] = turn.key;
    const path = turn.api === "chat" ? "/v1/chat/completions" : "/v1/responses";
    const body = JSON.stringify(bodies[turn.api](turn));
    return request(this.#url + path, { dispatcher: this.#agent, method: "POST", headers, body });
  }
}

const bodies = {
  responses({ text, image, previous, stream, number }) {
    const picture = image ? [{ type: "input_image", image_url: image }] : [];
    return {
      model: "scripted/any",
      input: [{ role: "user", content: [{ type: "input_text", text }, ...picture] }],
      stream,
      metadata: { turn: String(number) },
      ...(previous && { previous_response_id: previous.id }),
    };
  },
  chat({ text, image, stream, number }) {
    const picture = image ? [{ type: "image_url", image_url: { url: image } }] : [];
    return {
      model: "scripted/any",
      messages: [{ role: "user", content: image ? [{ type: "text", text }, ...picture] : text }],
      stream,
      store: true,
      metadata: { turn: String(number) },
    };
  },
};

function isGone(error) {
  return /^(?:ECONN|EPIPE|UND_ERR_(?:SOCKET|ABORTED|DESTROYED|CLOSED))/.test(error.code ?? error.cause?.code ?? "");
}

function readWhole(turn, body) {
  turn.id = body.id;
  if (turn.api === "chat") turn.answer = { text: body.choices[0].message.content };
  else {
    turn.answer = body;
    turn.isRefused = body.store === false;
  }
  turn.outcome = "completed";
}

async function readStream(turn, body) {
  let rest = "";
  let deltas = 0;
  body.setEncoding("utf8");
  for await (const text of body) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const each of lines) {
      if (!each.startsWith("data: {")) continue;
      if (readers[turn.api](turn, JSON.parse(each.slice("data: ".length)))) deltas++;
    }
    if (deltas > turn.leavesAfter && turn.outcome === "cut") {
      turn.outcome = "left";
      body.destroy();
      return;
    }
  }
}

/** They return whether the event is a piece of the answer. */
const readers = {
  responses(turn, event) {
    turn.id ??= event.response?.id;
    if (event.type === "response.output_text.delta") turn.received += event.delta;
    if (event.type === "response.completed") {
      turn.answer = event.response;
      turn.isRefused = event.response.store === false;
      turn.outcome = "completed";
    }
    return event.type === "response.output_text.delta";
  },
  chat(turn, { id, choices: [choice] = [] }) {
    turn.id ??= id;
    const content = choice?.delta?.content ?? "";
    turn.received += content;
    if (choice?.finish_reason) {
      turn.answer = { text: turn.received };
      turn.outcome = "completed";
    }
    return content !== "";
  },
};
