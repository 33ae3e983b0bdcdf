import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { mutate, type Path } from "./mutate.ts";
import { ending, message, thought, weather } from "./responses-samples.ts";
import { checkChatWhole, checkErrorWhole, checkResponsesWhole } from "./whole.ts";

const chat: JsonObject = {
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1700000000, model: "m" },
  choices: [
    {
      index: 0,
      message: {
        ...{ role: "assistant", content: "Let me see.", refusal: null, reasoning_content: "Hm." },
        annotations: [{ type: "url_citation", url_citation: { url: "https://a.example" } }],
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } },
          { id: "call_2", type: "custom", custom: { name: "apply_patch", input: "*** End" } },
        ],
      },
      logprobs: null,
      finish_reason: "tool_calls",
    },
  ],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18, prompt_tokens_details: { cached_tokens: 3 } },
};
const choice: Path = ["choices", 0];
const inMessage: Path = [...choice, "message"];
const firstCall: Path = [...inMessage, "tool_calls", 0];

describe("a whole Chat answer", () => {
  it("is folded as a stream is", () => {
    expect(checkChatWhole(chat)).toMatchObject({
      faults: [],
      text: "Let me see.",
      reasoning: "Hm.",
      annotations: [{ type: "url_citation", url: "https://a.example" }],
      calls: [
        { id: "call_1", name: "get_weather", arguments: "{}", kind: "function" },
        { id: "call_2", name: "apply_patch", arguments: "*** End", kind: "custom" },
      ],
      finish: "tool_calls",
      ended: "completed",
      usage: { input: 11, output: 7, total: 18, cached: 3, reasoning: 0 },
    });
  });

  it("may keep the calls that are whole at a limit", () => {
    const limited = mutate(chat, [...choice, "finish_reason"], "length");
    expect(checkChatWhole(limited)).toMatchObject({ faults: [], ended: "length", calls: [{}, {}] });
    const cut = mutate(limited, [...firstCall, "function", "arguments"], '{"city":');
    expect(checkChatWhole(cut).faults).toEqual(["a call whose arguments are not whole JSON"]);
  });

  it("of a legacy request has a function_call", () => {
    const call = { name: "get_weather", arguments: "{}" };
    const answer = { ...mutate(chat, [...inMessage, "tool_calls"], undefined) };
    const legacy = mutate(
      mutate(answer, [...inMessage, "function_call"], call),
      [...choice, "finish_reason"],
      "function_call",
    );
    expect(checkChatWhole(legacy)).toMatchObject({ faults: [], functionCall: call, calls: [] });
  });

  it.each<[fault: string, path: Path, value: unknown]>([
    ["no id", ["id"], undefined],
    ["object is not chat.completion", ["object"], "chat.completion.chunk"],
    ["created is not an integer", ["created"], "now"],
    ["no model", ["model"], undefined],
    ["no choice", ["choices"], []],
    ["more than one choice", ["choices"], [{}, {}]],
    ["choice index is not 0", [...choice, "index"], 1],
    ["a choice without the logprobs key", [...choice, "logprobs"], undefined],
    ["a choice without message", [...choice, "message"], undefined],
    ["the message has no role assistant", [...inMessage, "role"], undefined],
    ["the message has no content key", [...inMessage, "content"], undefined],
    ["the message has no refusal key", [...inMessage, "refusal"], undefined],
    ["message.content is not a string", [...inMessage, "content"], []],
    ["message.annotations are not of Chat's form", [...inMessage, "annotations", 0, "url_citation"], undefined],
    ["finish_reason and tool_calls disagree", [...choice, "finish_reason"], "stop"],
    ["finish_reason and function_call disagree", [...inMessage, "function_call"], { name: "x", arguments: "{}" }],
    ["a call without type", [...firstCall, "type"], undefined],
    ["a call without a fit id", [...firstCall, "id"], ""],
    ["a call without name", [...firstCall, "function", "name"], ""],
    ["a call whose arguments are not whole JSON", [...firstCall, "function", "arguments"], '{"city":'],
    ["two calls have one id", [...firstCall, "id"], "call_2"],
    ["usage is not an object", ["usage"], null],
    ["usage lacks one of the three totals", ["usage", "prompt_tokens"], undefined],
  ])("%s", (fault, path, value) => {
    expect(checkChatWhole(mutate(chat, path, value)).faults).toEqual([fault]);
  });

  it("with broken arguments and an unknown finish_reason shows both", () => {
    const broken = mutate(
      mutate(chat, [...firstCall, "function", "arguments"], { a: 1 }),
      [...choice, "finish_reason"],
      "x",
    );
    expect(checkChatWhole(broken).faults).toEqual([
      "finish_reason has an unknown value",
      "arguments are not a string",
      "finish_reason and tool_calls disagree",
      "a call whose arguments are not whole JSON",
    ]);
    expect(checkChatWhole(mutate(chat, [...inMessage, "tool_calls"], [])).faults).toEqual([
      "tool_calls is not a list with calls",
      "finish_reason and tool_calls disagree",
    ]);
    expect(checkChatWhole("text").faults).toEqual(["the body is not a JSON object"]);
  });
});

const body = ending("completed", [thought, message, weather]).response as JsonObject;

describe("a whole Responses answer", () => {
  it("is folded as a stream is", () => {
    expect(checkResponsesWhole(body)).toMatchObject({
      faults: [],
      text: "Good day",
      refusal: "No.",
      reasoning: "Hm.",
      calls: [{ id: "call_1", name: "get_weather", kind: "function" }],
      finish: "completed",
      ended: "completed",
      usage: { input: 11, output: 7, total: 18, cached: 1, reasoning: 2 },
    });
  });

  it.each<[fault: string, path: Path, value: unknown]>([
    ["body: response lacks truncation", ["truncation"], undefined],
    ["body: completed without completed_at", ["completed_at"], null],
    ["output: message without id", ["output", 1, "id"], undefined],
    ["output: message without role assistant", ["output", 1, "role"], "user"],
    ["output: message with a part of unknown form", ["output", 1, "content", 0, "type"], "text"],
    ["output: function_call without arguments", ["output", 2, "arguments"], 1],
    ["output: an item without type", ["output", 0, "type"], undefined],
    ["two items have one id", ["output", 1, "id"], "rs_1"],
    ["two calls have one call_id", ["output", 0], { ...weather, id: "fc_2" }],
    ["a call whose arguments are not whole JSON", ["output", 2, "arguments"], "{"],
    ["usage lacks one of the three totals", ["usage", "total_tokens"], undefined],
  ])("%s", (fault, path, value) => {
    expect(checkResponsesWhole(mutate(body, path, value)).faults).toEqual([fault]);
  });

  it("is at its end", () => {
    const waiting = ending("completed", [], { status: "in_progress", completed_at: null, usage: null }).response;
    expect(checkResponsesWhole(waiting).faults).toEqual(["the response is not at its end"]);
    expect(checkResponsesWhole([]).faults).toEqual(["body: no response object"]);
  });
});

describe("an error body", () => {
  const error = { message: "No such model.", type: "invalid_request_error", param: "model", code: "model_not_found" };

  it("has all four keys", () => {
    expect(checkErrorWhole({ error })).toMatchObject({ faults: [], error, ended: "failed" });
    expect(checkErrorWhole({ error: { ...error, param: undefined, code: 404 } }).faults).toEqual([
      "the error: param and code must be strings or null",
    ]);
    expect(checkErrorWhole(mutate({ error }, ["error", "code"], undefined)).faults).toEqual(["the error lacks code"]);
    expect(checkErrorWhole({ message: "x" }).faults).toEqual(["the error is not an object"]);
  });
});
