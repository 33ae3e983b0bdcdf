import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { orderItems } from "../../src/engine/settle/index.ts";
import type { BackendEvent } from "../../src/turn/index.ts";

function run(events: readonly BackendEvent[]): BackendEvent[] {
  const out: BackendEvent[] = [];
  const stage = orderItems({});
  for (const event of events) stage(event, (emitted) => out.push(emitted));
  return out;
}

/** What a client is given of it. */
function given(events: readonly BackendEvent[]): BackendEvent[] {
  return run(events).filter(({ type }) => type !== "call.repaired");
}

const started = (call: number): BackendEvent => ({
  type: "call.started",
  call,
  kind: "function",
  name: `tool_${call}`,
});
const piece = (call: number, delta: string): BackendEvent => ({ type: "call.arguments", call, delta });
const done = (call: number): BackendEvent => ({ type: "call.done", call });
const text = (value: string): BackendEvent => ({ type: "text.delta", text: value });
const finished: BackendEvent = { type: "round.finished", reason: "stop" };

describe("calls that come mixed", () => {
  it("go out one after the other, in the order in which they began", () => {
    const mixed = [started(0), started(1), piece(1, "{"), piece(0, "{}"), piece(1, "}"), done(1), done(0), finished];
    expect(given(mixed)).toEqual([
      started(0),
      piece(0, "{}"),
      done(0),
      started(1),
      piece(1, "{"),
      piece(1, "}"),
      done(1),
      finished,
    ]);
  });

  it("are told apart from calls that only wait for the one before", () => {
    const repaired = (events: BackendEvent[]) => run(events).filter(({ type }) => type === "call.repaired");
    const mixed = [started(0), piece(0, "{"), started(1), piece(0, "}"), done(0), done(1), finished];
    expect(repaired(mixed)).toEqual([{ type: "call.repaired", call: 1, repair: "interleaved" }]);
    expect(repaired([started(0), started(1), piece(1, "{}"), done(0), done(1), finished])).toEqual([]);
  });

  it("let the first call stream on while the others wait", () => {
    expect(run([started(0), started(1), piece(0, "{"), piece(1, "{")])).toEqual([started(0), piece(0, "{")]);
  });

  it("keep text that comes in the middle of a call until the call is done", () => {
    expect(run([started(0), text("so"), piece(0, "{}"), done(0), text("on")])).toEqual([
      started(0),
      piece(0, "{}"),
      done(0),
      text("so"),
      text("on"),
    ]);
  });

  it("give nothing after a call that is never finished but the end of the turn", () => {
    expect(run([started(0), piece(0, "{"), started(1), piece(1, "{}"), done(1), finished])).toEqual([
      started(0),
      piece(0, "{"),
      finished,
    ]);
  });

  it("drop pieces of a call that is done already", () => {
    expect(run([started(0), done(0), piece(0, "late"), finished])).toEqual([started(0), done(0), finished]);
  });

  it("come out the same however they are mixed", () => {
    const calls = fc.array(fc.array(fc.string({ minLength: 1 }), { maxLength: 5 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(calls, fc.infiniteStream(fc.nat()), (pieces, choices) => {
        const lists = pieces.map((deltas, call) => [
          started(call),
          ...deltas.map((delta) => piece(call, delta)),
          done(call),
        ]);
        const plain = lists.flat();
        // Every call begins before its pieces; calls begin in order.
        const mixed: BackendEvent[] = lists.map((list) => list[0] as BackendEvent);
        const rest = lists.map((list) => list.slice(1));
        while (rest.some((list) => list.length > 0)) {
          const open = rest.filter((list) => list.length > 0);
          const next = open[(choices.next().value as number) % open.length]?.shift();
          if (next) mixed.push(next);
        }
        expect(given([...mixed, finished])).toEqual([...plain, finished]);
      }),
    );
  });
});
