import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallItem, Item, JsonObject, MessageItem, OutputItem, ReasoningItem } from "../../src/turn/index.ts";
import { decodeChatRequest } from "../../src/wire/chat/decode.ts";
import { writeMessages } from "../../src/wire/chat/messages.ts";
import { noLimits } from "../support/limits.ts";

/** What a chat provider gets of a chat client's messages. */
function passedOn(messages: JsonObject[]): JsonObject[] {
  return writeMessages(decodeChatRequest({ model: "m", messages }, noLimits).turn);
}

/** The results whose calls are not in the request. */
function unmatched(messages: JsonObject[]) {
  return decodeChatRequest({ model: "m", messages }, noLimits).unmatched?.map(({ error }) => error.body.param);
}

/** What a chat provider gets of a Responses client's items. */
function written(...input: Item[]): JsonObject[] {
  return writeMessages({
    api: "responses",
    model: "m",
    stream: false,
    input,
    tools: [],
    choice: { mode: "auto" },
    settings: {},
    parameters: {},
  });
}

const call = (callId: string): CallItem => ({ type: "call", kind: "function", callId, name: "f", arguments: "{}" });
const output = (callId: string, result: OutputItem["output"] = `result ${callId}`): OutputItem => ({
  type: "output",
  kind: "function",
  callId,
  output: result,
});
const thought = (text: string): ReasoningItem => ({ type: "reasoning", summary: [text] });
const said = (role: MessageItem["role"], text: string): MessageItem => ({
  type: "message",
  role,
  content: [{ type: "text", text }],
});

const called = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const calls = (...ids: string[]) => ({ role: "assistant", content: null, tool_calls: ids.map(called) });
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: `result ${id}` });
const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

describe("what an assistant did before its tools answered", () => {
  it("is one message, though it thought between its calls", () => {
    expect(written(thought("one"), call("a"), thought("two"), call("b"), output("a"), output("b"))).toEqual([
      { ...calls("a", "b"), reasoning_content: "one\n\ntwo" },
      result("a"),
      result("b"),
    ]);
  });

  it("is one message, though it spoke between and after its calls", () => {
    const items = [said("assistant", "First."), call("a"), said("assistant", "Then."), call("b")];
    expect(written(...items, said("assistant", "So."), output("a"), output("b"))).toEqual([
      { ...calls("a", "b"), content: "First.\n\nThen.\n\nSo." },
      result("a"),
      result("b"),
    ]);
  });

  it("keeps text and images together", () => {
    const image: MessageItem = {
      type: "message",
      role: "assistant",
      content: [{ type: "image", url: "https://example.com/a.png" }],
    };
    expect(written(said("assistant", "See."), call("a"), image, said("assistant", "So."), output("a"))[0]).toEqual({
      ...calls("a"),
      content: [
        { type: "text", text: "See." },
        { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        { type: "text", text: "So." },
      ],
    });
  });

  it("ends where the first output comes; a call made while others run is a message of its own", () => {
    expect(written(call("a"), call("b"), output("a"), call("c"), output("b"), output("c"))).toEqual([
      calls("a", "b"),
      result("a"),
      result("b"),
      calls("c"),
      result("c"),
    ]);
    expect(written(call("a"), call("b"), output("a"), call("c"), output("c"), output("b"))).toEqual([
      calls("a", "b"),
      result("a"),
      result("b"),
      calls("c"),
      result("c"),
    ]);
  });

  it("is not parted by an output that belongs further up", () => {
    const items = [call("a"), call("b"), output("a"), thought("hm"), output("b"), call("c"), output("c")];
    expect(written(...items)).toEqual([
      calls("a", "b"),
      result("a"),
      result("b"),
      { ...calls("c"), reasoning_content: "hm" },
      result("c"),
    ]);
  });

  it("is two messages where no call holds it together", () => {
    expect(written(said("assistant", "One."), said("assistant", "Two."))).toEqual([
      assistant("One."),
      assistant("Two."),
    ]);
    expect(passedOn([user("q"), assistant(""), assistant("")])).toEqual([user("q"), assistant(""), assistant("")]);
  });
});

describe("outputs", () => {
  it("follow their calls at once: a message that came between waits", () => {
    expect(written(call("a"), said("user", "Hurry!"), output("a"), said("assistant", "Here."))).toEqual([
      calls("a"),
      result("a"),
      user("Hurry!"),
      assistant("Here."),
    ]);
    expect(passedOn([user("q"), calls("a", "b"), result("b"), user("Hurry!"), result("a")])).toEqual([
      user("q"),
      calls("a", "b"),
      result("b"),
      result("a"),
      user("Hurry!"),
    ]);
  });

  it("keep what a user said between two calls between them", () => {
    expect(written(call("a"), said("user", "And b?"), call("b"), output("a"), output("b"))).toEqual([
      calls("a"),
      result("a"),
      user("And b?"),
      calls("b"),
      result("b"),
    ]);
  });

  it("that never come hold nothing up", () => {
    expect(written(call("a"), said("user", "Stop."), said("assistant", "Stopped."))).toEqual([
      calls("a"),
      user("Stop."),
      assistant("Stopped."),
    ]);
    expect(written(call("a"), thought("hm"), call("b"), output("b"))).toEqual([
      calls("a"),
      { ...calls("b"), reasoning_content: "hm" },
      result("b"),
    ]);
  });

  it("belong to the calls of their own turn where an id comes again", () => {
    const turn = [call("a"), output("a"), said("user", "Again.")];
    const messages = [calls("a"), result("a"), user("Again.")];
    expect(written(...turn, ...turn)).toEqual([...messages, ...messages]);
    expect(written(call("a"), said("user", "Again."), call("a"), output("a"))).toEqual([
      calls("a"),
      user("Again."),
      calls("a"),
      result("a"),
    ]);
  });

  it("are carried though no call is known, or though there are two for one", () => {
    expect(written(output("x"), call("a"), output("y"), output("a"), output("a"))).toEqual([
      result("x"),
      calls("a"),
      result("a"),
      result("y"),
      result("a"),
    ]);
  });

  it("have their images after all of them, and before what was said meanwhile", () => {
    const url = "https://example.com/a.png";
    const [, , , images, ...rest] = written(
      call("a"),
      call("b"),
      output("a", [{ type: "image", url }]),
      said("user", "Well?"),
      output("b"),
    );
    expect(images).toEqual({
      role: "user",
      content: [
        { type: "text", text: "Attached by the tool call a:" },
        { type: "image_url", image_url: { url } },
      ],
    });
    expect(rest).toEqual([user("Well?")]);
  });
});

describe("any conversation in which each call is answered once, later", () => {
  type Step = { does: "user" | "text" | "reasoning" | "call" } | { does: "output"; which: number };
  const steps = fc.array(
    fc.oneof(
      fc.record({ does: fc.constantFrom("user" as const, "text" as const, "reasoning" as const) }),
      fc.record({ does: fc.constant("call" as const) }),
      fc.record({ does: fc.constant("output" as const), which: fc.nat() }),
    ),
    { maxLength: 40 },
  );

  /** Ids are few, so that they come again once they are answered. */
  function played(story: Step[]): Item[] {
    const items: Item[] = [];
    const open: string[] = [];
    const answer = (which: number) => {
      const [id] = open.splice(which % open.length, 1);
      if (id !== undefined) items.push(output(id, String(items.length)));
    };
    for (const step of story) {
      if (step.does === "output") answer(step.which);
      else if (step.does === "call") {
        const id = ["a", "b", "c", "d"].find((free) => !open.includes(free)) ?? `call_${items.length}`;
        open.push(id);
        items.push(call(id));
      } else if (step.does === "reasoning") items.push(thought(String(items.length)));
      else items.push(said(step.does === "user" ? "user" : "assistant", String(items.length)));
    }
    while (open.length > 0) answer(0);
    return items;
  }

  const idsOf = (message: JsonObject | undefined) =>
    ((message?.tool_calls ?? []) as JsonObject[]).map(({ id }) => String(id));
  const words = (messages: JsonObject[], role: string, key = "content") =>
    messages
      .filter((message) => message.role === role && message[key])
      .flatMap((message) => String(message[key]).split("\n\n"));

  it("has the tool messages of an assistant's calls, and no others, right after it", () => {
    fc.assert(
      fc.property(steps, (story) => {
        const messages = written(...played(story));
        let at = 0;
        while (at < messages.length) {
          const ids = idsOf(messages[at++]);
          const answers = messages.slice(at, at + ids.length);
          expect(answers.map(({ role }) => role)).toEqual(ids.map(() => "tool"));
          expect(answers.map((message) => message.tool_call_id).sort()).toEqual(ids.sort());
          at += ids.length;
          expect(messages[at]?.role).not.toBe("tool");
        }
      }),
    );
  });

  it("loses nothing, and what each one said stays in order", () => {
    fc.assert(
      fc.property(steps, (story) => {
        const items = played(story);
        const messages = written(...items);
        const texts = (role: string) =>
          items.flatMap((item) =>
            item.type === "message" && item.role === role && item.content[0]?.type === "text"
              ? [item.content[0].text]
              : [],
          );
        expect(words(messages, "user")).toEqual(texts("user"));
        expect(words(messages, "assistant")).toEqual(texts("assistant"));
        const thoughts = items.flatMap((item) => (item.type === "reasoning" ? item.summary : []));
        expect(words(messages, "assistant", "reasoning_content")).toEqual(thoughts);
        const made = items.flatMap((item) => (item.type === "call" ? [item.callId] : []));
        expect(messages.flatMap(idsOf)).toEqual(made);
        const results = items.flatMap((item) => (item.type === "output" ? [String(item.output)] : []));
        expect(words(messages, "tool").sort()).toEqual(results.sort());
      }),
    );
  });
});

describe("what a chat client echoes and Toolwire does not know", () => {
  const signature = { google: { thought_signature: "CvcQAdHtim9" } };
  const details = [{ type: "reasoning.encrypted", data: "gAAA", id: "rs_1" }];

  it("comes back on a call, without the index of the stream", () => {
    const signed = { ...called("a"), extra_content: signature };
    const custom = { id: "b", type: "custom", custom: { name: "patch", input: "x" }, extra_content: signature };
    const message = { role: "assistant", content: null, tool_calls: [signed, custom] };
    const streamed = { ...message, tool_calls: message.tool_calls.map((made, index) => ({ ...made, index })) };
    expect(passedOn([user("q"), streamed, result("a"), result("b")])[1]).toEqual(message);
  });

  it("comes back on a message that only calls", () => {
    const message = { ...calls("a"), reasoning_content: "hm", reasoning_details: details };
    expect(passedOn([user("q"), message, result("a")])).toEqual([user("q"), message, result("a")]);
    const legacy = { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } };
    expect(
      passedOn([
        { ...legacy, reasoning_details: details },
        { role: "function", name: "f", content: "r" },
      ])[0],
    ).toMatchObject({ content: null, reasoning_details: details, tool_calls: [{ function: { name: "f" } }] });
  });

  it("comes back on each of two messages", () => {
    const first = { ...calls("a"), reasoning_details: details };
    const second = { ...calls("b"), reasoning_details: [] };
    const messages = [first, result("a"), second, result("b")];
    expect(passedOn(messages)).toEqual(messages);
  });

  it("comes back on parts, which stay a list for it", () => {
    const cache = { cache_control: { type: "ephemeral" } };
    const content = [
      { type: "text", text: "Long.", ...cache },
      { type: "text", text: "Short." },
      { type: "image_url", image_url: { url: "https://example.com/a.png" }, ...cache },
      { type: "file", file: { file_id: "file_1" }, ...cache },
    ];
    const text = content.slice(0, 2);
    const messages = [
      { role: "system", content: text },
      { role: "user", content },
      { ...calls("a"), content: text },
      { role: "tool", tool_call_id: "a", content: text },
      { role: "assistant", content: text },
    ];
    expect(passedOn(messages)).toEqual(messages);
  });

  it("is nothing where it is null, so that plain text stays a string", () => {
    const part = { type: "text", text: "Hi.", cache_control: null };
    expect(passedOn([{ role: "user", content: [part, part] }])).toEqual([user("Hi.Hi.")]);
    const [, call] = passedOn([user("q"), { ...calls("a"), audio: null, refusal: null, annotations: [] }, result("a")]);
    expect(call).toEqual(calls("a"));
  });

  it("does not reach a chat provider from a Responses client", () => {
    const extensions = { format: "responses" as const, fields: { namespace: "n", status: "completed" } };
    const parts: MessageItem = {
      type: "message",
      role: "user",
      content: [{ type: "text", text: "q", extensions }],
      extensions,
    };
    expect(written(parts, { ...call("a"), extensions }, { ...output("a"), extensions })).toEqual([
      user("q"),
      calls("a"),
      result("a"),
    ]);
  });
});

describe("an assistant's message without words", () => {
  it("has an empty text, as it came, unless it has calls or a refusal", () => {
    const refused = { role: "assistant", content: null, refusal: "No." };
    const messages = [user("q"), assistant(""), user("?"), refused, user("!"), calls("a"), result("a")];
    expect(passedOn(messages)).toEqual(messages);
    expect(passedOn([{ role: "assistant", content: null }])).toEqual([assistant("")]);
  });

  it("has an empty text where only its reasoning is known", () => {
    expect(written(thought("hm"), said("user", "q"))).toEqual([
      { ...assistant(""), reasoning_content: "hm" },
      user("q"),
    ]);
  });
});

describe("legacy functions", () => {
  const functions = [{ name: "f", parameters: { type: "object" } }];
  const asked = (name: string) => ({ role: "assistant", content: null, function_call: { name, arguments: "{}" } });
  const answered = (name: string, content: string) => ({ role: "function", name, content });
  const answers = (messages: JsonObject[]) => {
    const ids = messages.flatMap((message) => ((message.tool_calls ?? []) as JsonObject[]).map(({ id }) => id));
    const tools = messages.filter(({ role }) => role === "tool");
    return tools.map(({ content, tool_call_id }) => [content, ids.indexOf(String(tool_call_id))]);
  };

  it.each([{ tools: [] }, { tools: null }, {}])("are offered beside %j", (more) => {
    const request = decodeChatRequest({ model: "m", messages: [user("q")], functions, ...more }, noLimits);
    expect(request).toMatchObject({ legacy: true, turn: { tools: [{ type: "function", name: "f" }] } });
  });

  it("give way to tools", () => {
    const tools = [{ type: "function", function: { name: "g" } }];
    const request = decodeChatRequest({ model: "m", messages: [user("q")], functions, tools }, noLimits);
    expect(request).toMatchObject({ legacy: false, turn: { tools: [{ name: "g" }] } });
  });

  it("have their results by name: each goes to the last call that has none", () => {
    const messages = [asked("f"), answered("f", "0"), asked("g"), asked("f"), answered("f", "2"), answered("g", "1")];
    expect(answers(passedOn(messages)).sort()).toEqual([
      ["0", 0],
      ["1", 1],
      ["2", 2],
    ]);
  });

  it("are answered beside calls with ids, of which one may come again", () => {
    const messages = [calls("a"), result("a"), calls("a"), answered("f", "second")];
    const [, , , last] = passedOn(messages);
    expect(last).toEqual({ role: "tool", tool_call_id: "a", content: "second" });
    expect(unmatched([...messages, answered("f", "third")])).toEqual(["messages[4].name"]);
  });

  it("name a result that no message of the request asked for", () => {
    expect(unmatched([asked("f"), answered("f", "r"), answered("f", "r")])).toEqual(["messages[2].name"]);
    expect(unmatched([asked("f"), answered("toString", "r")])).toEqual(["messages[1].name"]);
  });
});

describe("a long history", () => {
  const many = Array.from({ length: 20_000 }, (_, index) => index);

  it("of legacy calls is read, answered one by one or all at the end", () => {
    const ask = { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } };
    const answer = { role: "function", name: "f", content: "r" };
    expect(passedOn(many.flatMap(() => [ask, answer]))).toHaveLength(40_000);
    expect(passedOn([...many.map(() => ask), ...many.map(() => answer)])).toHaveLength(20_001);
  });

  it("of calls is written, whatever comes between them and their outputs", () => {
    const items = many.flatMap((index) => [call(`c${index}`), said("user", "Go on.")]);
    const outputs = many.map((index) => output(`c${index}`)).reverse();
    expect(written(...items, ...outputs)).toHaveLength(60_000);
    const held = many.flatMap((index) => [call(`c${index}`), thought("hm"), said("assistant", "Go on.")]);
    expect(written(...held, ...outputs)).toHaveLength(20_001);
    const same = many.flatMap(() => [call("c"), output("c")]);
    expect(written(...same)).toHaveLength(40_000);
  });
});
