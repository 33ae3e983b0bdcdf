import { connect } from "node:net";
import { Agent, request } from "undici";

/** No answer of a bench takes longer. */
const limit = 20_000;

/**
 * A client that keeps its connections and sends a batch of equal requests, some at a time. It tells the provider of each piece
 * that has come (servers/provider.mjs), by the number of its stream, a byte.
 */
export class Load {
  #agent = new Agent({ headersTimeout: limit, bodyTimeout: limit, connectTimeout: limit });
  #arrivals;
  /** Numbers of streams that are not in use; the one that was used last is the last. */
  #free = Array.from({ length: 256 }, (_, number) => number);

  constructor(provider) {
    const { hostname, port } = new URL(provider.arrivals);
    this.#arrivals = connect({ host: hostname, port: Number(port), noDelay: true });
  }

  /** Every answer as it came, to be checked when nothing is measured any more. */
  async batch(url, body, { count, concurrency }) {
    let left = count;
    const answers = [];
    const began = performance.now();
    const worker = async () => {
      while (left-- > 0) answers.push(await this.#ask(url, body));
    };
    await Promise.all(Array.from({ length: Math.min(count, concurrency) }, worker));
    return { milliseconds: performance.now() - began, answers };
  }

  /** Opens streams that the provider holds, and resolves when each has given its first delta. */
  async open(url, body, count) {
    const opened = Array.from({ length: count }, async () => {
      const { statusCode, body: stream } = await this.#send(url, body);
      if (statusCode !== 200) throw new Error(`a held stream was answered with ${statusCode}`);
      await firstDelta(stream);
      return stream;
    });
    return Promise.all(opened);
  }

  /**
   * Opens streams that the provider holds behind a mark, some at a time, and resolves when each has come so far. `end` lets the
   * provider go on, and gives every answer.
   */
  async hold(url, body, { count, concurrency, mark }) {
    // The provider knows a stream by a byte.
    if (count > 256) throw new Error(`${count} streams cannot be held at a time`);
    const held = [];
    let left = count;
    const worker = async () => {
      while (left-- > 0) held.push(await this.#hold(url, body, mark));
    };
    await Promise.all(Array.from({ length: Math.min(count, concurrency) }, worker));
    return {
      end: () => {
        this.#arrivals.write(Buffer.from(held.map(({ number }) => number)));
        return Promise.all(held.map(({ answer }) => answer));
      },
    };
  }

  close() {
    this.#arrivals.destroy();
    return this.#agent.destroy();
  }

  async #ask(url, body) {
    const number = this.#take();
    const { statusCode, body: stream } = await this.#send(url, { ...body, user: String(number) });
    const chunks = [];
    const came = Buffer.of(number);
    await new Promise((resolve, reject) => {
      stream.on("data", (chunk) => {
        chunks.push(chunk);
        if (body.stream) this.#arrivals.write(came);
      });
      stream.on("end", resolve);
      stream.on("error", reject);
    });
    this.#free.push(number);
    return { status: statusCode, chunks };
  }

  #take() {
    const number = this.#free.shift();
    if (number === undefined) throw new Error("more than 256 streams at a time cannot be told apart");
    return number;
  }

  /** Its connection ends with it: see servers/many-calls.mjs. */
  async #hold(url, body, mark) {
    const number = this.#take();
    const { statusCode, body: stream } = await this.#send(url, { ...body, user: String(number) }, { reset: true });
    const chunks = [];
    let answer;
    await new Promise((resolve, reject) => {
      let last = "";
      stream.on("data", (chunk) => {
        chunks.push(chunk);
        last += chunk;
        if (last.includes(mark)) resolve();
        last = last.slice(-mark.length);
      });
      answer = new Promise((onEnd, onError) => {
        stream.on("end", () => {
          this.#free.push(number);
          onEnd({ status: statusCode, chunks });
        });
        stream.on("error", onError);
      });
      const early = () => reject(new Error(`a stream ended before "${mark}": …${Buffer.concat(chunks).slice(-300)}`));
      answer.then(early, reject);
    });
    return { number, answer };
  }

  #send(url, body, more) {
    return request(url, {
      ...more,
      dispatcher: this.#agent,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }
}

function firstDelta(stream) {
  return new Promise((resolve, reject) => {
    let seen = "";
    stream.on("data", (chunk) => {
      seen += chunk;
      if (/"delta":"|"content":"[^"]/.test(seen)) resolve();
    });
    stream.on("error", reject);
    stream.on("end", () => reject(new Error("a stream that should be held has ended")));
  });
}
