import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Transcript } from "../../src/engine/transcript.ts";
import type { Item, JsonObject, TurnEvent } from "../../src/turn/index.ts";
import { anyPieces, anyText } from "../support/arbitraries.ts";
import { call, message } from "./events.ts";

function fold(events: readonly TurnEvent[]): Transcript {
  const transcript = new Transcript();
  for (const event of events) transcript.push(event);
  return transcript;
}

const itemsOf = (events: readonly TurnEvent[]): readonly Item[] => fold(events).items;
const begin: TurnEvent = { type: "message.started", id: "msg_1" };
const end: TurnEvent = { type: "message.done", status: "completed", isCommentary: false };
const text = (words: string, logprobs?: JsonObject[]): TurnEvent => ({ type: "text.delta", text: words, logprobs });
const refusal = (words: string): TurnEvent => ({ type: "refusal.delta", text: words });
const cite = (url: string): TurnEvent => ({ type: "annotation.added", annotation: { type: "url_citation", url } });
const thought = (words: string, part = 0): TurnEvent => ({ type: "reasoning.delta", text: words, part });
const extra = (fields: JsonObject, format = "chat"): TurnEvent => ({
  type: "message.extra",
  extensions: { format, fields },
});

describe("a message", () => {
  it("has its text in one part, with its citations and the logprobs of its tokens", () => {
    const events = [
      begin,
      text("By the ", [{ token: "By" }]),
      text("sea", [{ token: "the" }, { token: "sea" }]),
      cite("/a"),
      text("."),
      cite("/b"),
      end,
    ];
    expect(itemsOf(events)).toEqual([
      {
        type: "message",
        role: "assistant",
        id: "msg_1",
        content: [
          {
            type: "text",
            text: "By the sea.",
            annotations: [
              { type: "url_citation", url: "/a" },
              { type: "url_citation", url: "/b" },
            ],
            logprobs: [{ token: "By" }, { token: "the" }, { token: "sea" }],
          },
        ],
      },
    ]);
  });

  it("has text and refusal as parts of their own, in their order", () => {
    const events = [begin, text("Well"), refusal("I "), refusal("must not."), text("Sorry"), end];
    expect(itemsOf(events)).toMatchObject([
      {
        content: [
          { type: "text", text: "Well" },
          { type: "refusal", refusal: "I must not." },
          { type: "text", text: "Sorry" },
        ],
      },
    ]);
  });

  it("may have a citation before any text, and no content at all", () => {
    expect(itemsOf([begin, cite("/a"), end])).toMatchObject([
      { content: [{ text: "", annotations: [{ url: "/a" }] }] },
    ]);
    expect(itemsOf([begin, end])).toMatchObject([{ type: "message", content: [] }]);
  });

  it("knows whether it was cut, was commentary, goes on with another, and what else it carries", () => {
    const extensions = { format: "responses", fields: { phase: "final" } };
    const [item] = itemsOf([
      { type: "message.started", id: "msg_1", continues: true, extensions },
      { type: "message.done", status: "incomplete", isCommentary: true },
    ]);
    expect(item).toMatchObject({ isIncomplete: true, isCommentary: true, continues: true, extensions });
    const [plain] = itemsOf([begin, end]);
    expect(plain).not.toHaveProperty("isIncomplete");
    expect(plain).not.toHaveProperty("isCommentary");
  });
});

describe("reasoning", () => {
  it("has one text a part, by the backend's own numbers, and its seal", () => {
    const events: TurnEvent[] = [
      { type: "reasoning.started", id: "rs_1" },
      thought("First", 3),
      thought(" this.", 3),
      thought("Then that.", 5),
      { type: "reasoning.done", encrypted: "sealed" },
    ];
    expect(itemsOf(events)).toEqual([
      { type: "reasoning", id: "rs_1", summary: ["First this.", "Then that."], encrypted: "sealed" },
    ]);
  });

  it("of the next item begins with a part of its own, though the number is the same", () => {
    const one: TurnEvent[] = [
      { type: "reasoning.started", id: "rs_1" },
      thought("One.", 1),
      { type: "reasoning.done" },
    ];
    expect(itemsOf([...one, ...one])).toMatchObject([{ summary: ["One."] }, { summary: ["One."] }]);
  });
});

describe("calls, outputs and what passes through unread", () => {
  it("a call has its names and ids, and its whole arguments from its end", () => {
    const extensions = { format: "chat", fields: { extra_content: { a: 1 } } };
    const [begun, piece, done] = call("call_1", '{"at":1}', { namespace: "maps", owner: "gateway", extensions });
    const transcript = fold([begun, piece].filter((event) => event !== undefined));
    expect(transcript.items).toEqual([]);
    if (done) transcript.push(done);
    expect(transcript.items).toEqual([
      {
        type: "call",
        kind: "function",
        owner: "gateway",
        callId: "call_1",
        id: "fc_call_1",
        name: "look",
        namespace: "maps",
        arguments: '{"at":1}',
        extensions,
      },
    ]);
  });

  it("an output stands behind its call", () => {
    const output: TurnEvent = { type: "output.done", kind: "function", callId: "call_1", output: "blue" };
    expect(itemsOf([...call("call_1"), output])).toMatchObject([
      { type: "call", callId: "call_1" },
      { type: "output", kind: "function", callId: "call_1", output: "blue" },
    ]);
  });

  it("an item that passes through has the id that the client knows", () => {
    const item = { type: "image_generation_call", id: "not one of ours", result: "…" };
    const event: TurnEvent = { type: "item.done", id: "item_1", format: "responses", item, isToolCall: true };
    expect(itemsOf([event])).toEqual([
      { type: "opaque", format: "responses", fields: { ...item, id: "item_1" }, isToolCall: true },
    ]);
    expect(item.id).toBe("not one of ours");
  });
});

describe("fields of the assistant's message that nobody reads", () => {
  it("are kept in the message that they came with: lists are put together, of anything else the last value counts", () => {
    const events = [extra({ list: [1], word: "a" }), begin, extra({ list: [2], word: "b", late: true }), end];
    const extensions = { format: "chat", fields: { list: [1, 2], word: "b", late: true } };
    expect(itemsOf(events)).toMatchObject([{ type: "message", id: "msg_1", extensions }]);
  });

  it("are kept in a message without an id where the round has none", () => {
    const extensions = { format: "chat", fields: { a: 1 } };
    const [kept, ...others] = itemsOf([extra({ a: 1 }), ...call("call_1")]);
    expect(kept).toEqual({ type: "message", role: "assistant", content: [], extensions });
    expect(others).toMatchObject([{ type: "call" }]);
  });

  it("grow in place: a list that comes in many pieces is not copied for each of them", () => {
    const transcript = fold([extra({ list: [1] })]);
    const listOf = () => (transcript.items[0]?.type === "message" ? transcript.items[0].extensions?.fields.list : null);
    const list = listOf();
    for (let piece = 2; piece <= 5; piece++) transcript.push(extra({ list: [piece] }));
    expect(list).toEqual([1, 2, 3, 4, 5]);
    expect(listOf()).toBe(list);
  });

  it("do not change what the backend gave", () => {
    const list = [1];
    fold([extra({ list }), extra({ list: [2] })]);
    expect(list).toEqual([1]);
  });

  it("are kept apart by format and by round", () => {
    const transcript = fold([extra({ a: 1 }), extra({ b: 2 }, "responses")]);
    transcript.beginRound();
    transcript.push(extra({ c: 3 }, "responses"));
    expect(transcript.items).toMatchObject([
      { extensions: { format: "chat", fields: { a: 1 } } },
      { extensions: { format: "responses", fields: { b: 2 } } },
      { extensions: { format: "responses", fields: { c: 3 } } },
    ]);
  });

  it("leave the item that is open the current one", () => {
    expect(fold([begin, extra({ a: 1 })]).current).toMatchObject({ id: "msg_1" });
  });
});

describe("what is current", () => {
  it("is the item that is open, or else the last that is done", () => {
    const transcript = new Transcript();
    expect(transcript.current).toBeUndefined();
    for (const event of message("msg_1", "Yes")) transcript.push(event);
    expect(transcript.current).toMatchObject({ id: "msg_1" });
    expect(transcript.open).toBeUndefined();
    transcript.push({ type: "reasoning.started", id: "rs_1" });
    expect(transcript.current).toMatchObject({ id: "rs_1" });
    expect(transcript.open).toMatchObject({ id: "rs_1" });
    expect(transcript.items).toHaveLength(1);
  });

  it("is the same object when it is done, so that a reader may hold it", () => {
    const transcript = fold([begin, text("Ye")]);
    const { current } = transcript;
    for (const event of [text("s"), end]) transcript.push(event);
    expect(transcript.items[0]).toBe(current);
  });
});

describe("rounds", () => {
  it("are rolled back to where they began: earlier ones stay", () => {
    const transcript = fold(message("msg_1", "I look."));
    const mark = transcript.beginRound();
    for (const event of [...call("call_1"), extra({ a: 1 }), begin, text("And")]) transcript.push(event);
    transcript.rollBack(mark);
    expect(transcript.items).toMatchObject([{ id: "msg_1", content: [{ text: "I look." }] }]);
    expect(transcript.open).toBeUndefined();
    expect(transcript.current).toMatchObject({ id: "msg_1" });
    for (const event of [extra({ b: 2 }), ...message("msg_2", "There.")]) transcript.push(event);
    expect(transcript.items).toMatchObject([
      { id: "msg_1", extensions: undefined },
      { id: "msg_2", extensions: { fields: { b: 2 } } },
    ]);
  });

  it("that roll back to nothing leave nothing current", () => {
    const transcript = new Transcript();
    const mark = transcript.beginRound();
    for (const event of message("msg_1", "No")) transcript.push(event);
    transcript.rollBack(mark);
    expect(transcript.items).toEqual([]);
    expect(transcript.current).toBeUndefined();
  });

  it("drop what the one before left unfinished", () => {
    const transcript = fold([...message("msg_1", "I look."), ...call("call_1").slice(0, 2)]);
    expect(transcript.beginRound()).toBe(1);
    expect(transcript.open).toBeUndefined();
    for (const event of message("msg_2", "So.")) transcript.push(event);
    expect(transcript.items).toMatchObject([{ id: "msg_1" }, { id: "msg_2" }]);
  });
});

describe("a transcript that nobody reads", () => {
  const unread = (events: readonly TurnEvent[]) => {
    const transcript = new Transcript();
    transcript.isRead = false;
    for (const event of events) transcript.push(event);
    return transcript;
  };

  it("keeps nothing", () => {
    const output: TurnEvent = { type: "output.done", kind: "function", callId: "a", output: "blue" };
    const item: TurnEvent = { type: "item.done", id: "item_1", format: "responses", item: {} };
    const transcript = unread([...message("msg_1", "Yes"), ...call("a"), output, item, extra({ a: 1 })]);
    expect(transcript.items).toEqual([]);
    expect(transcript.current).toBeUndefined();
  });

  it("knows which item is open, but nothing of its content", () => {
    const transcript = unread([begin, text("Yes"), refusal("No"), cite("/a")]);
    expect(transcript.open).toMatchObject({ type: "message", id: "msg_1", content: [] });
    transcript.push(end);
    expect(transcript.open).toBeUndefined();
    transcript.push({ type: "reasoning.started", id: "rs_1" });
    transcript.push(thought("Hm."));
    expect(transcript.open).toMatchObject({ type: "reasoning", summary: [] });
  });
});

it("the same text makes the same items, however it is cut into pieces", () => {
  const one = fc.record({ kind: fc.constantFrom("text", "refusal", "thought", "call"), words: anyText() });
  const events = (parts: readonly { kind: string; words: string }[], cut: (words: string) => string[]) =>
    parts.flatMap(({ kind, words }, index): TurnEvent[] => {
      if (kind === "call") {
        const [begun, , done] = call(`call_${index}`, words);
        const pieces = cut(words).map((delta): TurnEvent => ({ type: "call.arguments", delta }));
        return [begun, ...pieces, done].filter((event) => event !== undefined);
      }
      if (kind === "thought") {
        const pieces = cut(words).map((piece) => thought(piece, index));
        return [{ type: "reasoning.started", id: `rs_${index}` }, ...pieces, { type: "reasoning.done" }];
      }
      return [begin, ...cut(words).map((piece) => (kind === "text" ? text(piece) : refusal(piece))), end];
    });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 5 }), anyPieces(), (parts, cut) => {
      expect(itemsOf(events(parts, cut))).toEqual(itemsOf(events(parts, (words) => [words])));
    }),
  );
});
