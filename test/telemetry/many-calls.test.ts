import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createMetrics, TurnEvents, TurnLog } from "../../src/telemetry/index.ts";
import type { EventFields, Log, Repair, Tool } from "../../src/turn/index.ts";
import { call, ended, tellRound, turn } from "./turn.ts";

function start() {
  const events: EventFields[] = [];
  const listener = new TurnEvents(
    { on: true, keepsValues: false, write: (event, _id, fields) => void events.push({ event, ...fields }) },
    "request-1",
    "chutes",
  );
  return { listener, events };
}

describe("the events of an answer with very many calls", () => {
  it("are written in slices, in order and completely", async () => {
    const { listener, events } = start();
    const ids = Array.from({ length: 1_800 }, (_, at) => `call_${at}`);
    tellRound(listener, [() => ids.forEach((id) => void listener.callDone(call(id), "{}"))], { commits: false });
    listener.turnFinished(ended("completed"));
    expect(events).toHaveLength(500);
    for (let turns = 0; turns < 5; turns++) await nextTurn();
    expect(events.map(({ id }) => id).slice(0, -1)).toEqual(ids);
    expect(events.at(-1)).toMatchObject({ event: "turn_finished", calls: 1_800 });
  });

  it("name up to a thousand repairs, and count all of them", async () => {
    const { listener, events } = start();
    tellRound(listener, [
      () => {
        for (let at = 0; at < 3_000; at++) listener.callRepaired("missing_id", call("a"));
      },
    ]);
    listener.turnFinished(ended("completed"));
    for (let turns = 0; turns < 5; turns++) await nextTurn();
    expect(events.filter(({ event }) => event === "call_repaired")).toHaveLength(1_000);
    expect(events.at(-1)).toMatchObject({ repairs: 3_000 });
  });

  it("name up to a thousand tools", () => {
    const { listener, events } = start();
    const tools = Array.from({ length: 1_200 }, (_, at): Tool => ({ type: "function", name: `tool_${at}` }));
    listener.turnStarted({ ...turn, tools });
    expect(events[1]).toMatchObject({ event: "tool_registry", names: { length: 1_000 }, more: 200 });
  });

  it("say why a call was left out, or the answer ended early", () => {
    const { listener, events } = start();
    tellRound(listener, [() => listener.callLeftOut("the answer has more than 10000 calls")]);
    expect(events).toEqual([
      {
        ...{ event: "parse_failure", dialect: null, reason: "the answer has more than 10000 calls" },
        ...{ id: null, name: null },
      },
    ]);
  });
});

it("the log has a bounded number of lines about the calls of one attempt, and says that there are more", () => {
  const lines: string[] = [];
  const write = (_fields: object, message: string) => void lines.push(message);
  const log: Log = { isLevelEnabled: () => true, debug: write, info: write, warn: write, error: write };
  const listener = new TurnLog(log, { requestId: "request-1", backend: "chutes", redact: true });
  for (let at = 0; at < 500; at++) listener.unknownTool("other");
  expect(lines).toHaveLength(100);
  expect(lines.at(-1)).toBe("logged 100 lines about calls from chutes; leaving out the rest of this attempt");
  listener.attemptStarted("chutes");
  listener.callLeftOut("the answer has more than 10000 calls");
  expect(lines.at(-1)).toBe("the answer of chutes is not passed on as a whole: the answer has more than 10000 calls");
});

it("many repairs of few kinds are counted by kind", async () => {
  const metrics = createMetrics();
  const repairs = Array.from({ length: 300_000 }, (_, at): Repair => (at % 3 === 0 ? "missing_id" : "duplicate"));
  metrics.turnFinished({ api: "chat", backend: "chutes", status: "completed", ms: 1, calls: 1, repairs });
  const text = await metrics.text();
  expect(text).toContain('toolwire_repairs_total{backend="chutes",kind="missing_id"} 100000');
  expect(text).toContain('toolwire_repairs_total{backend="chutes",kind="duplicate"} 200000');
});
