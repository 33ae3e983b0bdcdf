import { beforeEach, describe, expect, it } from "vitest";
import type { AnswerReader } from "../../src/backends/answer-body.ts";
import { Exchange } from "../../src/backends/exchange.ts";
import { Cancellation, giveLoopBack, type JsonValue, TurnError } from "../../src/turn/index.ts";

// What an earlier test spent of this turn of the event loop must not count.
beforeEach(() => new Promise((resolve) => setImmediate(() => setImmediate(resolve))));

/** undici's side of the connection: it holds back what is fed while it is paused, as undici does. */
class Connection {
  paused = false;
  aborted = false;
  reason: Error | null = null;
  rawHeaders = null;
  rawTrailers = null;
  readonly #waiting: (() => void)[] = [];

  do(work: () => void): void {
    this.#waiting.push(work);
    this.resume(this.paused);
  }

  pause(): void {
    this.paused = true;
  }

  resume(paused = false): void {
    this.paused = paused;
    while (!this.paused && this.#waiting.length > 0) this.#waiting.shift()?.();
  }

  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
  }
}

const busy = (milliseconds: number) => {
  for (const until = performance.now() + milliseconds; performance.now() < until; );
};

/** An exchange whose reader takes so long for an event, in milliseconds. It finishes at the event "end". */
function exchangeOf({ cost = 0, full = (): Promise<void> | undefined => undefined, stream = true } = {}) {
  const log: string[] = [];
  const connection = new Connection();
  const cancellation = new Cancellation();
  const reader: AnswerReader & { finished: boolean; enough: boolean } = {
    finished: false,
    enough: false,
    event: ({ data }) => {
      busy(cost);
      log.push(data.slice(0, 12));
      if (data === "enough") reader.enough = true;
      if (data === "end") reader.finished = true;
    },
    whole: (answer: JsonValue) => {
      log.push(JSON.stringify(answer).slice(0, 12));
      reader.finished = true;
    },
    end: () => void log.push("ended"),
  };
  const flush = () => {
    log.push("flush");
    return full();
  };
  const done = new Promise<string>((resolve) => {
    const exchange = new Exchange({
      ...{ name: "house", reader, redact: (text) => text, streams: stream },
      round: { emit: () => {}, flush, cancellation },
      resolve: () => resolve("fine"),
      reject: (error) => resolve(error instanceof TurnError ? error.code : String(error)),
    });
    exchange.onRequestStart(connection);
    exchange.onResponseStart(connection, 200, { "content-type": stream ? "text/event-stream" : "application/json" });
    Object.assign(answer, {
      send: (text: string) => connection.do(() => exchange.onResponseData(connection, Buffer.from(text))),
      end: () => connection.do(() => exchange.onResponseEnd()),
      reset: () => exchange.onResponseError(connection, Object.assign(new Error("reset"), { code: "ECONNRESET" })),
    });
  });
  return { log, connection, cancellation, done, ...answer };
}
const answer = { send: (_text: string) => {}, end: () => {}, reset: () => {} };

/** Events of 8 KB each, so that two are a slice. */
const events = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `data: ${from + at}${" ".repeat(8_192)}\n\n`).join("");
const said = (log: readonly string[]) =>
  log.flatMap((entry) => (/^\d/.test(entry) ? [Number.parseInt(entry, 10)] : []));
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

describe("a provider that sends faster than its answer can be worked on", () => {
  it("is paused, however small each read is", async () => {
    const { connection, send, cancellation } = exchangeOf({ cost: 3 });
    const read = `${"data: 1\n\n".repeat(2)}: ${"x".repeat(12_000)}\n\n`;
    let turns = 0;
    for (; !connection.paused && turns < 200; turns++) {
      for (let reads = 0; reads < 8 && !connection.paused; reads++) send(read);
      await giveLoopBack();
    }
    expect(turns).toBeLessThan(20);
    cancellation.cancel(new TurnError("client_closed", "over"));
  });
});

describe("many answers that come in the same turn of the event loop", () => {
  it("share one stretch of work: the later ones are read in later turns", async () => {
    const exchanges = Array.from({ length: 12 }, () => exchangeOf({ cost: 4 }));
    for (const { send } of exchanges) send("data: 1\n\n");
    const begun = exchanges.filter(({ log }) => log.includes("1")).length;
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThan(6);
    for (let turns = 0; turns < 12; turns++) await giveLoopBack();
    expect(exchanges.every(({ log }) => log.includes("1"))).toBe(true);
  });
});

describe("a read that takes long to work on", () => {
  it("is fed over several turns of the event loop, in order, with one flush a stretch", async () => {
    const { log, done, send, end } = exchangeOf({ cost: 4 });
    send(events(0, 16));
    send(`${events(16, 18)}data: end\n\n`);
    end();
    const first = said(log).length;
    expect(first).toBeLessThan(16);
    expect(log.filter((entry) => entry === "flush")).toHaveLength(1);
    expect(await done).toBe("fine");
    expect(said(log)).toEqual(upTo(18));
    expect(log.filter((entry) => entry === "flush").length).toBeLessThan(12);
  });

  it("is one of many in the same turn: their time adds up", () => {
    const { log, send } = exchangeOf({ cost: 2 });
    for (let at = 0; at < 40; at++) send(`data: ${at}\n\n`);
    expect(said(log).length).toBeLessThan(20);
  });

  it("is worked off before the connection's reset is heard", async () => {
    const { log, done, send, reset } = exchangeOf({ cost: 5 });
    send(events(0, 16));
    reset();
    expect(await done).toBe("upstream_cut");
    expect(said(log)).toEqual(upTo(16));
  });

  it("is worked off before the reset of an answer that is complete", async () => {
    const { log, done, send, reset } = exchangeOf({ cost: 5 });
    send(`data: enough\n\n${events(0, 16)}data: end\n\n`);
    reset();
    expect(await done).toBe("fine");
    expect(said(log)).toEqual(upTo(16));
  });

  it("is dropped when the turn is cancelled", async () => {
    const { log, connection, cancellation, done, send } = exchangeOf({ cost: 5 });
    send(events(0, 16));
    const before = said(log).length;
    cancellation.cancel(new TurnError("client_closed", "gone"));
    expect(await done).toBe("client_closed");
    await giveLoopBack();
    await giveLoopBack();
    expect(said(log)).toHaveLength(before);
    expect(connection.aborted).toBe(true);
  });

  it("goes on only when the client has room again, and never without a turn of the event loop", async () => {
    let room: (() => void) | undefined;
    const full = () => new Promise<void>((resolve) => (room = resolve));
    const { log, connection, send } = exchangeOf({ full });
    send("data: 0\n\n");
    send("data: 1\n\n");
    expect(connection.paused).toBe(false);
    send(events(2, 40));
    await giveLoopBack();
    expect([said(log), connection.paused]).toEqual([[0], true]);
    room?.();
    await Promise.resolve();
    expect(said(log)).toEqual([0]);
    await giveLoopBack();
    await giveLoopBack();
    expect(said(log)).toEqual(upTo(40));
    room?.();
    await giveLoopBack();
    await giveLoopBack();
    expect(connection.paused).toBe(false);
  });
});

describe("a whole answer", () => {
  const whole = (text: string) => {
    const exchange = exchangeOf({ stream: false });
    for (let at = 0; at < text.length; at += 65_536) exchange.send(text.slice(at, at + 65_536));
    exchange.end();
    return exchange;
  };

  it("that is large is parsed as it arrives, and read in a later turn of the event loop", async () => {
    const { log, done } = whole(JSON.stringify({ text: "x".repeat(2_000_000) }));
    expect(log.filter((entry) => entry.startsWith("{"))).toEqual([]);
    expect(await done).toBe("fine");
    expect(log.filter((entry) => entry.startsWith("{"))).toEqual(['{"text":"xxx']);
  });

  it("that is small is read at once", () => {
    expect(whole('\ufeff{"a":1}').log).toContain('{"a":1}');
  });

  it.each(["[", '"', "<"])("that cannot be one is not read to its end: it begins with %s", async (first) => {
    const exchange = exchangeOf({ stream: false });
    exchange.send(first.repeat(100_000));
    expect(await exchange.done).toBe("upstream_invalid");
    expect(exchange.connection.aborted).toBe(true);
  });

  it("that is too large is refused", async () => {
    const exchange = exchangeOf({ stream: false });
    const megabyte = "x".repeat(1024 * 1024);
    exchange.send('{"text":"');
    for (let count = 0; count < 40 && !exchange.connection.aborted; count++) {
      exchange.send(megabyte);
      await giveLoopBack();
    }
    expect(await exchange.done).toBe("upstream_invalid");
  });
});
