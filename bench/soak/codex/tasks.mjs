import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { apis } from "./apis.mjs";
import { resultOf, sayingOf, tool, wordOf } from "./words.mjs";

const limit = 60_000;

/** What clients do. Each throws where it gets something else than it should. */
export class Tasks {
  #url;
  #agent = new Agent({ headersTimeout: limit, bodyTimeout: limit, connectTimeout: limit });
  /** When each client left that had begun to read, by its word. */
  left = new Map();

  constructor(url) {
    this.#url = url;
  }

  async plain(shape) {
    await this.#expectSaying(shape, "codex/plain", { ...shape, stream: false });
  }

  async streamed(shape) {
    await this.#expectSaying(shape, "codex/plain", { ...shape, stream: true });
  }

  native(shape) {
    return this.#trip(shape, "codex/native");
  }

  written(shape) {
    return this.#trip(shape, "written");
  }

  /** Leaves when it has read the first words of an answer that goes on. */
  async leaving(shape) {
    const { body } = await this.#send({ ...shape, stream: true }, "codex/held");
    let seen = "";
    for await (const chunk of body) {
      seen += chunk;
      if (/"content":"[^"]|"delta":"/.test(seen)) break;
    }
    this.left.set(wordOf(shape.number), Date.now());
    body.on("error", () => {}).destroy();
  }

  /** Leaves whatever has happened by then: a thread may just be starting. */
  async fleeing(shape) {
    const leave = new AbortController();
    const answered = this.#send({ ...shape, stream: true }, "codex/held", leave.signal).then(
      ({ body }) => body.on("error", () => {}).resume(),
      () => {},
    );
    await sleep((shape.number * 7) % 90);
    leave.abort();
    await answered;
  }

  async failing(shape) {
    const { statusCode, body } = await this.#send({ ...shape, stream: false }, "codex/failing");
    const text = await body.text();
    if (statusCode !== 502) throw new Error(`a failed provider came as ${statusCode}: ${text.slice(0, 300)}`);
  }

  close() {
    return this.#agent.destroy();
  }

  async #trip(shape, model) {
    const { api, number } = shape;
    const word = wordOf(number);
    const asked = await this.#ask(shape, model);
    const [call] = asked.calls;
    const isRight = asked.calls.length === 1 && call.name === tool && JSON.parse(call.arguments).word === word;
    if (!isRight) throw new Error(`${model} called ${JSON.stringify(asked.calls)} in place of ${word}`);
    if (asked.text.includes("45 degrees")) throw new Error(`${model} was not cut: ${asked.text.slice(0, 200)}`);
    const conversation = apis[api].after(apis[api].start(questionOf(number)), asked, resultOf(word));
    await this.#expectSaying(shape, model, shape, conversation);
  }

  async #expectSaying({ number }, model, shape, conversation) {
    const { text, calls } = await this.#ask(shape, model, conversation);
    const isRight = text === sayingOf(wordOf(number)) && calls.length === 0;
    if (!isRight) throw new Error(`${model} said ${JSON.stringify(text)} in request ${number}`);
  }

  async #ask(shape, model, conversation) {
    const { statusCode, body } = await this.#send(shape, model, undefined, conversation);
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${model} was answered with ${statusCode}: ${text.slice(0, 300)}`);
    return apis[shape.api].read(text, shape.stream);
  }

  #send({ api, stream, number }, model, signal, conversation = apis[api].start(questionOf(number))) {
    return request(this.#url + apis[api].path, {
      dispatcher: this.#agent,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(apis[api].body(model, conversation, stream)),
      signal,
    });
  }
}

function questionOf(number) {
  return `Look up ${wordOf(number)}.`;
}
