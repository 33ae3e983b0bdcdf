import { describe, expect, it } from "vitest";
import { type CallSettings, type ItemEvent, Settle } from "../../src/engine/settle/index.ts";
import { ArgumentChecks } from "../../src/tools/index.ts";
import { Ids, type RoundFinished, type TurnEvent } from "../../src/turn/index.ts";
import { finished, started, text, typesOf, wholeCall } from "./events.ts";

function settle(events: readonly ItemEvent[], settings: Partial<CallSettings> = {}, ending = finished) {
  const out: TurnEvent[] = [];
  const told: string[] = [];
  const settled = new Settle(
    {
      ids: new Ids(),
      checks: new ArgumentChecks([]),
      listener: {
        callRepaired: (repair) => told.push(repair),
        callStarted: ({ name }) => told.push(`started ${name}`),
        callDone: ({ name }, json) => told.push(`done ${name} ${json}`),
        argumentsBroken: (call) => told.push(`not JSON ${call?.name}`),
        schemaMismatch: (call, path) => told.push(`does not fit ${call?.name} ${path}`),
      },
      ...settings,
    },
    (event: TurnEvent) => out.push(event),
  );
  for (const event of events) settled.push(event);
  return { out, told, end: settled.finish(ending) };
}

/** Name and arguments of the whole calls. */
function callsOf(events: readonly TurnEvent[]): string[] {
  const names = events.flatMap((event) => (event.type === "call.started" ? [event.name] : []));
  const ends = events.flatMap((event) => (event.type === "call.done" ? [event.arguments] : []));
  return ends.map((json, index) => `${names[index]} ${json}`);
}

describe("a call that stops in the middle", () => {
  const cut: ItemEvent[] = [started(0), { type: "call.arguments", call: 0, delta: '{"at": "se' }];

  it("has nothing behind it: neither text nor another call", () => {
    const { out, end } = settle([...cut, text("And then"), ...wholeCall(1, "{}")]);
    expect(typesOf(out)).toEqual(["call.started", "call.arguments"]);
    expect(end.reason).toBe("length");
  });

  it("is dropped where the client has seen nothing of it, and what follows is given", () => {
    const { out } = settle([...cut, text("And then"), ...wholeCall(1, "{}")], { dropsCutCalls: true });
    expect(typesOf(out.slice(2))).toEqual([
      ...["message.started", "text.delta", "message.done"],
      ...["call.started", "call.arguments", "call.done"],
    ]);
  });

  it("is never done, and the round did not end by itself", () => {
    const { out, end } = settle(cut);
    expect(typesOf(out)).toEqual(["call.started", "call.arguments"]);
    expect(end).toEqual({ type: "round.finished", reason: "length" });
  });

  it("leaves another reason as it is", () => {
    const filtered: RoundFinished = { type: "round.finished", reason: "content_filter" };
    expect(settle(cut, {}, filtered).end).toBe(filtered);
  });

  it("was cut also where the call had to wait because it may be a duplicate", () => {
    const { out, end } = settle([
      ...wholeCall(0, "{}", { callId: "a" }),
      started(1, { callId: "a" }),
      { type: "call.arguments", call: 1, delta: '{"at' },
    ]);
    expect(callsOf(out)).toEqual(["look {}"]);
    expect(end.reason).toBe("length");
  });
});

describe("arguments", () => {
  it("that are empty become {}, and the client is told so in a piece", () => {
    const { out, told } = settle([started(0), { type: "call.done", call: 0 }]);
    expect(out.slice(1)).toEqual([
      { type: "call.arguments", delta: "{}" },
      { type: "call.done", arguments: "{}" },
    ]);
    expect(told).toEqual(["missing_id", "started look", "arguments_empty", "done look {}"]);
  });

  it("that are only space keep it, so that the pieces make the whole", () => {
    const { out } = settle(wholeCall(0, " \n", { callId: "a" }));
    const joined = out.map((event) => (event.type === "call.arguments" ? event.delta : "")).join("");
    expect(joined).toBe(" \n{}");
    expect(callsOf(out)).toEqual(["look  \n{}"]);
  });

  it("of a tool for free text may be empty", () => {
    const { out } = settle([started(0, { kind: "custom" }), { type: "call.done", call: 0 }]);
    expect(out.slice(1)).toEqual([{ type: "call.done", arguments: "" }]);
    expect(out[0]).toMatchObject({ id: expect.stringMatching(/^ctc_/) });
  });

  it("that come in pieces are given whole at the call's end", () => {
    const { out } = settle([
      started(0),
      { type: "call.arguments", call: 0, delta: '{"at":' },
      { type: "call.arguments", call: 0, delta: '"sea"}' },
      { type: "call.done", call: 0 },
    ]);
    expect(callsOf(out)).toEqual(['look {"at":"sea"}']);
  });

  it("that are not JSON, or do not fit the schema, are given as they are, and listeners are told", () => {
    const parameters = { type: "object", properties: { at: { type: "string" } } };
    const checks = new ArgumentChecks([{ type: "function", name: "look", parameters }]);
    const { out, told } = settle(
      [...wholeCall(0, "oops", { callId: "a" }), ...wholeCall(1, '{"at":5}', { callId: "b" })],
      { checks },
    );
    expect(callsOf(out)).toEqual(["look oops", 'look {"at":5}']);
    expect(told).toEqual([
      ...["started look", "done look oops", "not JSON look"],
      ...["started look", 'done look {"at":5}', "does not fit look /at"],
    ]);
  });
});

describe("a call that comes twice", () => {
  it("is given once, where id and meaning are the same", () => {
    const { out, told } = settle([
      ...wholeCall(0, '{"at":"sea"}', { callId: "a" }),
      ...wholeCall(1, '{ "at": "sea" }', { callId: "a" }),
    ]);
    expect(callsOf(out)).toEqual(['look {"at":"sea"}']);
    expect(told.at(-1)).toBe("duplicate");
  });

  it("is two calls, where the same id stands for other arguments or another tool", () => {
    const { out, told } = settle([
      ...wholeCall(0, '{"at":"sea"}', { callId: "a" }),
      ...wholeCall(1, '{"at":"sky"}', { callId: "a" }),
      ...wholeCall(2, '{"at":"sea"}', { callId: "a", name: "go" }),
    ]);
    expect(callsOf(out)).toEqual(['look {"at":"sea"}', 'look {"at":"sky"}', 'go {"at":"sea"}']);
    const ids = out.flatMap((event) => (event.type === "call.started" ? [event.callId] : []));
    expect(new Set(ids).size).toBe(3);
    expect(told.filter((word) => word === "repeated_id")).toHaveLength(2);
  });

  it("is two calls, where only the arguments are the same", () => {
    const { out } = settle([...wholeCall(0, "{}", { callId: "a" }), ...wholeCall(1, "{}", { callId: "b" })]);
    expect(callsOf(out)).toHaveLength(2);
  });

  it("is given once, where the model's text repeats the call that the backend has read", () => {
    const { out } = settle([
      ...wholeCall(0, '{"at":"sea"}', { callId: "a" }),
      ...wholeCall(1, '{"at":"sea"}', { dialect: "hermes" }),
      ...wholeCall(2, '{"at":"sea"}', { dialect: "hermes" }),
    ]);
    // The third has no twin any more: it is a call of its own.
    expect(callsOf(out)).toHaveLength(2);
  });

  it("does not end the message that goes on around it", () => {
    const { out } = settle([
      ...wholeCall(0, "{}", { callId: "a" }),
      text("So"),
      ...wholeCall(1, "{}", { callId: "a" }),
      text(" on"),
    ]);
    expect(typesOf(out.slice(3))).toEqual(["message.started", "text.delta", "text.delta", "message.done"]);
  });

  it("holds back only what may be a duplicate, and gives it whole once it is none", () => {
    const out: TurnEvent[] = [];
    const settled = new Settle({ ids: new Ids(), checks: new ArgumentChecks([]), listener: {} }, (event) =>
      out.push(event),
    );
    for (const event of wholeCall(0, "{}", { callId: "a" })) settled.push(event);
    settled.push(started(1, { callId: "a" }));
    settled.push({ type: "call.arguments", call: 1, delta: '{"at":1}' });
    expect(out).toHaveLength(3);
    settled.push({ type: "call.done", call: 1 });
    expect(typesOf(out.slice(3))).toEqual(["call.started", "call.arguments", "call.done"]);
  });
});

describe("the owner of a call", () => {
  it("is the client, unless somebody else says so", () => {
    const calls = [...wholeCall(0, "{}", { callId: "a" }), ...wholeCall(1, "{}", { callId: "b", name: "search" })];
    const owners = (events: TurnEvent[]) =>
      events.flatMap((event) => (event.type === "call.started" ? [event.owner] : []));
    expect(owners(settle(calls).out)).toEqual(["client", "client"]);
    const { out } = settle(calls, { ownerOf: ({ name }) => (name === "search" ? "gateway" : "client") });
    expect(owners(out)).toEqual(["client", "gateway"]);
  });
});

it("what was put right in a call is told with the call as the client knows it", () => {
  const told: unknown[] = [];
  settle(
    [
      started(0, { callId: "a" }),
      { type: "call.repaired", call: 0, repair: "trailing_comma" },
      { type: "call.arguments", call: 0, delta: "{}" },
      { type: "call.done", call: 0 },
    ],
    { listener: { callRepaired: (repair, call) => told.push([repair, call]) } },
  );
  expect(told).toEqual([["trailing_comma", expect.objectContaining({ callId: "a", owner: "client" })]]);
});
