import { describe, expect, it, onTestFinished } from "vitest";
import { GivenCalls } from "../../src/engine/given-calls.ts";
import { OutstandingCalls } from "../../src/engine/outstanding.ts";
import type { CallStarted, EventFields, EventSink, Item, Log, TurnSummary } from "../../src/turn/index.ts";

const log: Log = { isLevelEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} };

/** Outstanding calls, turns that report to them, and the events that they leave. */
function start({ keepsValues = false } = {}) {
  const events: EventFields[] = [];
  const write: EventSink["write"] = (event, request_id, fields, values) =>
    void events.push({ event, request_id, ...fields, ...values });
  const outstanding = new OutstandingCalls({ events: { on: true, keepsValues, write }, log });
  onTestFinished(() => outstanding.close());
  const turnOf = (requestId: string, input: readonly Item[] = [], hasIds = true) =>
    new GivenCalls(outstanding, { requestId, owner: "ada", input, hasIds });
  return { outstanding, turnOf, events };
}

const call = (callId: string): CallStarted => ({
  ...{ type: "call.started", kind: "function", owner: "client", name: "look", callId, id: `fc_${callId}` },
});
const ended = (status: TurnSummary["status"]): TurnSummary => ({
  ...{ status, error: undefined, usage: undefined, firstContentMs: null, overheadMs: 0, totalMs: 0 },
});

describe("a call is outstanding", () => {
  it("once its round is committed", () => {
    const { outstanding, turnOf } = start();
    const turn = turnOf("request-1");
    turn.attemptStarted();
    turn.callDone(call("a"));
    expect(outstanding.size).toBe(0);
    turn.roundCommitted();
    expect(outstanding.size).toBe(1);
    turn.callDone(call("b"));
    expect(outstanding.size).toBe(2);
    turn.turnFinished(ended("failed"));
    expect(outstanding.size).toBe(2);
  });

  it("not where its round was tried again, though an earlier round was committed", () => {
    const { outstanding, turnOf } = start();
    const turn = turnOf("request-1");
    turn.attemptStarted();
    turn.callDone(call("a"));
    turn.roundCommitted();
    for (const id of ["dead", "b"]) {
      turn.attemptStarted();
      turn.callDone(call(id));
    }
    turn.roundCommitted();
    expect(outstanding.size).toBe(2);
  });

  it.each([
    ["completed", 1],
    ["incomplete", 1],
    ["failed", 0],
    ["cancelled", 0],
  ] as const)("at the end of a whole answer, where the client gets it (%s: %i)", (status, size) => {
    const { outstanding, turnOf } = start();
    const turn = turnOf("request-1");
    turn.attemptStarted();
    turn.callDone(call("a"));
    turn.turnFinished(ended(status));
    expect(outstanding.size).toBe(size);
  });

  it("not where the client gets no ids", () => {
    const { outstanding, turnOf } = start();
    const turn = turnOf("request-1", [], false);
    turn.attemptStarted();
    turn.callDone(call("a"));
    turn.roundCommitted();
    expect(outstanding.size).toBe(0);
  });
});

describe("a turn that brings a result", () => {
  const content = [{ type: "text" as const, text: "31 degrees" }];
  const output: Item = { type: "output", kind: "function", callId: "a", output: content };

  it.each([
    [false, undefined],
    [true, JSON.stringify(content)],
  ])("tells it with its size, and with its text only where redaction is off (%s)", (keepsValues, text) => {
    const { turnOf, events } = start({ keepsValues });
    const first = turnOf("request-1");
    first.attemptStarted();
    first.roundCommitted();
    first.callDone(call("a"));
    turnOf("request-2", [output]).turnStarted();
    expect(events).toEqual([
      {
        ...{ event: "tool_result", request_id: "request-2", call_id: "a", name: "look", turn: "request-1" },
        ...{ bytes: JSON.stringify(content).length, waited_ms: expect.any(Number) },
        ...(text === undefined ? {} : { output: text }),
      },
    ]);
  });
});
