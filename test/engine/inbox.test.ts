import { describe, expect, it } from "vitest";
import { Inbox } from "../../src/engine/inbox.ts";
import { longestPiece } from "../../src/engine/pieces.ts";
import type { BackendEvent, Usage } from "../../src/turn/index.ts";
import { finished, text, wordsOf } from "./events.ts";

const usage: Usage = {
  ...{ inputTokens: 1, outputTokens: 2, totalTokens: 3 },
  ...{ cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
};

/** An inbox whose stages take so many milliseconds for an event, and an event loop that turns when the test says so. */
function inboxOf({ cost = 0, deliver = (_event: BackendEvent) => {} } = {}) {
  let now = 0;
  const turns: (() => void)[] = [];
  const given: BackendEvent[] = [];
  const errors: unknown[] = [];
  let flushes = 0;
  let full: Promise<void> | undefined;
  const parts = {
    deliver: (event: BackendEvent) => {
      now += cost;
      deliver(event);
      given.push(event);
    },
    flush: () => {
      flushes++;
      return full;
    },
    onError: (thrown: unknown) => void errors.push(thrown),
  };
  const inbox = new Inbox(parts, { now: () => now, later: (work) => void turns.push(work) });
  return {
    ...{ inbox, given, errors, turns },
    flushes: () => flushes,
    fill: (until: Promise<void> | undefined) => {
      full = until;
    },
    turn: () => turns.shift()?.(),
    turnUntilIdle: () => {
      let count = 0;
      for (let work = turns.shift(); work; work = turns.shift()) {
        work();
        count++;
      }
      return count;
    },
  };
}

const long = (pieces: number) => "x".repeat(pieces * longestPiece);

describe("what a backend emits", () => {
  it("is handed on at once, as it is, while that is quick", () => {
    const { inbox, given, turns } = inboxOf();
    const events = Array.from({ length: 10_000 }, (_, at) => text(String(at)));
    for (const event of events) inbox.push(event);
    expect(given).toEqual(events);
    expect(given[0]).toBe(events[0]);
    expect(turns).toEqual([]);
    expect(inbox.flush()).toBeUndefined();
  });

  it("is handed on in pieces if it is long", () => {
    const { inbox, given } = inboxOf();
    const logprobs = [{ token: "x" }];
    inbox.push({ ...text(`${long(2)}end`), logprobs });
    inbox.push({ type: "reasoning.delta", text: long(2), part: 1, item: 4 });
    inbox.push({ type: "call.arguments", call: 7, delta: long(2) });
    expect(given.map(({ type }) => type)).toEqual([
      ...["text.delta", "text.delta", "text.delta", "reasoning.delta", "reasoning.delta"],
      ...["call.arguments", "call.arguments"],
    ]);
    expect(given[0]).toMatchObject({ logprobs });
    expect(given[1]).toMatchObject({ logprobs: undefined });
    expect(given[4]).toEqual({ type: "reasoning.delta", text: long(1), part: 1, item: 4 });
    expect(given[6]).toEqual({ type: "call.arguments", call: 7, delta: long(1) });
  });

  it("is never cut inside a character", () => {
    const { inbox, given } = inboxOf();
    const said = `x${"😀".repeat(longestPiece)}`;
    inbox.push(text(said));
    expect(given.length).toBeGreaterThan(2);
    expect(given.map((event) => ("text" in event ? event.text : "")).join("")).toBe(said);
    for (const event of given) expect("text" in event && Buffer.from(event.text).toString() === event.text).toBe(true);
  });
});

describe("a backend that emits more than can be worked on in one stretch", () => {
  it("is asked to wait, and what it emitted is handed on over several turns of the event loop", async () => {
    const { inbox, given, turnUntilIdle } = inboxOf({ cost: 6 });
    inbox.push(text(long(9)));
    inbox.push(text("after it"));
    expect(given).toHaveLength(2);
    const room = inbox.flush();
    expect(room).toBeInstanceOf(Promise);
    expect(turnUntilIdle()).toBe(4);
    expect(wordsOf(given as never)).toBe(`${long(9)}after it`);
    await room;
    expect(inbox.flush()).toBeUndefined();
  });

  it("is noticed among small events too", () => {
    const { inbox, given, turnUntilIdle } = inboxOf({ cost: 0.1 });
    for (let count = 0; count < 10_000; count++) inbox.push(text("x"));
    expect(given.length).toBeLessThan(1_000);
    expect(turnUntilIdle()).toBeGreaterThan(10);
    expect(given).toHaveLength(10_000);
  });

  it("gets what came of each stretch sent to the client, and waits while the client is full", async () => {
    const { inbox, given, turns, turn, fill, flushes } = inboxOf({ cost: 20 });
    inbox.push(text(long(4)));
    let hasRoom = false;
    void inbox.flush()?.then(() => {
      hasRoom = true;
    });
    let drain = () => {};
    fill(new Promise((resolve) => (drain = resolve)));
    turn();
    expect([given.length, flushes(), turns.length]).toEqual([2, 2, 0]);
    fill(undefined);
    drain();
    await Promise.resolve();
    turn();
    turn();
    expect([given.length, hasRoom]).toEqual([4, false]);
    turn();
    await Promise.resolve();
    expect([given.length, flushes(), hasRoom]).toEqual([4, 5, true]);
  });

  it("has its end heard after all that it said", () => {
    const heard: string[] = [];
    const { inbox, turnUntilIdle } = inboxOf({ cost: 20, deliver: (event) => void heard.push(event.type) });
    inbox.whenEmpty(() => heard.push("nothing yet"));
    inbox.push(text(long(3)));
    inbox.push(finished);
    inbox.whenEmpty(() => heard.push("the end"));
    turnUntilIdle();
    expect(heard).toEqual(["nothing yet", ...Array(3).fill("text.delta"), "round.finished", "the end"]);
  });

  it("is not heard any more once the round is over, but for what it cost", async () => {
    const { inbox, given, turnUntilIdle } = inboxOf({ cost: 20 });
    inbox.push(text(long(3)));
    inbox.push({ type: "usage.reported", usage });
    inbox.push(finished);
    const room = inbox.flush();
    inbox.whenEmpty(() => expect.unreachable());
    inbox.close();
    turnUntilIdle();
    await room;
    expect(given.map(({ type }) => type)).toEqual(["text.delta", "usage.reported"]);
  });

  it("fails with what a stage throws, at once or in a later turn", () => {
    const throwing = (count: number) => {
      let left = count;
      return () => {
        if (--left === 0) throw new Error("a stage is broken");
      };
    };
    const first = inboxOf({ cost: 20, deliver: throwing(1) });
    expect(() => first.inbox.push(text(long(3)))).toThrow("a stage is broken");
    let isHeard = false;
    first.inbox.whenEmpty(() => {
      isHeard = true;
    });
    expect(isHeard).toBe(true);
    const later = inboxOf({ cost: 20, deliver: throwing(2) });
    later.inbox.push(text(long(3)));
    later.turnUntilIdle();
    expect(later.errors).toEqual([new Error("a stage is broken")]);
    expect(later.given).toHaveLength(1);
  });
});
