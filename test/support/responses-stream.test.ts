import { describe, expect, it } from "vitest";
import { mutateAll } from "./mutate.ts";
import {
  args,
  begin,
  bite,
  both,
  type Case,
  call,
  callOnly,
  citation,
  done,
  ending,
  extendedCall,
  failed,
  failure,
  frames,
  limited,
  message,
  numbered,
  on,
  patch,
  problem,
  response,
  saying,
  sse,
  textOnly,
  thoughtOnly,
  tool,
  twoCalls,
  usage,
  weather,
  withArguments,
} from "./responses-samples.ts";
import { checkResponsesStream } from "./responses-stream.ts";

describe("a good stream", () => {
  it("of text, annotations and a refusal is folded", () => {
    expect(checkResponsesStream(sse(textOnly))).toMatchObject({
      faults: [],
      text: "Good day",
      refusal: "No.",
      annotations: [citation],
      items: [message],
      finish: "completed",
      ended: "completed",
      usage: { input: 11, output: 7, total: 18, cached: 1, reasoning: 2 },
    });
  });

  it("of reasoning is folded", () => {
    expect(checkResponsesStream(sse(thoughtOnly))).toMatchObject({ faults: [], reasoning: "Hm." });
  });

  it("of a function and a custom call is folded", () => {
    expect(checkResponsesStream(sse(twoCalls))).toMatchObject({
      faults: [],
      calls: [
        { id: "call_1", name: "get_weather", arguments: args, kind: "function" },
        { id: "call_2", name: "apply_patch", arguments: "*** End", kind: "custom" },
      ],
    });
  });

  it("may say {} for a call that streamed nothing", () => {
    const silent = { ...weather, arguments: "{}" };
    const stream = mutateAll(
      [...callOnly.slice(0, 3), ...callOnly.slice(5)],
      [[3, "arguments"], "{}"],
      [[4, "item"], silent],
      [[5, "response", "output"], [silent]],
    );
    expect(checkResponsesStream(sse(stream))).toMatchObject({ faults: [], calls: [{ arguments: "{}" }] });
  });

  it("may repeat response.in_progress to keep the client waiting, and comment", () => {
    const stream = callOnly.toSpliced(4, 0, ...begin.slice(1));
    expect(checkResponsesStream(`: hello\n\n${sse(stream)}`)).toMatchObject({ faults: [], comments: 1 });
  });

  it("that failed is folded with the text that was shown", () => {
    expect(checkResponsesStream(sse(failed))).toMatchObject({
      faults: [],
      text: "Good day",
      items: [],
      error: problem,
      ended: "failed",
    });
  });

  it("that was cut by a limit leaves the unfinished call out", () => {
    expect(checkResponsesStream(sse(limited))).toMatchObject({
      faults: [],
      calls: [],
      open: { id: "fc_1" },
      ended: "length",
    });
  });

  it("of the extended profile is folded", () => {
    expect(checkResponsesStream(sse(extendedCall), { profile: "extended" })).toMatchObject({
      faults: [],
      calls: [{ arguments: args }],
    });
  });

  it("may carry an item that it does not know", () => {
    const search = { id: "ws_1", type: "web_search_call", status: "completed" };
    const stream = [
      ...begin,
      { type: "response.output_item.added", output_index: 0, item: { ...search, status: "in_progress" } },
      { type: "response.output_item.done", output_index: 0, item: search },
      ending("completed", [search]),
    ];
    expect(checkResponsesStream(sse(stream)).faults).toEqual([]);
  });

  it("may have arguments that are not JSON where the scene says so", () => {
    expect(checkResponsesStream(sse(withArguments("Rome")), { rawArguments: true }).faults).toEqual([]);
  });
});

describe("every rule of the stream bites", () => {
  bite([
    ['sse: field "id"', `id: 1\n${sse(callOnly)}`],
    ["sse: two event lines in one event", `event: response.created\n${sse(callOnly)}`],
    ["sse: an event without data", `event: ping\n\n${sse(callOnly)}`],
    [
      "event line is response.done, type is response.completed",
      sse(callOnly).replace("event: response.completed", "event: response.done"),
    ],
    ["event line is null, type is response.completed", sse(callOnly).replace("event: response.completed\n", "")],
    ["data is neither a JSON object with a type nor [DONE]", `${sse(callOnly).replace(done, "")}data: {}\n\n${done}`],
    ["[DONE] is not last", `${sse(callOnly)}${frames(begin)}`],
    ["no [DONE]", sse(callOnly).replace(done, "")],
    ["two [DONE]", `${sse(callOnly)}${done}`],
    ["sequence_number is 1, not 0", `${frames(numbered([{}, ...callOnly]).slice(1))}${done}`],
    ["sequence_number is 4, not 3", `${frames(numbered(callOnly.toSpliced(3, 0, {})).toSpliced(3, 1))}${done}`],
    [
      "response.completed: no sequence_number",
      `${frames([...numbered(callOnly).slice(0, -1), ...callOnly.slice(-1)])}${done}`,
    ],
    ["the first event is not response.created", [begin[1] ?? {}, ...callOnly.slice(1)]],
    ["response.created comes again", callOnly.toSpliced(2, 0, ...begin.slice(0, 1))],
    ["the second event is not response.in_progress", callOnly.toSpliced(1, 1)],
    [
      "response.reasoning_text.delta is not an event of the profile",
      thoughtOnly.toSpliced(3, 0, {
        type: "response.reasoning_text.delta",
        item_id: "rs_1",
        output_index: 0,
        content_index: 0,
        delta: "x",
      }),
    ],
    ["response.output_tool_call.begin is not an event of the profile", callOnly.toSpliced(3, 0, extendedCall[3] ?? {})],
    [
      "response.done after the terminal event",
      [...callOnly, { ...ending("completed", [weather]), type: "response.done" }],
    ],
    ["response.completed after the terminal event", [...callOnly, ending("completed", [weather])]],
    ["response.in_progress after the terminal event", [...callOnly, ...begin.slice(1)]],
    ["no terminal event", callOnly.slice(0, -1)],
  ]);
});

describe("every rule of the response object bites", () => {
  // The others are seen by a second rule too.
  const lonely = Object.keys(response).filter((key) => !/^(id|created_at|model|status|usage)$/.test(key));
  bite([
    ...lonely.map((key): Case => [`response.in_progress: response lacks ${key}`, call(1, "response", key)(undefined)]),
    ["response.in_progress: response.temperature is null", call(1, "response", "temperature")(null)],
    ['response.in_progress: response.instructions is ["x"]', call(1, "response", "instructions")(["x"])],
    ["response.in_progress: response.store is null", call(1, "response", "store")(null)],
    [
      'response.in_progress: response.tools is [{"type":"function","name":"x"}]',
      call(1, "response", "tools")([{ type: "function", name: "x" }]),
    ],
    ["response.in_progress: response.text is {}", call(1, "response", "text")({})],
    ["response.in_progress: response.reasoning is {}", call(1, "response", "reasoning")({})],
    ["response.in_progress: no response object", call(1, "response")(undefined)],
    ["response.id changes", call(7, "response", "id")("resp_2")],
    ["response.created_at changes", call(7, "response", "created_at")(1)],
    ["response.model changes", call(7, "response", "model")("other")],
    ["response.created: output is not empty", call(0, "response", "output")([weather])],
    ["response.in_progress: usage before the end", call(1, "response", "usage")(usage)],
    ["response.in_progress: completed_at though status is in_progress", call(1, "response", "completed_at")(1)],
    [
      "response.in_progress: error though status is in_progress",
      call(1, "response", "error")({ code: "x", message: "x" }),
    ],
    [
      "response.in_progress: incomplete_details though status is in_progress",
      call(1, "response", "incomplete_details")({ reason: "x" }),
    ],
    ["response.completed: completed without completed_at", call(7, "response", "completed_at")(null)],
    [
      "response.incomplete: incomplete without incomplete_details",
      on(limited)(limited.length - 1, "response", "incomplete_details")(null),
    ],
    ["response.in_progress: status is queued", call(1, "response", "status")("queued")],
    ["usage lacks one of the three totals", call(7, "response", "usage", "total_tokens")(undefined)],
    [
      "usage lacks input_tokens_details.cached_tokens",
      call(7, "response", "usage", "input_tokens_details", "cached_tokens")(undefined),
    ],
    [
      "usage lacks input_tokens_details.cache_write_tokens",
      call(7, "response", "usage", "input_tokens_details", "cache_write_tokens")(undefined),
    ],
    ["usage lacks output_tokens_details.reasoning_tokens", call(7, "response", "usage", "output_tokens_details")({})],
  ]);
});

describe("every rule of endings bites", () => {
  const end = failed.length - 1;
  bite([
    ["the terminal output is not the items that were done", call(7, "response", "output")([])],
    ["the terminal output is not the items that were done", both(11, "response", "output")([patch, weather])],
    ["the terminal output is not the items that were done", call(7, "response", "output", 0, "arguments")("{}")],
    [
      "a call that is not done in the terminal output",
      on(limited)(limited.length - 1, "response", "output")([message, weather]),
    ],
    [
      "response.incomplete though a message is not done",
      [...begin, ...saying.slice(0, 5), ending("incomplete", [], { incomplete_details: { reason: "content_filter" } })],
    ],
    [
      "the terminal output has an item that the stream does not have",
      on(failed)(end, "response", "output")([{ ...message, id: "msg_2" }]),
    ],
    ["response.failed without an error event", failed.toSpliced(end - 1, 1)],
    ["the error is not followed by response.failed", failed.toSpliced(end, 0, ...begin.slice(1), failure[0] ?? {})],
    ["the error event lacks message at the top level", on(failed)(end - 1, "message")(undefined)],
    ["the error event lacks code at the top level", on(failed)(end - 1, "code")(undefined)],
    ["the error event's error is not an object", on(failed)(end - 1, "error")(undefined)],
    ["the error event's error lacks param", on(failed)(end - 1, "error", "param")(undefined)],
    ["the error event says one thing at the top and another inside", on(failed)(end - 1, "code")("other")],
    [
      "response.failed has another message than the error event",
      on(failed)(end, "response", "error", "message")("Other."),
    ],
    [
      ["response.failed: failed without error", "response.failed has another message than the error event"],
      on(failed)(end, "response", "error")(null),
    ],
  ]);
});

describe("every rule of the extended profile bites", () => {
  const cases: Case[] = [
    [
      "output_item.done: no output_tool_call begin and end",
      extendedCall.filter((event) => !String(event.type).includes("output_tool_call")),
    ],
    [
      "output_item.done: no output_tool_call begin and end",
      extendedCall.filter((event) => event.type !== "response.output_tool_call.end"),
    ],
    [
      "response.output_tool_call.begin: not right after output_item.added",
      extendedCall.toSpliced(3, 0, ...begin.slice(1)),
    ],
    ["response.output_tool_call.begin: call_id or name is not the call's", on(extendedCall)(3, "call_id")("call_2")],
    [
      "response.output_tool_call.end: arguments or name are not what was streamed",
      on(extendedCall)(9, "arguments")("{}"),
    ],
    [
      "response.output_tool_call.delta: the call was already ended",
      extendedCall.toSpliced(10, 0, { type: "response.output_tool_call.delta", ...tool, delta: "" }),
    ],
    [
      [
        "response.output_tool_call.delta: the call was not begun",
        "response.output_tool_call.end: the call was not begun",
        "output_item.done: no output_tool_call begin and end",
      ],
      extendedCall.toSpliced(3, 1),
    ],
    [
      "output_item.done: output_tool_call.delta differs from the arguments",
      mutateAll(extendedCall, [[7, "delta"], '"Oslo"}'], [[9, "arguments"], '{"city":"Oslo"}']),
    ],
    [
      ["response.done before the terminal event", "not exactly one response.done"],
      extendedCall.toSpliced(11, 0, ...extendedCall.slice(-1)),
    ],
    ["not exactly one response.done", extendedCall.slice(0, -1)],
    ["response.done has another response than the terminal event", on(extendedCall)(12, "response", "output")([])],
  ];
  bite(cases.map(([fault, stream]): Case => [fault, stream, { profile: "extended" }]));
});
