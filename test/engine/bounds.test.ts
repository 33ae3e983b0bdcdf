import { describe, expect, it } from "vitest";
import { orderItems } from "../../src/engine/settle/index.ts";
import { boundAnswer } from "../../src/engine/stages/bounds.ts";
import { line } from "../../src/engine/stages/stage.ts";
import { answerBounds, type BackendEvent } from "../../src/turn/index.ts";
import { finished, started, text, wholeCall } from "./events.ts";

/** What goes on, and what is recorded. */
function bounded(events: Iterable<BackendEvent>, { ordered = false } = {}) {
  const out: BackendEvent[] = [];
  const reasons: string[] = [];
  const listener = { callLeftOut: (reason: string) => void reasons.push(reason) };
  const stages = ordered ? [boundAnswer(listener), orderItems(listener)] : [boundAnswer(listener)];
  const emit = line(stages, (event) => out.push(event));
  for (const event of events) emit(event);
  return { out, reasons };
}

const cut = { type: "round.finished", reason: "length" };

describe("an answer", () => {
  it("ends as one that was cut when it has more calls than any client can send back", () => {
    const calls = Array.from({ length: answerBounds.calls + 5 }, (_, at) => wholeCall(at, "{}")).flat();
    const { out, reasons } = bounded([...calls, finished]);
    expect(out).toHaveLength(3 * answerBounds.calls + 1);
    expect(out.at(-1)).toEqual(cut);
    expect(reasons).toEqual(["the answer has more than 10000 calls"]);
  });

  it("ends so when it has too many items, though none of them has a start of its own", () => {
    const words: BackendEvent[] = [text("a"), { type: "reasoning.delta", text: "b", part: 0 }];
    const many = Array.from({ length: answerBounds.items + 5 }, (_, at) => words[at % 2] ?? finished);
    const { out, reasons } = bounded([...many, finished]);
    expect(out).toHaveLength(answerBounds.items + 1);
    expect(out.at(-1)).toEqual(cut);
    expect(reasons).toEqual(["the answer has more than 100000 items"]);
  });

  it("may have any number of pieces", () => {
    const many = Array.from({ length: answerBounds.items + 5 }, () => text("a"));
    expect(bounded([...many, finished]).out.at(-1)).toBe(finished);
  });

  it("ends so when too many items overlap with one that never ends", () => {
    const calls = Array.from({ length: answerBounds.waiting + 5 }, (_, at) => started(at));
    const { out, reasons } = bounded([...calls, finished], { ordered: true });
    expect(out).toEqual([started(0), cut]);
    expect(reasons).toEqual(["more than 1000 items overlap with another one"]);
  });
});

describe("a call whose name is longer than any tool's", () => {
  it("is left out as a whole, and recorded; the others are given", () => {
    const long = wholeCall(0, "{}", { name: "n".repeat(answerBounds.name + 1) });
    const spaced = wholeCall(1, "{}", { namespace: "n".repeat(answerBounds.name + 1) });
    const other = wholeCall(2, "{}");
    const { out, reasons } = bounded([...long, ...spaced, ...other, finished]);
    expect(out).toEqual([...other, finished]);
    expect(reasons).toEqual(Array(2).fill("the name of the call is longer than 1024 characters"));
  });
});

describe("an id that no client could send back", () => {
  const long = "i".repeat(answerBounds.id + 1);

  it("counts as missing", () => {
    const events: BackendEvent[] = [{ type: "reasoning.started", id: long }, started(0, { callId: long })];
    expect(bounded(events).out).toEqual([
      { type: "reasoning.started", id: undefined },
      { ...started(0), callId: undefined },
    ]);
  });

  it("passes if it is only long", () => {
    const events = [started(0, { callId: "i".repeat(answerBounds.id) })];
    expect(bounded(events).out).toEqual(events);
  });
});
