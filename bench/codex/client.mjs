import { Agent, request } from "undici";

const limit = 30_000;

/** A client of the gateway; it reads nothing of an answer before it is whole, but keeps when each piece came. */
export class Client {
  #agent = new Agent({ headersTimeout: limit, bodyTimeout: limit, connectTimeout: limit });
  #url;

  constructor(url) {
    this.#url = `${url}/v1/chat/completions`;
  }

  async ask(body) {
    const began = performance.now();
    const { statusCode, body: stream } = await request(this.#url, {
      dispatcher: this.#agent,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const reads = [];
    for await (const chunk of stream) reads.push({ chunk, at: performance.now() - began });
    return { status: statusCode, reads, total: performance.now() - began };
  }

  close() {
    return this.#agent.destroy();
  }
}

/** The pieces of an answer, and when the first of them was there. Throws where it is none. */
export function readAnswer({ status, reads, total }, stream) {
  const text = Buffer.concat(reads.map(({ chunk }) => chunk)).toString();
  if (status !== 200) throw new Error(`status ${status}: ${text.slice(0, 300)}`);
  return stream ? readStream(text, reads, total) : { ...readWhole(JSON.parse(text)), first: total, total };
}

function readWhole({ choices: [{ message }] }) {
  return { pieces: message.tool_calls?.map((call) => call.function.arguments) ?? [message.content] };
}

function readStream(text, reads, total) {
  const data = text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : []));
  if (data.pop() !== "[DONE]") throw new Error(`the stream has no proper end: …${text.slice(-200)}`);
  const deltas = data.flatMap((payload) => JSON.parse(payload).choices?.map(({ delta }) => delta) ?? []);
  const pieces = deltas.flatMap(({ content, tool_calls: calls }) => content || calls?.[0].function.arguments || []);
  const first = reads.find(({ chunk }) => /"content":"[^"]|"tool_calls":\[/.test(chunk.toString()));
  return { pieces, first: first?.at, total, reads: reads.length };
}
