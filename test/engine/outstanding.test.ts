import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OutstandingCalls } from "../../src/engine/outstanding.ts";
import { anonymousOwner, type EventFields, type EventSink, type Item, type Log } from "../../src/turn/index.ts";
import { timeGrowth } from "../support/time-growth.ts";

const minute = 60_000;
const quarter = 15 * minute;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A registry, and all that it tells. */
function start({ on = true, most = 50_000 } = {}) {
  /** All but the results, which `hear` returns. */
  const events: EventFields[] = [];
  let results: EventFields[] = [];
  const lines: EventFields[] = [];
  const write = (event: string, request_id: string | null, fields: EventFields) => {
    if (event === "tool_result") results.push({ request_id, ...fields });
    else events.push({ event, request_id, ...fields });
  };
  const sink: EventSink = { on, keepsValues: false, write };
  const info = (fields: object, message: string) => void lines.push({ ...fields, message });
  const log: Log = { isLevelEnabled: () => true, debug() {}, info, warn() {}, error() {} };
  const registry = new OutstandingCalls({ events: sink, log, most });
  const of = (owner: string) => ({
    give: ({ callId, name }: { callId: string; name: string }, turn: string) =>
      registry.give(owner, callId, name, turn),
    hear: (input: readonly Item[]): EventFields[] => {
      results = [];
      registry.hear(owner, input, "now");
      return results;
    },
  });
  return { registry, events, lines, of, calls: of(anonymousOwner) };
}

const user = (text: string): Item => ({ type: "message", role: "user", content: [{ type: "text", text }] });
const says = (text: string): Item => ({ type: "message", role: "assistant", content: [{ type: "text", text }] });
const call = (callId: string, name = "look"): Item => ({
  type: "call",
  kind: "function",
  callId,
  name,
  arguments: "{}",
});
const output = (callId: string, text = "done"): Item => ({ type: "output", kind: "function", callId, output: text });
const result = (call_id: string, name: string | null, turn: string | null, waited_ms: number | null) => ({
  ...{ request_id: "now", call_id, bytes: "done".length, name, turn, waited_ms },
});
const known = (callId: string, turn: string, waitedMs = 0, name = "look") => result(callId, name, turn, waitedMs);
const unknown = (callId: string, name: string | null = null) => result(callId, name, null, null);
const missing = (callId: string, turn: string, waited: number, name = "look") => ({
  event: "tool_result_missing",
  request_id: turn,
  call_id: callId,
  name,
  waited_ms: waited,
});

describe("a result", () => {
  it("is told with its call: the name, the turn that made it, and how long it took", () => {
    const { calls, registry, events } = start();
    calls.give({ callId: "a", name: "look" }, "request-1");
    expect(registry.size).toBe(1);
    vi.advanceTimersByTime(1500);
    expect(calls.hear([user("Go"), call("a"), output("a")])).toEqual([known("a", "request-1", 1500)]);
    expect(registry.size).toBe(0);
    vi.advanceTimersByTime(2 * quarter);
    expect(events).toEqual([]);
  });

  it("is old where the model has called a tool of its provider's since, and new where only other items stand behind it", () => {
    const { calls } = start();
    const opaque = (isToolCall: boolean): Item => ({ type: "opaque", format: "responses", fields: {}, isToolCall });
    expect(calls.hear([user("Go"), call("a"), output("a"), opaque(true)])).toEqual([]);
    expect(calls.hear([user("Go"), call("b"), output("b"), opaque(false)])).toEqual([unknown("b", "look")]);
  });

  it("is known though the client does not repeat its call", () => {
    const { calls } = start();
    calls.give({ callId: "a", name: "look" }, "request-1");
    expect(calls.hear([output("a")])).toEqual([known("a", "request-1")]);
  });

  it("of an unknown call is told with the name that the client's history has, if any", () => {
    const { calls, registry } = start();
    expect(calls.hear([user("Go"), call("a"), output("a")])).toEqual([unknown("a", "look")]);
    expect(calls.hear([output("b")])).toEqual([unknown("b")]);
    expect(registry.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is told once, though its request is sent again or later ones repeat it", () => {
    const { calls } = start();
    calls.give({ callId: "a", name: "look" }, "request-1");
    const input = [user("Go"), call("a"), output("a")];
    expect(calls.hear(input)).toHaveLength(1);
    expect(calls.hear(input)).toEqual([]);
    expect(calls.hear([...input, says("Done."), user("Again")])).toEqual([]);
    calls.give({ callId: "b", name: "look" }, "request-2");
    expect(calls.hear([...input, call("b"), output("b")])).toEqual([known("b", "request-2")]);
  });

  it("may have the user's next words behind it", () => {
    const { calls } = start();
    calls.give({ callId: "a", name: "look" }, "request-1");
    const input = [user("Go"), call("a"), output("a"), user("And hurry")];
    expect(calls.hear(input)).toEqual([known("a", "request-1")]);
    expect(calls.hear([user("Go"), call("z"), output("z"), user("And hurry")])).toEqual([unknown("z", "look")]);
  });

  it("may stand right behind its call, before the next call of the same turn", () => {
    const { calls, events } = start();
    for (const callId of ["fc_001", "fc_002", "fc_003"]) calls.give({ callId, name: "look" }, "request-1");
    const input = ["fc_001", "fc_002", "fc_003"].flatMap((callId) => [call(callId), output(callId)]);
    expect(calls.hear([user("Go"), ...input]).map(({ call_id }) => call_id)).toEqual(["fc_001", "fc_002", "fc_003"]);
    calls.give({ callId: "fc_004", name: "look" }, "request-2");
    expect(calls.hear([user("Go"), ...input, call("fc_004"), output("fc_004")])).toEqual([
      known("fc_004", "request-2"),
    ]);
    vi.advanceTimersByTime(2 * quarter);
    expect(events).toEqual([]);
  });

  it("that only the history shows was brought to somebody else: it is neither told nor missing", () => {
    const { calls, registry, events } = start();
    calls.give({ callId: "a", name: "look" }, "request-1");
    expect(calls.hear([user("Go"), call("a"), output("a"), says("Done."), user("And now?")])).toEqual([]);
    expect(registry.size).toBe(0);
    vi.advanceTimersByTime(2 * quarter);
    expect(events).toEqual([]);
  });
});

describe("a result that does not come", () => {
  it("is told when its time is over, once, under the turn that made the call", () => {
    const { calls, registry, events, lines } = start();
    calls.give({ callId: "a", name: "look" }, "request-1");
    vi.advanceTimersByTime(5 * minute);
    calls.give({ callId: "b", name: "find" }, "request-2");
    vi.advanceTimersByTime(10 * minute - 1);
    expect(events).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(events).toEqual([missing("a", "request-1", quarter)]);
    expect(lines).toMatchObject([{ request_id: "request-1", call_id: "a", name: "look", waited_ms: quarter }]);
    expect(registry.size).toBe(1);
    vi.advanceTimersByTime(quarter);
    expect(events.slice(1)).toEqual([missing("b", "request-2", quarter, "find")]);
    expect(calls.hear([user("Go"), call("a"), output("a")])).toEqual([unknown("a", "look")]);
  });

  it("is told at once when the client goes on without it, and is a result all the same when it comes later", () => {
    const { calls, registry, events, lines } = start();
    calls.give({ callId: "a", name: "look" }, "request-1");
    vi.advanceTimersByTime(2000);
    const input = [user("Go"), call("a"), user("Never mind")];
    expect(calls.hear(input)).toEqual([]);
    expect(calls.hear(input)).toEqual([]);
    expect(events).toEqual([missing("a", "request-1", 2000)]);
    expect(lines).toHaveLength(1);
    expect(registry.size).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(calls.hear([...input, says("Fine."), output("a")])).toEqual([known("a", "request-1", 3000)]);
    vi.advanceTimersByTime(2 * quarter);
    expect(events).toHaveLength(1);
  });

  it.each([
    ["behind the others", [call("a"), call("b"), output("b")]],
    ["before its call stands one with an output", [call("b"), output("b"), call("a"), user("Go on")]],
    ["behind what the model said with it", [call("b"), output("b"), call("a"), says("Hm."), user("Go on")]],
  ])("is seen among results that do: %s", (_where, history) => {
    const { calls, events } = start();
    for (const callId of ["a", "b"]) calls.give({ callId, name: "look" }, "request-1");
    expect(calls.hear([user("Go"), ...history])).toEqual([known("b", "request-1")]);
    expect(events).toEqual([missing("a", "request-1", 0)]);
  });

  it("is not missing while no request of the conversation has come", () => {
    const { calls, registry, events } = start();
    calls.give({ callId: "a", name: "look" }, "request-1");
    calls.hear([user("Another conversation"), call("z"), output("z")]);
    calls.hear([user("Go")]);
    calls.hear([]);
    expect(events).toEqual([]);
    expect(registry.size).toBe(1);
  });
});

describe("calls of the same id", () => {
  it("are those of their keys: no other key answers or ends them", () => {
    const { registry, events, of } = start();
    const [one, other] = [of("one"), of("other")];
    one.give({ callId: "a", name: "look" }, "request-1");
    other.give({ callId: "a", name: "look" }, "request-2");
    expect(of("third").hear([user("Go"), call("a"), output("a")])).toEqual([unknown("a", "look")]);
    of("third").hear([user("Go"), call("a"), user("Never mind")]);
    expect(events).toEqual([]);
    expect(one.hear([call("a"), output("a")])).toEqual([known("a", "request-1")]);
    expect(registry.size).toBe(1);
    expect(other.hear([call("a"), output("a")])).toEqual([known("a", "request-2")]);
  });

  it("are told apart by their names, else the newest that is open is meant", () => {
    const { calls } = start();
    calls.give({ callId: "fc_001", name: "look" }, "request-1");
    calls.give({ callId: "fc_001", name: "find" }, "request-2");
    calls.give({ callId: "fc_001", name: "find" }, "request-3");
    const heard = (name: string) => calls.hear([user("Go"), call("fc_001", name), output("fc_001")]);
    expect(heard("look")).toEqual([known("fc_001", "request-1")]);
    expect(heard("find")).toEqual([known("fc_001", "request-3", 0, "find")]);
    expect(heard("find")).toEqual([known("fc_001", "request-2", 0, "find")]);
    expect(heard("other")).toEqual([unknown("fc_001", "other")]);
  });

  it("are not ended by a conversation that may mean another of them, until their time is over", () => {
    const { calls, events } = start();
    calls.give({ callId: "fc_001", name: "look" }, "request-1");
    calls.give({ callId: "fc_001", name: "look" }, "request-2");
    calls.hear([user("Go"), call("fc_001"), user("Never mind")]);
    expect(events).toEqual([]);
    expect(calls.hear([user("Go"), call("fc_001"), output("fc_001")])).toHaveLength(1);
    vi.advanceTimersByTime(quarter);
    expect(events).toHaveLength(1);
  });

  it("are told apart by their turn where outputs stand between the calls of one", () => {
    const { calls, registry, events } = start();
    for (const callId of ["call_0", "call_1"]) calls.give({ callId, name: "look" }, "request-1");
    calls.give({ callId: "call_0", name: "look" }, "request-2");
    const input = [user("Go"), call("call_0"), output("call_0"), call("call_1"), output("call_1")];
    expect(calls.hear(input)).toEqual([known("call_0", "request-1"), known("call_1", "request-1")]);
    expect(registry.size).toBe(1);
    // A conversation whose first call is not known any more.
    calls.give({ callId: "call_2", name: "look" }, "request-3");
    const later = [user("Go"), call("fc_001"), output("fc_001"), call("call_2"), output("call_2")];
    calls.give({ callId: "fc_001", name: "look" }, "request-4");
    expect(calls.hear(later)).toEqual([known("call_2", "request-3")]);
    expect(registry.size).toBe(2);
    vi.advanceTimersByTime(quarter);
    expect(events.map(({ request_id }) => request_id)).toEqual(["request-2", "request-4"]);
  });

  it("are not ended by a call that another conversation has left out long ago", () => {
    const { calls, events } = start();
    calls.give({ callId: "fc_001", name: "look" }, "request-1");
    calls.hear([user("Go"), call("fc_001"), user("Never mind"), says("Fine."), user("And now?")]);
    expect(events).toEqual([]);
  });

  it("are not ended by numbers in an old history, which any conversation has", () => {
    const { calls, registry } = start();
    calls.give({ callId: "fc_001", name: "look" }, "request-1");
    calls.hear([user("Go"), call("fc_001"), output("fc_001"), says("Done."), user("And now?")]);
    expect(registry.size).toBe(1);
  });
});

describe("the registry", () => {
  it("has one timer while it holds anything, and none before, afterwards and when it is closed", () => {
    const { calls, registry, events } = start();
    expect(vi.getTimerCount()).toBe(0);
    const timers = vi.spyOn(globalThis, "setTimeout");
    for (let at = 0; at < 100; at++) calls.give({ callId: `call_${at}`, name: "look" }, "request-1");
    expect(vi.getTimerCount()).toBe(1);
    // It keeps no process alive.
    expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
    timers.mockRestore();
    vi.advanceTimersByTime(quarter);
    expect(events).toHaveLength(100);
    expect(vi.getTimerCount()).toBe(0);
    calls.give({ callId: "a", name: "look" }, "request-2");
    expect(vi.getTimerCount()).toBe(1);
    registry.close();
    expect(vi.getTimerCount()).toBe(0);
    calls.give({ callId: "b", name: "look" }, "request-3");
    expect(vi.getTimerCount()).toBe(0);
    expect(registry.size).toBe(0);
    expect(events).toHaveLength(100);
  });

  it("forgets the oldest first when there are too many, and says nothing of them", () => {
    const { calls, registry, events } = start({ most: 2 });
    for (const callId of ["a", "b", "c"]) calls.give({ callId, name: "look" }, "request-1");
    expect(registry.size).toBe(2);
    expect(calls.hear([output("a"), output("b")])).toEqual([unknown("a"), known("b", "request-1")]);
    vi.advanceTimersByTime(quarter);
    expect(events).toEqual([missing("c", "request-1", quarter)]);
    expect(registry.size).toBe(0);
  });

  it("keeps no more than a thousand calls of one id", () => {
    const { calls, registry, events } = start();
    for (let at = 0; at < 1200; at++) calls.give({ callId: "fc_001", name: `tool_${at}` }, "request-1");
    expect(registry.size).toBe(1000);
    vi.advanceTimersByTime(quarter);
    expect(events).toHaveLength(1000);
    expect(registry.size).toBe(0);
  });

  it("compares a request with a bounded number of calls, however often it repeats an id that many conversations have", () => {
    const { calls } = start();
    for (let at = 0; at < 1_000; at++) calls.give({ callId: "fc_001", name: "look" }, `request-${at}`);
    const repeats = (size: number) => Array.from({ length: size }, (_, at) => call("fc_001", `other_${at}`));
    // 8,000 times a thousand comparisons would take some 30 times as long.
    expect(timeGrowth((size) => calls.hear([user("go"), ...repeats(size)]), 1_000)).toBeLessThan(4);
  });

  it("reports no more than a thousand results of one request, and knows the others all the same", () => {
    const { calls, registry } = start();
    const ids = Array.from({ length: 1_500 }, (_, at) => `call_${at}`);
    for (const callId of ids) calls.give({ callId, name: "look" }, "request-1");
    expect(calls.hear(ids.map((id) => output(id)))).toHaveLength(1_000);
    expect(registry.size).toBe(0);
  });

  it("reports calls that expire together a thousand at a time", () => {
    const { calls, events, registry } = start();
    for (let at = 0; at < 2_500; at++) calls.give({ callId: `call_${at}`, name: "look" }, "request-1");
    vi.advanceTimersByTime(quarter);
    expect(events).toHaveLength(1_000);
    vi.advanceTimersByTime(10);
    expect(events).toHaveLength(2_500);
    expect(registry.size).toBe(0);
  });

  it("works alike where nobody reads the events", () => {
    const { calls, registry, events, lines } = start({ on: false });
    for (const callId of ["a", "b", "c"]) calls.give({ callId, name: "look" }, "request-1");
    expect(calls.hear([call("a"), call("b"), output("a")])).toEqual([]);
    expect(registry.size).toBe(1);
    vi.advanceTimersByTime(quarter);
    expect(registry.size).toBe(0);
    expect(lines.map(({ call_id }) => call_id)).toEqual(["b", "c"]);
    expect(events).toEqual([]);
  });

  it("tells of every call one result or that it is missing, whatever comes when", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("give"), key: fc.integer({ min: 0, max: 2 }) }),
      fc.record({ kind: fc.constantFrom("bring", "leave out"), which: fc.nat(20) }),
      fc.record({ kind: fc.constant("wait"), minutes: fc.integer({ min: 1, max: 12 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { registry, events, of } = start();
        const given: { id: string; key: string; at: number; end: "" | "result" | "missing" }[] = [];
        let now = 0;
        const expire = () => {
          for (const call of given) if (call.end === "" && now - call.at >= quarter) call.end = "missing";
        };
        for (const step of steps) {
          if ("key" in step) {
            const made = { id: `call_${given.length}`, key: `key_${step.key}`, at: now, end: "" as const };
            given.push(made);
            of(made.key).give({ callId: made.id, name: "look" }, made.id);
          } else if ("minutes" in step) {
            now += step.minutes * minute;
            vi.advanceTimersByTime(step.minutes * minute);
            expire();
          } else {
            const made = given[step.which];
            if (!made) continue;
            const brings = step.kind === "bring";
            const input = [user("Go"), call(made.id), ...(brings ? [output(made.id)] : [user("Never mind")])];
            const results = of(made.key).hear(input);
            const isKept = now - made.at < quarter;
            const isNew = brings && !(isKept && made.end === "result");
            const expected = isKept ? known(made.id, made.id, now - made.at) : unknown(made.id, "look");
            expect(results).toEqual(isNew ? [expected] : []);
            if (brings && isKept) made.end = "result";
            else if (!brings && made.end === "") made.end = "missing";
          }
          expect(registry.size).toBe(given.filter(({ end }) => end === "").length);
        }
        now += quarter;
        vi.advanceTimersByTime(quarter);
        expire();
        const told = events.map(({ call_id }) => call_id);
        expect(new Set(told).size).toBe(told.length);
        for (const { id, end } of given) if (end === "missing") expect(told).toContain(id);
        expect(registry.size).toBe(0);
        expect(vi.getTimerCount()).toBe(0);
      }),
    );
  });
});
