import { randomBytes } from "node:crypto";
import { contentOf } from "../servers/script.mjs";

const owner = "bench";
const answerText = contentOf({ kind: "text", pieces: 100, perWrite: 1 }).join("");
const limit = 64 * 1024 * 1024;
const atOnce = 500;

/** What the parts of the bench do with a store. Times are milliseconds, CPU is that of the whole process in µs. */
export class StoreWork {
  #store;
  #stored = [];

  constructor(store) {
    this.#store = store;
  }

  /** Keeps turns, so many at once, and measures how long each waits for its commit. */
  async commits({ workers, count }) {
    const times = [];
    const cpu = process.cpuUsage();
    const began = performance.now();
    await inParallel(workers, count, async () => {
      const start = performance.now();
      await this.#store.keep(turn(newId()));
      times.push(performance.now() - start);
    });
    return { times, seconds: (performance.now() - began) / 1000, cpu: used(cpu) / count };
  }

  /** Stores conversations of one turn, up to a number. */
  async fill({ conversations }) {
    await inParallel(atOnce, conversations - this.#stored.length, async () => {
      const id = newId();
      await this.#store.keep(turn(id));
      this.#stored.push(id);
    });
  }

  /** Continues stored conversations, each once, one after the other. */
  async followUps({ count }) {
    const ids = Array.from({ length: count }, () => this.#stored[Math.floor(Math.random() * this.#stored.length)]);
    return await this.#follow(ids);
  }

  /** Makes chains of a length, and measures the next turn of each. */
  async chain({ length, chains, more }) {
    const ends = await Promise.all(Array.from({ length: chains }, () => this.#chain(length)));
    return await this.#follow(
      ends.flatMap((end) => Array(more).fill(end)),
      true,
    );
  }

  async #chain(length) {
    let previous;
    for (let at = 0; at < length; at++) {
      const id = newId();
      await this.#store.keep(turn(id, previous));
      previous = id;
    }
    return previous;
  }

  /** Where it grows, a chain goes on from its new end. */
  async #follow(ids, grows = false) {
    const read = { times: [], cpu: [] };
    const keep = { times: [], cpu: [] };
    const ends = new Map();
    let size = 0;
    for (const id of ids) {
      const previous = ends.get(id) ?? id;
      const next = newId();
      const context = await measured(read, () => this.#store.context(owner, { previous, limit }));
      if (!context.history) throw new Error(`the answer ${previous} is not stored`);
      size = context.size;
      await measured(keep, () => this.#store.keep(turn(next, previous)));
      if (grows) ends.set(id, next);
    }
    return { read, keep, size };
  }
}

function used(since) {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}

async function measured({ times, cpu }, work) {
  const before = process.cpuUsage();
  const start = performance.now();
  const result = await work();
  times.push(performance.now() - start);
  cpu.push(used(before));
  return result;
}

async function inParallel(workers, count, work) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: Math.min(workers, count) }, worker));
}

function newId() {
  return `resp_${randomBytes(16).toString("hex")}`;
}

/** As the gateway stores a streamed answer of 100 deltas. */
function turn(id, previous) {
  const question = "How is the weather in Paris?";
  const input = [{ type: "message", role: "user", content: [{ type: "text", text: question }] }];
  const content = [{ type: "text", text: answerText }];
  return {
    owner,
    id,
    api: "responses",
    model: "chat/text",
    status: "completed",
    createdAt: Date.now(),
    input,
    output: [{ type: "message", role: "assistant", id: `msg_${id.slice(5)}`, content }],
    body: JSON.stringify({ ...body, id }),
    previous,
  };
}

/** About as long as that of a response. */
const body = {
  object: "response",
  created_at: 1760000000,
  status: "completed",
  model: "chat/text",
  instructions: "You are a helpful assistant.",
  tools: [
    { type: "function", name: "write_file", description: "Writes a text to a file.", parameters: { type: "object" } },
  ],
  usage: { input_tokens: 24, output_tokens: 500, total_tokens: 524 },
  settings: "x".repeat(700),
};
