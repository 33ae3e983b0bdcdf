import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { type ChatStreamOptions, checkChatStream } from "./chat-stream.ts";
import { mutate, type Path } from "./mutate.ts";

type Frame = JsonObject | "[DONE]";

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1700000000, model: "m" };

function chunk(delta: JsonObject, finish_reason: string | null = null, more: JsonObject = {}): JsonObject {
  return { ...head, choices: [{ index: 0, delta, finish_reason }], ...more };
}

function call(fields: JsonObject): JsonObject {
  return chunk({ tool_calls: [fields] });
}

const text: Frame[] = [
  chunk({ role: "assistant", content: "" }),
  chunk({ reasoning_content: "Hm. " }),
  chunk({ content: "Good " }),
  chunk({ content: "day 😀" }),
  chunk({ annotations: [{ type: "url_citation", url_citation: { url: "https://a.example", title: "A" } }] }),
  chunk({}, "stop"),
  "[DONE]",
];

const calls: Frame[] = [
  chunk({ role: "assistant", content: null }),
  call({ index: 0, id: "call_a", type: "function", function: { name: "get_weather", arguments: "" } }),
  call({ index: 0, function: { arguments: '{"city":' } }),
  call({ index: 0, function: { arguments: '"Rome"}' } }),
  call({ index: 1, id: "call_b", type: "custom", custom: { name: "apply_patch", input: "*** " } }),
  call({ index: 1, custom: { input: "End" } }),
  chunk({}, "tool_calls"),
  "[DONE]",
];

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const counted: Frame[] = [
  chunk({ role: "assistant", content: "Hi" }, null, { usage: null }),
  chunk({}, "stop", { usage: null }),
  { ...head, choices: [], usage },
  "[DONE]",
];

const legacy: Frame[] = [
  chunk({ role: "assistant", content: null }),
  chunk({ function_call: { name: "get_weather", arguments: "" } }),
  chunk({ function_call: { arguments: "{}" } }),
  chunk({}, "function_call"),
  "[DONE]",
];

const error = { message: "The provider broke off.", type: "server_error", param: null, code: "upstream_cut" };
const failed: Frame[] = [chunk({ role: "assistant", content: "Half" }), { error }, "[DONE]"];

function sse(frames: readonly Frame[]): string {
  return frames.map((frame) => `data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`).join("");
}

describe("a good stream", () => {
  it("of text, reasoning and annotations is folded", () => {
    expect(checkChatStream(`: keep-alive\n\n${sse(text)}`)).toMatchObject({
      faults: [],
      text: "Good day 😀",
      reasoning: "Hm. ",
      annotations: [{ type: "url_citation", url: "https://a.example", title: "A" }],
      calls: [],
      finish: "stop",
      ended: "completed",
      comments: 1,
    });
  });

  it("of calls is folded", () => {
    expect(checkChatStream(sse(calls))).toMatchObject({
      faults: [],
      calls: [
        { id: "call_a", name: "get_weather", arguments: '{"city":"Rome"}', kind: "function" },
        { id: "call_b", name: "apply_patch", arguments: "*** End", kind: "custom" },
      ],
      finish: "tool_calls",
    });
  });

  it("with usage is folded", () => {
    expect(checkChatStream(sse(counted), { includeUsage: true })).toMatchObject({
      faults: [],
      usage: { input: 11, output: 7, total: 18, cached: 0, reasoning: 0 },
    });
  });

  it("with a refusal is folded", () => {
    const frames = [chunk({ role: "assistant", refusal: "No" }), chunk({ refusal: "." }), chunk({}, "stop")];
    expect(checkChatStream(sse([...frames, "[DONE]"]))).toMatchObject({ faults: [], refusal: "No." });
  });

  it("with a legacy function_call is folded", () => {
    expect(checkChatStream(sse(legacy))).toMatchObject({
      faults: [],
      functionCall: { name: "get_weather", arguments: "{}" },
      calls: [],
      ended: "completed",
    });
  });

  it("that failed is folded", () => {
    expect(checkChatStream(sse(failed))).toMatchObject({
      faults: [],
      text: "Half",
      error,
      finish: null,
      ended: "failed",
    });
  });

  it("that was cut by a limit has the calls that are whole, and no other", () => {
    const stream = checkChatStream(sse([...calls.slice(0, 3), chunk({}, "length"), "[DONE]"]));
    expect(stream).toMatchObject({ faults: [], calls: [], ended: "length" });
    expect(stream.unfinished).toMatchObject([{ id: "call_a", arguments: '{"city":' }]);
    const later = checkChatStream(sse([...calls.slice(0, 5), chunk({}, "length"), "[DONE]"]));
    expect(later).toMatchObject({ faults: [], calls: [{ id: "call_a" }], unfinished: [{ id: "call_b" }] });
  });

  it("may have arguments that are not JSON where the scene says so", () => {
    const frames = inCall("function", "arguments")(calls, 3, "Rome");
    expect(checkChatStream(sse(frames), { rawArguments: true }).faults).toEqual([]);
  });
});

const inChunk = (key: string) => (frames: Frame[], at: number, value: unknown) => mutate(frames, [at, key], value);
const inError = (key: string) => (value: unknown) => mutate(failed, [1, "error", key], value);
const inChoice = (key: string) => (frames: Frame[], at: number, value: unknown) =>
  mutate(frames, [at, "choices", 0, key], value);
const inDelta =
  (...keys: Path) =>
  (frames: Frame[], at: number, value: unknown) =>
    mutate(frames, [at, "choices", 0, "delta", ...keys], value);
const inCall = (...keys: string[]) => inDelta("tool_calls", 0, ...keys);

function insert(frames: readonly Frame[], at: number, ...more: Frame[]): Frame[] {
  return frames.toSpliced(at, 0, ...more);
}

const withUsage: ChatStreamOptions = { includeUsage: true };

describe("every rule bites", () => {
  const cases: [fault: string, stream: Frame[] | string, options?: ChatStreamOptions][] = [
    ['sse: field "id"', `id: 1\n${sse(text)}`],
    ['sse: field "retry"', `retry: 10\n\n${sse(text)}`],
    ['sse: field "junk"', `${sse(text)}junk\n\n`],
    ["sse: two data lines in one event", sse(text).replace(',"choices"', ',\ndata: "choices"')],
    ["sse: no blank line at the end", sse(text).slice(0, -1)],
    ["an event line in a Chat stream", `event: chunk\n${sse(text)}`],
    ["data is neither a JSON object nor [DONE]", `${sse(text.slice(0, 2))}data: {"id":\n\n${sse(text.slice(2))}`],
    ["data is neither a JSON object nor [DONE]", `data: []\n\n${sse(text)}`],
    ["[DONE] is not last", [...text, chunk({})]],
    ["no [DONE]", text.slice(0, -1)],
    ["two [DONE]", [...text, "[DONE]"]],

    ["the first delta has no role assistant", inDelta("role")(text, 0, undefined)],
    ["the first delta has no role assistant", inDelta("role")(text, 0, "")],
    ["role is sent again", inDelta("role")(text, 3, "assistant")],
    ["object is not chat.completion.chunk", inChunk("object")(text, 2, "chat.completion")],
    ["a chunk without id", inChunk("id")(text, 2, undefined)],
    ["id changes", inChunk("id")(text, 2, "chatcmpl-2")],
    ["a chunk without model", inChunk("model")(text, 2, "")],
    ["model changes", inChunk("model")(text, 2, "other")],
    ["a chunk without created", inChunk("created")(text, 2, 1.5)],
    ["created changes", inChunk("created")(text, 2, 1700000001)],
    ["choices is not a list", inChunk("choices")(text, 2, undefined)],
    [
      "more than one choice",
      inChunk("choices")(
        text,
        2,
        [1, 2].map(() => ({ index: 0, delta: { content: "x" }, finish_reason: null })),
      ),
    ],
    ["choice index is not 0", inChoice("index")(text, 2, 1)],
    ["a choice without delta", inChoice("delta")(text, 2, undefined)],
    ["a choice without the finish_reason key", inChoice("finish_reason")(text, 2, undefined)],
    ["finish_reason has an unknown value", inChoice("finish_reason")(text, 5, "done")],
    ["delta.content is not a string", inDelta("content")(text, 2, ["Good "])],
    ["delta.refusal is not a string", inDelta("refusal")(text, 2, 1)],
    ["delta.contents is unknown", inDelta("contents")(text, 2, "x")],
    ["reasoning and reasoning_content differ", inDelta("reasoning")(text, 1, "Ho.")],
    [
      "delta.annotations are not of Chat's form",
      inDelta("annotations")(text, 4, [{ type: "url_citation", url: "https://a.example" }]),
    ],
    ["delta.annotations are not of Chat's form", inDelta("annotations")(text, 4, [])],

    ["neither a finish_reason nor an error", text.toSpliced(5, 1)],
    ["a choice after the finish_reason", insert(text, 6, chunk({ content: "!" }))],
    ["a choice after the finish_reason", insert(text, 6, chunk({}, "stop"))],
    ["finish_reason tool_calls without a call", inChoice("finish_reason")(text, 5, "tool_calls")],
    ["finish_reason function_call without one", inChoice("finish_reason")(text, 5, "function_call")],
    ["finish_reason stop though there is a call", inChoice("finish_reason")(calls, 6, "stop")],
    ["finish_reason stop though there is a call", inChoice("finish_reason")(legacy, 3, "stop")],

    ["delta.tool_calls is not a list with calls", inDelta("tool_calls")(text, 2, [])],
    ["a tool call without an integer index", inCall("index")(calls, 5, undefined)],
    ["a tool call without an integer index", inCall("index")(calls, 5, "1")],
    ["the index of a call is skipped", inCall("index")(calls.toSpliced(5, 1), 4, 2)],
    ["a call's first delta has no fit id", inCall("id")(calls, 1, undefined)],
    ["a call's first delta has no fit id", inCall("id")(calls, 1, "call/a")],
    ["a call's first delta has no type", inCall("type")(calls, 1, undefined)],
    ["a call's first delta has no name", inCall("function", "name")(calls, 1, "")],
    ["two calls have one id", inCall("id")(calls, 4, "call_a")],
    ["a call's id is sent again", inCall("id")(calls, 2, "call_a")],
    ["a call's type is sent again", inCall("type")(calls, 2, "function")],
    ["a call's name is sent again", inCall("function", "name")(calls, 2, "get_weather")],
    ["deltas of two calls are mixed", insert(calls, 5, call({ index: 0, function: { arguments: " " } }))],
    [
      "arguments are not a string",
      inCall("function", "arguments")(insert(calls, 2, call({ index: 0, function: {} })), 2, { a: 1 }),
    ],
    ["arguments are not a string", inCall("function", "arguments")(calls, 1, undefined)],
    ["a call whose arguments are not whole JSON", calls.toSpliced(3, 1)],
    ["a call whose arguments are not whole JSON", calls.toSpliced(2, 2)],

    ["delta.function_call is not an object", inDelta("function_call")(text, 2, "get_weather")],
    ["function_call's first delta has no name", inDelta("function_call", "name")(legacy, 1, undefined)],
    ["function_call's name is sent again", inDelta("function_call", "name")(legacy, 2, "get_weather")],
    ["arguments are not a string", inDelta("function_call", "arguments")(legacy, 1, null)],
    ["a call whose arguments are not whole JSON", inDelta("function_call", "arguments")(legacy, 2, "{")],
    ["tool_calls beside function_call", insert(calls, 6, chunk({ function_call: { name: "x", arguments: "{}" } }))],

    ["a chunk without choices that nobody asked for", insert(text, 6, { ...head, choices: [], usage })],
    ["a chunk without choices that nobody asked for", insert(text, 2, { ...head, choices: [] })],
    ["usage that nobody asked for", inChunk("usage")(text, 5, usage)],
    ["no usage key though include_usage was asked", inChunk("usage")(counted, 1, undefined), withUsage],
    ["usage on a chunk with choices", inChunk("usage")(counted, 1, usage), withUsage],
    ["no usage chunk", counted.toSpliced(2, 1), withUsage],
    ["two usage chunks", insert(counted, 2, { ...head, choices: [], usage }), withUsage],
    [
      "the usage chunk comes before the finish_reason",
      insert(counted.toSpliced(2, 1), 1, { ...head, choices: [], usage }),
      withUsage,
    ],
    ["usage is not an object", inChunk("usage")(counted, 2, null), withUsage],
    ["usage lacks one of the three totals", mutate(counted, [2, "usage", "total_tokens"], undefined), withUsage],

    ["the error chunk lacks param", inError("param")(undefined)],
    ["the error chunk: message and type must be strings with something in them", inError("message")("")],
    ["the error chunk: param and code must be strings or null", inError("code")(502)],
    ["the error chunk is not an object", inChunk("error")(failed, 1, "broken")],
    ["the error chunk shows a stack trace", inError("message")("x\n    at run (/src/a.ts:1:2)")],
    ["an error chunk with choices", inChunk("choices")(failed, 1, chunk({}).choices)],
    ["a chunk after the error", insert(failed, 2, chunk({ content: "!" }))],
    ["a finish_reason beside an error", insert(failed, 1, chunk({}, "stop"))],
  ];
  it.each(cases)("%s", (fault, stream, options) => {
    expect(checkChatStream(typeof stream === "string" ? stream : sse(stream), options).faults).toEqual([fault]);
  });
});
