import { describe, expect, it } from "vitest";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import { chatCodec } from "../../src/wire/chat/index.ts";
import { type ChatStream, checkChatStream } from "../support/chat-stream.ts";
import { type Folded, objectsOf } from "../support/folded.ts";
import { chatStream, chatWhole, hello, rome } from "./checked.ts";
import {
  annotation,
  answerId,
  call,
  callStarted,
  extra,
  failed,
  failure,
  finished,
  framesOf,
  gatewayCall,
  message,
  now,
  opaque,
  reasoning,
  refusal,
  type Scene,
  type Step,
  streamed,
  text,
  usage,
  whole,
} from "./encoders.ts";

/** The deltas of a stream, without those that say nothing but the role. */
function deltas(read: ChatStream): JsonObject[] {
  const choices = read.chunks.flatMap((chunk) => objectsOf(chunk.choices));
  return choices.flatMap(({ delta }) => (isObject(delta) && !("role" in delta) ? [delta] : []));
}

function messageOf(scene: Scene): JsonObject {
  const [choice] = objectsOf(whole(chatCodec, scene).choices);
  return isObject(choice?.message) ? choice.message : {};
}

/** What a client has in the end must be the same, streamed and whole. */
function expectBoth(steps: Step[], wanted: Partial<Folded>, more: Omit<Scene, "steps"> = {}): void {
  expect(chatStream({ steps, ...more })).toMatchObject(wanted);
  expect(chatWhole({ steps, ...more })).toMatchObject(wanted);
}

const citation = { type: "url_citation", url: "https://example.com/", title: "Example", start_index: 0, end_index: 3 };
const romeCall = { id: "call_1", name: "get_weather", arguments: '{"city":"Rome"}', kind: "function" as const };

describe("text on Chat Completions", () => {
  it("comes as deltas behind the role, and is the message's content in one piece", () => {
    expect(deltas(chatStream({ steps: hello }))).toEqual([{ content: "Hel" }, { content: "lo." }, {}]);
    expectBoth(hello, { text: "Hello.", calls: [], finish: "stop" });
  });

  it("of two messages is separated by a blank line", () => {
    expectBoth([...hello, ...message("msg_2", ["Bye."])], { text: "Hello.\n\nBye." });
    expectBoth([...hello, "next round", ...message("msg_2", ["Bye."])], { text: "Hello.\n\nBye." });
  });

  it("goes on without one where the model goes on with the same message", () => {
    expectBoth([...hello, ...rome, ...message("msg_2", [" Bye."], { continues: true })], { text: "Hello. Bye." });
  });

  it("is not separated from a message without text", () => {
    expectBoth([...message("msg_1", []), ...message("msg_2", ["Bye."])], { text: "Bye." });
    expectBoth([...message("msg_1", [refusal("No.")]), ...message("msg_2", ["Bye."])], {
      text: "Bye.",
      refusal: "No.",
    });
  });

  it("has its log probabilities beside the delta, and all of them in one piece", () => {
    const logprobs = ["Hel", "lo."].map((token) => ({ token, logprob: -0.1, bytes: null, top_logprobs: [] }));
    const scene = {
      steps: message(
        "msg_1",
        logprobs.map((each) => text(each.token, [each])),
      ),
    };
    const given = chatStream(scene)
      .chunks.flatMap((chunk) => objectsOf(chunk.choices))
      .flatMap((each) => each.logprobs ?? []);
    expect(given).toEqual(logprobs.map((each) => ({ content: [each], refusal: null })));
    expect(whole(chatCodec, scene)).toMatchObject({ choices: [{ logprobs: { content: logprobs, refusal: null } }] });
  });

  it("has its annotations in the form of this API", () => {
    const { type, ...rest } = citation;
    const steps = message("msg_1", ["See there.", annotation(citation)]);
    expect(deltas(chatStream({ steps }))).toContainEqual({ annotations: [{ type, [type]: rest }] });
    expectBoth(steps, { text: "See there.", annotations: [citation] });
  });

  it("survives whatever characters it has", () => {
    const odd = '\n\ndata: [DONE]\n\n"\\\u2028\r\u0000\ud83d';
    expectBoth(message("msg_1", [odd, "\ude00"]), { text: `${odd}\ude00` });
  });
});

describe("what is no text on Chat Completions", () => {
  it("a refusal has a field of its own, and no content beside it", () => {
    const steps = message("msg_1", [refusal("I can"), refusal("not.")]);
    expectBoth(steps, { refusal: "I cannot.", text: "", finish: "stop" });
    expect(messageOf({ steps })).toMatchObject({ content: null, refusal: "I cannot." });
  });

  it("reasoning is `reasoning_content`, whatever parts it has", () => {
    expectBoth([...reasoning("rs_1", [["Where", "?"], [" There."]], "c2VjcmV0"), ...hello], {
      reasoning: "Where? There.",
      text: "Hello.",
    });
  });

  it("an image of the model stands in `images`, in the provider's own form where it has one", () => {
    const own = { images: [{ type: "image_url", image_url: { url: "https://example.com/1.png" } }] };
    const item = { type: "image_generation_call", result: "aGk=", output_format: "webp" };
    const made = { images: [{ type: "image_url", image_url: { url: "data:image/webp;base64,aGk=" } }] };
    const steps: Step[] = [
      opaque("item_1", item),
      { type: "item.done", id: "item_2", format: "responses", item, extensions: { format: "chat", fields: own } },
    ];
    expect(deltas(chatStream({ steps }, { foreignKeys: ["images"] }))).toEqual([made, own, {}]);
    expect(messageOf({ steps }).images).toEqual([...made.images, ...own.images]);
  });

  it("an item that this API has no place for is left out", () => {
    const steps = [opaque("item_1", { type: "web_search_call" }), ...hello];
    expect(deltas(chatStream({ steps }))).toHaveLength(3);
    expectBoth(steps, { text: "Hello." });
  });

  it("fields that pass through unread stand in a delta, and put together in the message", () => {
    const steps = [extra({ reasoning_details: [1] }), ...hello, extra({ reasoning_details: [2], audio: { id: "a" } })];
    const foreignKeys = ["reasoning_details", "audio"];
    expect(deltas(chatStream({ steps }, { foreignKeys }))).toMatchObject([
      { reasoning_details: [1] },
      {},
      {},
      { reasoning_details: [2], audio: { id: "a" } },
      {},
    ]);
    expect(messageOf({ steps })).toMatchObject({ reasoning_details: [1, 2], audio: { id: "a" }, content: "Hello." });
  });

  it("fields of another API are left out", () => {
    const steps = [...hello, extra({ secret: 1 }, "responses")];
    expect(streamed(chatCodec, { steps })).not.toContain("secret");
    expect(messageOf({ steps })).not.toHaveProperty("secret");
  });
});

describe("calls on Chat Completions", () => {
  it("begin with id, type and name, go on with arguments, and finish with `tool_calls`", () => {
    expect(deltas(chatStream({ steps: rome }))).toEqual([
      { tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "get_weather", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"Rome"}' } }] },
      {},
    ]);
    expectBoth(rome, { calls: [romeCall], text: "", finish: "tool_calls" });
    expect(messageOf({ steps: rome }).content).toBeNull();
  });

  it("have one index each, in the order in which they come, behind text and between", () => {
    const steps = [...hello, ...rome, ...call(2, "get_time", ["{}"]), ...call(3, "get_time", ['{"zone":1}'])];
    expectBoth(steps, {
      text: "Hello.",
      calls: [
        romeCall,
        { id: "call_2", name: "get_time", arguments: "{}", kind: "function" },
        { id: "call_3", name: "get_time", arguments: '{"zone":1}', kind: "function" },
      ],
    });
  });

  it("of a custom tool have an input, and of a search the form of a function", () => {
    const steps = [
      ...call(1, "apply_patch", ["*** Be", "gin"], { kind: "custom" }),
      ...call(2, "tool_search", ['{"query":"mail"}'], { kind: "search" }),
    ];
    expectBoth(steps, {
      calls: [
        { id: "call_1", name: "apply_patch", arguments: "*** Begin", kind: "custom" },
        { id: "call_2", name: "tool_search", arguments: '{"query":"mail"}', kind: "function" },
      ],
      finish: "tool_calls",
    });
  });

  it("that the gateway runs are hidden, take no index and make no finish reason", () => {
    const hidden = gatewayCall(8, "look_up", ['{"secret":1}'], "a secret result");
    expectBoth([...hidden, "next round", ...hello], { calls: [], text: "Hello.", finish: "stop" });
    expectBoth([...hidden, ...rome, "next round", ...call(2, "get_time", ["{}"])], {
      calls: [romeCall, { id: "call_2", name: "get_time", arguments: "{}", kind: "function" }],
    });
    const shown = streamed(chatCodec, { steps: [...rome, ...hidden] });
    expect(shown).not.toMatch(/secret|look_up|call_8/);
    expect(JSON.stringify(messageOf({ steps: [...rome, ...hidden] }))).not.toMatch(/secret|look_up|call_8/);
  });

  it("have the fields of a Chat provider that pass through unread, and no others", () => {
    const fields = { extra_content: { google: { thought_signature: "s" } } };
    const own = call(1, "f", ["{}"], { extensions: { format: "chat", fields } });
    const foreign = call(2, "f", ["{}"], { extensions: { format: "responses", fields } });
    const [first, , second] = deltas(chatStream({ steps: [...own, ...foreign] }));
    expect(first).toMatchObject({ tool_calls: [fields] });
    expect(objectsOf(second?.tool_calls)[0]).not.toHaveProperty("extra_content");
    expect(messageOf({ steps: [...own, ...foreign] }).tool_calls).toEqual([
      { ...fields, id: "call_1", type: "function", function: { name: "f", arguments: "{}" } },
      { id: "call_2", type: "function", function: { name: "f", arguments: "{}" } },
    ]);
  });

  it("are one `function_call` for a client that speaks the legacy form", () => {
    const request = { functions: [{ name: "get_weather", parameters: {} }] };
    const functionCall = { name: "get_weather", arguments: '{"city":"Rome"}' };
    const wanted = { functionCall, calls: [], finish: "function_call" };
    expect(chatStream({ steps: rome, request })).toMatchObject(wanted);
    expect(chatWhole({ steps: rome, request })).toMatchObject(wanted);
    expectBoth(hello, { text: "Hello.", finish: "stop" }, { request });
  });
});

describe("the end of a Chat answer", () => {
  it.each(["length", "content_filter"] as const)("is `%s` where the model was cut", (reason) => {
    expectBoth(
      message("msg_1", ["Hel"], { status: "incomplete" }),
      { text: "Hel", finish: reason },
      { ending: finished(reason) },
    );
  });

  it("does not make a call of one that stops in the middle", () => {
    const steps: Step[] = [...rome, callStarted(2, "get_time"), { type: "call.arguments", delta: '{"zo' }];
    const scene = { steps, ending: finished("length") };
    expect(chatStream(scene)).toMatchObject({ calls: [romeCall], unfinished: [{ id: "call_2" }], finish: "length" });
    expect(chatWhole(scene)).toMatchObject({ calls: [romeCall], finish: "length" });
  });

  it("is never `tool_calls` for a call that was begun and not finished", () => {
    const steps: Step[] = [callStarted(1, "get_time"), { type: "call.arguments", delta: '{"zo' }];
    expect(checkChatStream(streamed(chatCodec, { steps })).finish).toBe("stop");
    expect(chatWhole({ steps })).toMatchObject({ calls: [], finish: "stop" });
  });

  it("is an error chunk without a finish reason where the turn fails in the stream", () => {
    const steps = hello.slice(0, -1);
    const read = chatStream({ steps, ending: failed });
    expect(read).toMatchObject({ text: "Hello.", error: failure.body, finish: null, ended: "failed" });
    expect(chatStream({ steps: [], ending: failed }).error).toEqual(failure.body);
  });

  it("has usage in one piece, and in a stream only where it was asked for", () => {
    const counts = { input: 11, output: 7, total: 18, cached: 3, reasoning: 5 };
    const scene = { steps: hello, ending: finished("stop", { usage }) };
    expect(chatWhole(scene).usage).toEqual(counts);
    expect(chatStream(scene).usage).toBeNull();
    const asked = { ...scene, request: { stream_options: { include_usage: true } } };
    expect(chatStream(asked, { includeUsage: true }).usage).toEqual(counts);
    chatStream({ ...asked, ending: finished() }, { includeUsage: true, usageUnknown: true });
  });

  it("is a whole answer where nothing was said", () => {
    expectBoth([], { text: "", calls: [], finish: "stop" });
  });
});

describe("a Chat stream", () => {
  it("waits with comments, which are no chunks", () => {
    const steps: Step[] = ["keep-alive", ...hello.slice(0, 2), "keep-alive", ...hello.slice(2)];
    expect(chatStream({ steps })).toMatchObject({ comments: 2, text: "Hello." });
    expect(framesOf(chatCodec, { steps })).toEqual(framesOf(chatCodec, { steps: hello }));
  });

  it("has the answer's id, model and time in every chunk, and opens with nothing", () => {
    const { chunks } = chatStream({ steps: hello });
    for (const chunk of chunks) expect(chunk).toMatchObject({ id: answerId, model: "m", created: now - 3 });
    expect(framesOf(chatCodec, { steps: [] })).toHaveLength(2);
  });
});
