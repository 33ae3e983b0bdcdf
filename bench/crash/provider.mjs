import { createServer } from "node:http";
import { listen } from "../servers/serve.mjs";
import { line } from "./turns.mjs";

/**
 * A Chat Completions provider in this process. It answers each turn with its own words, and checks that the gateway gave it the
 * whole history. `onAnswered` is called when the last byte of an answer was written: that is when the gateway commits.
 */
export class Provider {
  onAnswered = () => {};
  #plan;
  #finding;
  #server = createServer((request, response) => this.#answer(request, response).catch(() => response.destroy()));

  constructor(finding) {
    this.#finding = finding;
  }

  async start() {
    this.url = await listen(this.#server);
  }

  use(plan) {
    this.#plan = plan;
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { messages, stream } = JSON.parse(Buffer.concat(chunks).toString());
    const lines = messages.map(lineOf);
    const turn = this.#plan.turns[numberIn(lines.at(-1))];
    this.#check(turn, lines);
    response.on("error", () => {});
    if (stream) await sendStream(response, turn.pieces);
    else {
      const choice = { index: 0, message: { role: "assistant", content: turn.expected }, finish_reason: "stop" };
      const body = { id: "x", object: "chat.completion", created: 1, model: "scripted", choices: [choice] };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    }
    this.onAnswered();
  }

  #check(turn, lines) {
    const { conversation } = turn;
    const open = conversation?.open;
    const wanted = turn.history;
    // The turn that was under way when the gateway died is there as a whole, or not at all.
    if (open && open !== turn && lines.length === wanted.length + 2) {
      conversation.turns.push(open);
      wanted.splice(-1, 0, open.question, open.reply);
    }
    if (conversation) conversation.open = turn;
    const at = wanted.findIndex((text, index) => text !== lines[index]);
    if (at !== -1 || wanted.length !== lines.length) {
      const where = at === -1 ? wanted.length : at;
      this.#finding(
        `the model got ${lines.length} messages for turn ${turn.number} in place of ${wanted.length}; message ${where} is ${short(lines[where])} and should be ${short(wanted[where])}`,
      );
    }
  }
}

export function short(text) {
  return JSON.stringify(text?.slice(0, 80));
}

async function sendStream(response, pieces) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "scripted", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  for (const [at, piece] of pieces.entries()) {
    response.write(chunk({ content: piece }));
    if (at % 4 === 3) await new Promise((resolve) => setTimeout(resolve, 1));
    if (response.destroyed) return;
  }
  response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
}

function lineOf({ role, content }) {
  if (typeof content === "string") return line(role, content);
  const parts = content ?? [];
  const text = parts.map((part) => part.text ?? "").join("");
  return line(role, text, parts.map((part) => part.image_url?.url ?? "").join(""));
}

function numberIn(text) {
  return Number(/^user turn (\d+):/.exec(text)?.[1]);
}
