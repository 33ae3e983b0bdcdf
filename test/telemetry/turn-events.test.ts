import { describe, expect, it } from "vitest";
import { TurnEvents } from "../../src/telemetry/index.ts";
import { type EventFields, type EventSink, TurnError } from "../../src/turn/index.ts";
import { call, ended, tellRound, turn } from "./turn.ts";

/** A listener, and all that it writes. */
function start({ keepsValues = false } = {}) {
  const events: EventFields[] = [];
  const write: EventSink["write"] = (event, request_id, fields, values) =>
    void events.push({ event, request_id, ...fields, ...values });
  const listener = new TurnEvents({ on: true, keepsValues, write }, "request-1", "chutes");
  return { listener, events, names: () => events.map(({ event }) => event) };
}

const failed = new TurnError("upstream_error", "no");

describe("the events of a turn", () => {
  it("begin with the request", () => {
    const { listener, events } = start();
    const echo = { type: "call", kind: "function", callId: "a", name: "look", arguments: "{}" } as const;
    listener.turnStarted({ ...turn, input: [echo, { ...echo, callId: "b" }] });
    expect(events).toEqual([
      {
        ...{ event: "turn_started", request_id: "request-1" },
        ...{ api: "responses", backend: "chutes", model: "m", stream: true },
      },
      { event: "tool_registry", request_id: "request-1", names: ["look"] },
      { event: "echoed_calls", request_id: "request-1", count: 2 },
    ]);
  });

  it("end with what the turn came to", () => {
    const { listener, events } = start();
    tellRound(listener, [() => listener.callDone(call("a"), '{"at":"sea"}')]);
    listener.turnFinished(ended("completed"));
    expect(events).toEqual([
      {
        ...{ event: "tool_call", request_id: "request-1" },
        ...{ id: "a", name: "look", argument_bytes: 12, dialect: null, owner: "client" },
      },
      {
        ...{ event: "turn_finished", request_id: "request-1", status: "completed", code: null, backend: "chutes" },
        ...{ attempts: 1, calls: 1, repairs: 0, first_content_ms: 300, overhead_ms: 2, total_ms: 1500 },
        usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
      },
    ]);
  });

  it("name what was wrong in calls and what was put right", () => {
    const { listener, events } = start();
    tellRound(listener, [
      () => {
        listener.callRepaired("missing_id", call("a"));
        listener.callRepaired("trailing_comma", undefined);
        listener.argumentsBroken({ ...call("a"), dialect: "hermes-json" });
        listener.schemaMismatch(call("a"), "/at");
        listener.unknownTool("other");
        listener.textKept("hermes-json", "cut off", null);
      },
    ]);
    expect(events.map(({ request_id: _, ...fields }) => fields)).toEqual([
      { event: "call_repaired", kind: "missing_id", id: "a", name: "look" },
      { event: "arguments_repaired", what: "trailing_comma", kind: "trailing_comma", id: null, name: null },
      { event: "parse_failure", dialect: "hermes-json", reason: "arguments are not JSON", id: "a", name: "look" },
      { event: "schema_mismatch", id: "a", name: "look", path: "/at" },
      { event: "unknown_tool", name: "other" },
      { event: "parse_failure", dialect: "hermes-json", reason: "cut off", id: null, name: null },
    ]);
  });

  it.each([
    [false, undefined],
    [true, "{}"],
  ])("hold values only where redaction is off (%s)", (keepsValues, text) => {
    const { listener, events } = start({ keepsValues });
    tellRound(listener, [() => listener.callDone(call("a"), "{}")]);
    expect(events[0]?.arguments).toBe(text);
  });

  it("report at most twenty texts that were no calls", () => {
    const { listener, names } = start();
    const write = () => {
      for (let at = 0; at < 30; at++) listener.textKept("hermes-json", "cut off", null);
    };
    tellRound(listener, [write, write]);
    expect(names()).toHaveLength(20);
  });
});

describe("events of an attempt", () => {
  it("wait until the round is committed, and come at once from then on", () => {
    const { listener, names } = start();
    listener.attemptStarted("chutes");
    listener.callDone(call("a"), "{}");
    expect(names()).toEqual([]);
    listener.roundCommitted();
    expect(names()).toEqual(["tool_call"]);
    listener.callDone(call("b"), "{}");
    expect(names()).toEqual(["tool_call", "tool_call"]);
  });

  it("are forgotten when the round is tried again, but for the reason", () => {
    const { listener, events, names } = start();
    const first = () => {
      listener.callRepaired("missing_id", call("dead"));
      listener.callDone(call("dead"), "{}");
      listener.cutOff({ bytes: 7 });
      listener.strictFailed("look", "/at");
    };
    tellRound(listener, [first, () => listener.callDone(call("good"), "{}")]);
    listener.turnFinished(ended("completed"));
    expect(names()).toEqual(["strict_failure", "tool_call", "turn_finished"]);
    expect(JSON.stringify(events)).not.toContain("dead");
    expect(events.at(-1)).toMatchObject({ attempts: 2, calls: 1, repairs: 0 });
  });

  it("stay when a later round is tried again, and are counted with it", () => {
    const { listener, events, names } = start();
    const making = (id: string) => () => {
      listener.callRepaired("missing_id", call(id));
      listener.callDone(call(id), "{}");
    };
    tellRound(listener, [making("a")]);
    tellRound(listener, [making("dead"), making("b")]);
    listener.turnFinished(ended("completed"));
    expect(names()).toEqual(["call_repaired", "tool_call", "call_repaired", "tool_call", "turn_finished"]);
    expect(JSON.stringify(events)).not.toContain("dead");
    expect(events.at(-1)).toMatchObject({ attempts: 3, calls: 2, repairs: 2 });
  });

  it.each(["completed", "incomplete"] as const)("come at the end of a whole answer (%s)", (status) => {
    const { listener, names } = start();
    tellRound(listener, [() => listener.callDone(call("a"), "{}")], { commits: false });
    listener.turnFinished(ended(status));
    expect(names()).toEqual(["tool_call", "turn_finished"]);
  });

  it.each([
    ["failed", failed],
    ["cancelled", new TurnError("client_closed", "gone")],
  ] as const)("tell no call of a turn that %s before anything was sent, but what was wrong in it", (status, error) => {
    const { listener, events, names } = start();
    const attempt = () => {
      listener.callRepaired("missing_id", call("a"));
      listener.callDone(call("a"), "{}");
      listener.cutOff({ bytes: 7 });
    };
    tellRound(listener, [attempt], { commits: false });
    listener.turnFinished(ended(status, error));
    expect(names()).toEqual(["call_repaired", "turn_finished"]);
    expect(events.at(-1)).toMatchObject({ status, code: error.code, calls: 0, repairs: 1 });
  });

  it("tell the calls of earlier rounds where the last one failed", () => {
    const { listener, events } = start();
    tellRound(listener, [() => listener.callDone(call("a"), "{}")]);
    tellRound(listener, [() => listener.callDone(call("lost"), "{}")], { commits: false });
    listener.turnFinished(ended("failed", failed));
    expect(events.filter(({ event }) => event === "tool_call")).toMatchObject([{ id: "a" }]);
    expect(events.at(-1)).toMatchObject({ calls: 1 });
  });
});

describe("a turn that was cut off at its calls", () => {
  it("is told at its end, when it is known how much was dropped", () => {
    const { listener, events } = start();
    const dropped = { bytes: 0 };
    tellRound(listener, [
      () => {
        listener.callDone(call("a"), "{}");
        listener.cutOff(dropped);
      },
    ]);
    dropped.bytes = 7;
    listener.turnFinished(ended("completed"));
    expect(events.at(-2)).toMatchObject({
      event: "tool_cutoff",
      call_ids: ["a"],
      backend: "chutes",
      bytes_dropped: 7,
    });
  });

  it("is told once for all of its rounds", () => {
    const { listener, events, names } = start();
    for (const id of ["a", "b"]) {
      tellRound(listener, [
        () => {
          listener.callDone(call(id), "{}");
          listener.cutOff({ bytes: 5 });
        },
      ]);
    }
    tellRound(listener, [() => listener.callDone(call("c"), "{}")]);
    listener.turnFinished(ended("completed"));
    expect(names().slice(-2)).toEqual(["tool_cutoff", "turn_finished"]);
    expect(events.at(-2)).toMatchObject({ call_ids: ["a", "b", "c"], bytes_dropped: 10 });
  });
});

it("the backend of an ended turn is the one that was to answer last", () => {
  const { listener, events } = start();
  listener.attemptStarted("chutes");
  listener.attemptFailed("chutes", failed, { action: "fallback", backend: "openai" });
  listener.turnFinished(ended("failed", failed));
  expect(events).toMatchObject([{ event: "turn_finished", backend: "openai", attempts: 1 }]);
});
