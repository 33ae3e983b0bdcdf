import { describe, expect, it } from "vitest";
import { AnswerSize } from "../../src/engine/answer-size.ts";
import type { BackendEvent, JsonObject } from "../../src/turn/index.ts";
import { text } from "./events.ts";

const megabyte = "x".repeat(1024 * 1024);
const image = (result: string): BackendEvent => ({ type: "item.done", format: "responses", item: { result } });

/** How many times the answer takes the event. */
function taken(event: BackendEvent, most: number, size = new AnswerSize()): number {
  for (let count = 0; count < most; count++) if (!size.add(event, true)) return count;
  return most;
}

describe("the size of an answer", () => {
  it.each<[string, BackendEvent]>([
    ["text", text(megabyte)],
    ["reasoning", { type: "reasoning.delta", text: megabyte, part: 0 }],
    ["a refusal", { type: "refusal.delta", text: megabyte }],
    ["arguments", { type: "call.arguments", call: 0, delta: megabyte }],
  ])("is at most four megabytes of %s", (_name, event) => {
    expect(taken(event, 10)).toBe(4);
  });

  it("counts images and what else passes unread by themselves", () => {
    const size = new AnswerSize();
    expect(taken(image(megabyte.repeat(20)), 1, size)).toBe(1);
    expect(taken(text(megabyte), 4, size)).toBe(4);
    expect(taken(image(megabyte), 100)).toBe(31);
  });

  it.each<[string, BackendEvent]>([
    ["annotations", { type: "annotation.added", annotation: {} }],
    ["log probabilities", { ...text("x"), logprobs: [{ token: "x" }] as JsonObject[] }],
    ["calls", { type: "call.started", call: 0, kind: "function", name: "f" }],
  ])("does not let small things add up without end: %s", (_name, event) => {
    expect(taken(event, 5_000_000)).toBeLessThan(4_000_000);
  });

  it("forgets a round that is rolled back", () => {
    const size = new AnswerSize();
    expect(taken(text(megabyte), 3, size)).toBe(3);
    size.beginRound();
    expect(taken(text(megabyte), 3, size)).toBe(1);
    size.rollBack();
    expect(taken(text(megabyte), 3, size)).toBe(1);
  });

  it("has no limit where nothing is kept, but for arguments", () => {
    const size = new AnswerSize();
    for (let count = 0; count < 100; count++) expect(size.add(text(megabyte), false)).toBe(true);
    const more: BackendEvent = { type: "call.arguments", call: 0, delta: megabyte };
    expect(Array.from({ length: 5 }, () => size.add(more, false))).toEqual([true, true, true, true, false]);
  });

  it("is counted in steps against the gateway's memory, where the answer is kept", () => {
    const counted: number[] = [];
    const holding = { add: (bytes: number) => void counted.push(bytes) };
    const size = new AnswerSize(holding);
    for (let count = 0; count < 100_000; count++) size.add(text("four"), true);
    expect(counted).toEqual(Array(6).fill(65_536));
    for (let count = 0; count < 100_000; count++) size.add(text("four"), false);
    expect(counted).toHaveLength(6);
  });
});
