import { Agent, request } from "undici";

/** No answer of a bench takes longer. */
const limit = 20_000;

/** A client that keeps its connections and sends a batch of equal requests, some at a time. */
export class Load {
  #agent = new Agent({ headersTimeout: limit, bodyTimeout: limit, connectTimeout: limit });

  /** Every answer as it came, to be checked when nothing is measured any more. */
  async batch(url, body, { count, concurrency }) {
    const text = JSON.stringify(body);
    const answers = [];
    const began = performance.now();
    const worker = async () => {
      while (answers.length < count) {
        const answer = { chunks: [] };
        answers.push(answer);
        const { statusCode, body: stream } = await this.#send(url, text);
        answer.status = statusCode;
        for await (const chunk of stream) answer.chunks.push(chunk);
      }
    };
    await Promise.all(Array.from({ length: Math.min(count, concurrency) }, worker));
    return { milliseconds: performance.now() - began, answers };
  }

  /** Opens streams that the provider holds, and resolves when each has given its first delta. */
  async open(url, body, count) {
    const text = JSON.stringify(body);
    const opened = Array.from({ length: count }, async () => {
      const { statusCode, body: stream } = await this.#send(url, text);
      if (statusCode !== 200) throw new Error(`a held stream was answered with ${statusCode}`);
      await firstDelta(stream);
      return stream;
    });
    return Promise.all(opened);
  }

  close() {
    return this.#agent.destroy();
  }

  #send(url, text) {
    return request(url, {
      dispatcher: this.#agent,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: text,
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
