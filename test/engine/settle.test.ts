import { describe, expect, it } from "vitest";
import { type CallSettings, type ItemEvent, Settle } from "../../src/engine/settle/index.ts";
import { ArgumentChecks } from "../../src/tools/index.ts";
import { type BackendEvent, Ids, type RoundFinished, type TurnEvent } from "../../src/turn/index.ts";
import { finished, started, text, typesOf } from "./events.ts";

function settle(events: readonly ItemEvent[], settings: Partial<CallSettings> = {}, ending = finished) {
  const out: TurnEvent[] = [];
  const settled = new Settle(
    { ids: new Ids(), checks: new ArgumentChecks([]), listener: {}, ...settings },
    (event: TurnEvent) => out.push(event),
  );
  for (const event of events) settled.push(event);
  return { out, end: settled.finish(ending) };
}

const thought = (words: string): ItemEvent => ({ type: "reasoning.delta", text: words, part: 0 });
const pieces = (call: number, json: string): ItemEvent[] => [
  { type: "call.arguments", call, delta: json },
  { type: "call.done", call },
];
const image: ItemEvent = { type: "item.done", format: "responses", item: { type: "image_generation_call" } };
const done: TurnEvent = { type: "message.done", status: "completed", isCommentary: false };
const commentary: TurnEvent = { type: "message.done", status: "completed", isCommentary: true };

describe("ids", () => {
  it("are made where the backend gave none", () => {
    const { out } = settle([thought("Hm."), text("Look:"), started(0), ...pieces(0, "{}"), image]);
    expect(out).toMatchObject([
      { type: "reasoning.started", id: expect.stringMatching(/^rs_[0-9a-f]{32}$/) },
      { type: "reasoning.delta" },
      { type: "reasoning.done" },
      { type: "message.started", id: expect.stringMatching(/^msg_[0-9a-f]{32}$/) },
      { type: "text.delta" },
      { type: "message.done" },
      {
        type: "call.started",
        callId: expect.stringMatching(/^call_[0-9a-f]{32}$/),
        id: expect.stringMatching(/^fc_[0-9a-f]{32}$/),
      },
      { type: "call.arguments" },
      { type: "call.done" },
      { type: "item.done", id: expect.stringMatching(/^item_[0-9a-f]{32}$/) },
    ]);
  });

  it("of the backend are kept where every client can take them", () => {
    const { out } = settle([
      { type: "reasoning.started", id: "rs_1" },
      { type: "message.started", id: "msg_1" },
      started(0, { callId: "toolu_1", id: "fc_1" }),
      ...pieces(0, "{}"),
      { type: "item.done", format: "responses", item: { id: "ig_1" } },
    ]);
    expect(out.flatMap((event) => ("id" in event ? [event.id] : []))).toEqual(["rs_1", "msg_1", "fc_1", "ig_1"]);
    expect(out).toContainEqual(
      expect.objectContaining({ type: "call.started", callId: "toolu_1", upstreamId: undefined }),
    );
  });

  it("are made anew where the backend's do not tell the item's type, are not portable, or were given before", () => {
    const ids = new Ids([{ type: "call", kind: "function", callId: "old", name: "look", arguments: "{}" }]);
    const told: unknown[] = [];
    const { out } = settle(
      [
        { type: "message.started", id: "item_1" },
        { type: "reasoning.started", id: "rs 1" },
        started(0, { callId: "functions.look:0" }),
        ...pieces(0, "{}"),
        started(1, { callId: "old" }),
        ...pieces(1, "{}"),
      ],
      { ids, listener: { callRepaired: (repair) => told.push(repair) } },
    );
    expect(out).toMatchObject([
      { id: expect.stringMatching(/^msg_/) },
      { type: "message.done" },
      { id: expect.stringMatching(/^rs_/) },
      { type: "reasoning.done" },
      { callId: expect.stringMatching(/^call_/), upstreamId: "functions.look:0" },
      {},
      { type: "call.done" },
      { callId: expect.stringMatching(/^call_/), upstreamId: "old" },
      {},
      { type: "call.done" },
    ]);
    expect(told).toEqual(["unusable_id", "repeated_id"]);
  });

  it("of calls can be numbered, whatever the backend calls them, and nothing is wrong with that", () => {
    const told: unknown[] = [];
    const { out } = settle([started(0, { callId: "a" }), ...pieces(0, "{}"), started(1), ...pieces(1, '{"at":1}')], {
      ids: new Ids([], "sequential"),
      listener: { callRepaired: (repair) => told.push(repair) },
    });
    const calls = out.filter((event) => event.type === "call.started");
    expect(calls).toMatchObject([
      { callId: "fc_001", id: "fc_001", upstreamId: "a" },
      { callId: "fc_002", id: "fc_002" },
    ]);
    expect(told).toEqual([]);
  });
});

describe("items", () => {
  it("are begun and ended though the backend says neither", () => {
    expect(typesOf(settle([thought("Hm."), text("Yes"), text(".")]).out)).toEqual([
      ...["reasoning.started", "reasoning.delta", "reasoning.done"],
      ...["message.started", "text.delta", "text.delta", "message.done"],
    ]);
  });

  it("end where the backend says so, and what follows is a new one", () => {
    const { out } = settle([text("One."), { type: "message.done" }, text("Two."), { type: "message.started" }]);
    expect(typesOf(out)).toEqual([
      ...["message.started", "text.delta", "message.done"],
      ...["message.started", "text.delta", "message.done"],
      ...["message.started", "message.done"],
    ]);
  });

  it("of reasoning keep their seal, also where nothing else was said of them", () => {
    const { out } = settle([
      thought("Hm."),
      { type: "reasoning.done", encrypted: "first" },
      { type: "reasoning.done", encrypted: "second" },
      { type: "reasoning.done" },
    ]);
    expect(typesOf(out)).toEqual([
      ...["reasoning.started", "reasoning.delta", "reasoning.done"],
      ...["reasoning.started", "reasoning.done"],
    ]);
    expect(out.filter(({ type }) => type === "reasoning.done")).toEqual([
      { type: "reasoning.done", encrypted: "first" },
      { type: "reasoning.done", encrypted: "second" },
    ]);
  });

  it("that pass through unread end the message before them and get an id beside what they hold", () => {
    const { out } = settle([text("Here:"), image, text("Nice?")]);
    expect(out[2]).toEqual(done);
    expect(out[3]).toMatchObject({ type: "item.done", item: image.item, format: "responses" });
    expect(typesOf(out.slice(4))).toEqual(["message.started", "text.delta", "message.done"]);
  });

  it("that are cut by the token limit are incomplete", () => {
    const { out, end } = settle([text("And th")], {}, { type: "round.finished", reason: "length" });
    expect(out.at(-1)).toEqual({ type: "message.done", status: "incomplete", isCommentary: false });
    expect(end.reason).toBe("length");
  });
});

describe("text after a call", () => {
  const events = [text("I look."), started(0), ...pieces(0, "{}"), text("There.")];

  it("is a new message that continues the text before the call", () => {
    const messages = settle(events).out.filter((event) => event.type === "message.started");
    expect(messages).toMatchObject([{ continues: false }, { continues: true }]);
    expect(messages[0]?.id).not.toBe(messages[1]?.id);
  });

  it("does not continue what the backend began as a message of its own", () => {
    const { out } = settle([text("One."), { type: "message.started" }, text("Two.")]);
    expect(out.filter((event) => event.type === "message.started")).toMatchObject([
      { continues: false },
      { continues: false },
    ]);
  });

  it("tells the message before the call from the answer: only the first is commentary", () => {
    expect(settle(events).out.filter(({ type }) => type === "message.done")).toEqual([commentary, done]);
  });

  it("does not make reasoning before a call commentary of anything", () => {
    const { out } = settle([thought("Hm."), started(0), ...pieces(0, "{}")]);
    expect(out[2]).toEqual({ type: "reasoning.done", encrypted: undefined });
  });
});

describe("an event that lacks nothing", () => {
  const annotation: ItemEvent = { type: "annotation.added", annotation: { type: "url_citation" } };
  const refusal: ItemEvent = { type: "refusal.delta", text: "No." };
  const extra: ItemEvent = { type: "message.extra", extensions: { format: "chat", fields: { a: 1 } } };

  it.each([text("Yes"), refusal, annotation, thought("Hm."), extra])(
    "is handed on as the same object: $type",
    (event) => {
      expect(settle([event]).out.some((given) => given === event)).toBe(true);
    },
  );

  it("is handed on as the same object: a piece of a call", () => {
    const piece: ItemEvent = { type: "call.arguments", call: 0, delta: "{}" };
    expect(settle([started(0), piece]).out.some((given) => given === piece)).toBe(true);
  });

  it("is handed on as the same object: the end of a round", () => {
    const ending: RoundFinished = { type: "round.finished", reason: "stop", endTurn: false };
    expect(settle([text("Yes")], {}, ending).end).toBe(ending);
  });
});

it("what concerns no item goes no further than the listeners", () => {
  const told: unknown[] = [];
  const repaired: BackendEvent = { type: "call.repaired", repair: "finish_reason" };
  const { out } = settle([repaired], { listener: { callRepaired: (repair, call) => told.push([repair, call]) } });
  expect(out).toEqual([]);
  expect(told).toEqual([["finish_reason", undefined]]);
});
