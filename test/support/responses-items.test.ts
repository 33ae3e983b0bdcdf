import { describe } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { mutate, mutateAll, type Path } from "./mutate.ts";
import {
  bite,
  type Case,
  call,
  callOnly,
  ending,
  message,
  mind,
  on,
  patch,
  patchOnly,
  spoilItem,
  text,
  textOnly,
  thought,
  thoughtOnly,
  tool,
  twoCalls,
  withArguments,
} from "./responses-samples.ts";

/** The second call of `twoCalls` with the first one's id. */
function twins(key: "id" | "call_id", value: string): JsonObject[] {
  const at = twoCalls.findIndex((event) => event.output_index === 1);
  const inside = key === "id" ? [at + 1, at + 2] : [];
  return mutateAll(
    spoilItem(twoCalls, [key], value),
    [[at, "item", key], value],
    ...inside.map((index): [Path, unknown] => [[index, "item_id"], value]),
  );
}

describe("every rule of an item bites", () => {
  const added = "output_item.added";
  const done = "output_item.done";
  bite([
    [`${added} without item`, callOnly.toSpliced(2, 0, { type: "response.output_item.added", output_index: 0 })],
    [
      "an item is added before the last one is done",
      [...twoCalls.toSpliced(6, 1).slice(0, -1), ending("completed", [patch])],
    ],
    [`${added}: output_index is out of order`, call(2, "output_index")(1)],
    [
      [
        `${added}: item without type`,
        "response.function_call_arguments.delta: the open item is a ",
        "response.function_call_arguments.done: the open item is a ",
        `${done}: type changed`,
      ],
      call(2, "item", "type")(""),
    ],
    [[`${added}: item without id`, `${done}: function_call without id`], noId()],
    ["two items have one id", twins("id", "fc_1")],
    ["two calls have one call_id", twins("call_id", "call_1")],
    [`${added}: function_call.arguments is not ""`, call(2, "item", "arguments")("{")],
    [`${added}: function_call.status is not "in_progress"`, call(2, "item", "status")("completed")],
    [`${added}: message.content is not []`, text(2, "item", "content")(message.content)],
    [`${added}: message.status is not "in_progress"`, text(2, "item", "status")(undefined)],
    [`${added}: custom_tool_call.input is not ""`, on(patchOnly)(2, "item", "input")("x")],
    [`${added}: reasoning.summary is not []`, mind(2, "item", "summary")(thought.summary)],
    [
      [`${added}: function_call without name`, `${done}: function_call without name`],
      spoilItem(mutate(call(5, "name")(""), [2, "item", "name"], ""), ["name"], ""),
    ],
    [
      [`${added}: function_call without a fit call_id`, `${done}: function_call without a fit call_id`],
      spoilItem(call(2, "item", "call_id")("call 1"), ["call_id"], "call 1"),
    ],
    [
      [
        `${done} without item`,
        "response.completed though an item is not done",
        "a call that is not done in the terminal output",
      ],
      call(6, "item")(undefined),
    ],
    [`${done}: no item is open`, callOnly.toSpliced(7, 0, ...callOnly.slice(6, 7))],
    [`${done}: output_index is not the open item's`, call(6, "output_index")(1)],
    ...["id", "type", "call_id", "name"].map(
      (key): Case => [`${done}: ${key} changed`, spoilItem(callOnly, [key], "x")],
    ),
    [`${done}: role changed`, spoilItem(textOnly, ["role"], "user")],
    [`${done}: message without status`, spoilItem(textOnly, ["status"], undefined)],
    [`${done}: message with an unknown phase`, spoilItem(textOnly, ["phase"], null)],
    [
      [`${done}: message with a part of unknown form`, `${done}: content is not the parts that were streamed`],
      spoilItem(textOnly, ["content", 0, "annotations"], undefined),
    ],
    [`${done}: function_call without status completed`, spoilItem(callOnly, ["status"], "incomplete")],
    [
      `${done}: reasoning with encrypted_content that is not a string`,
      spoilItem(thoughtOnly, ["encrypted_content"], null),
    ],
    [
      [`${done}: reasoning without a summary list`, `${done}: summary is not the parts that were streamed`],
      spoilItem(thoughtOnly, ["summary"], undefined),
    ],
  ]);
});

function noId(): JsonObject[] {
  const changes = [3, 4, 5].map((at): [Path, unknown] => [[at, "item_id"], ""]);
  return mutateAll(spoilItem(callOnly, ["id"], ""), [[2, "item", "id"], ""], ...changes);
}

describe("every rule of calls bites", () => {
  const delta = "response.function_call_arguments.delta";
  const finish = "response.function_call_arguments.done";
  const input = "response.custom_tool_call_input.done";
  bite([
    [`${delta}: no item is open`, callOnly.toSpliced(7, 0, ...callOnly.slice(3, 4))],
    [`${delta}: output_index is not the open item's`, call(3, "output_index")(1)],
    [`${delta}: item_id is not the open item's`, call(3, "item_id")("call_1")],
    [`${delta}: item_id is not the open item's`, call(3, "item_id")(undefined)],
    [`${delta}: call_id at the top level`, call(3, "call_id")("call_1")],
    [`${finish}: call_id at the top level`, call(5, "call_id")("call_1")],
    [
      `${delta}: the open item is a message`,
      textOnly.toSpliced(3, 0, { type: delta, item_id: "msg_1", output_index: 0, delta: "x" }),
    ],
    [`${delta}: delta is not a string`, callOnly.toSpliced(3, 0, { type: delta, ...tool, delta: { a: 1 } })],
    [`${delta}: the arguments are already done`, callOnly.toSpliced(6, 0, { type: delta, ...tool, delta: "" })],
    [`${finish}: the arguments are already done`, callOnly.toSpliced(6, 0, ...callOnly.slice(5, 6))],
    [`${finish}: arguments are not what the deltas said`, callOnly.toSpliced(3, 2)],
    [`${finish}: arguments are not what the deltas said`, call(4, "delta")('"Oslo"}')],
    [`${finish}: name is not the call's`, call(5, "name")(undefined)],
    [`${finish}: arguments are not whole JSON`, withArguments("Rome")],
    ["output_item.done: the call's arguments are not done", callOnly.toSpliced(5, 1)],
    ["output_item.done: arguments are not those of the done event", spoilItem(callOnly, ["arguments"], "{}")],
    ["output_item.done: the call's input are not done", patchOnly.toSpliced(4, 1)],
    [`${input}: input are not what the deltas said`, on(patchOnly)(3, "delta")("*** ")],
    [`${input}: input is not a string`, patchOnly.toSpliced(4, 0, { ...patchOnly[4], input: null })],
  ]);
});

describe("every rule of parts bites", () => {
  const part = "response.content_part";
  const summary = "response.reasoning_summary";
  const output = "response.output_text";
  bite([
    [`${part}.added: content_index is out of order`, text(9, "content_index")(2)],
    [`${part}.added: the last part is not done`, unfinishedPart()],
    [`${part}.added: the part is not an empty one of a fit type`, text(3, "part", "text")("Good")],
    [`${part}.added: the part is not an empty one of a fit type`, text(3, "part", "annotations")(undefined)],
    [`${summary}_part.added: the part is not an empty one of a fit type`, mind(3, "part", "text")("Hm.")],
    [`${part}.done: content_index is not the open part's`, text(12, "content_index")(0)],
    [`${part}.done: the part's text is not done`, textOnly.toSpliced(7, 1)],
    [
      `${part}.done: the part is not what was streamed`,
      spoilItem(text(8, "part", "text")("Bad"), ["content", 0, "text"], "Bad"),
    ],
    [`${part}.done: the annotations are not those that were streamed`, textOnly.toSpliced(6, 1)],
    [`${part}.done: no part is open`, textOnly.toSpliced(13, 0, { ...textOnly[12], content_index: 2 })],
    [`${output}.delta: no output_text part is open`, textOnly.toSpliced(10, 0, { ...textOnly[4], content_index: 1 })],
    [`${output}.delta: the part's text is already done`, textOnly.toSpliced(8, 0, { ...textOnly[4], delta: "" })],
    [`${output}.delta: delta is not a string`, textOnly.toSpliced(5, 0, { ...textOnly[4], delta: null })],
    [`${output}.delta: no logprobs list`, text(4, "logprobs")(undefined)],
    [`${output}.done: no logprobs list`, text(7, "logprobs")(undefined)],
    [`${output}.done: text is not what the deltas said`, text(7, "text")("Good")],
    [`${output}.annotation.added: annotation_index is out of order`, text(6, "annotation_index")(1)],
    [
      `${output}.annotation.added: annotation without type`,
      textOnly.toSpliced(6, 0, { ...textOnly[6], annotation: {} }),
    ],
    [
      `${output}.annotation.added: no output_text part is open`,
      textOnly.toSpliced(10, 0, { ...textOnly[6], content_index: 1 }),
    ],
    ["response.refusal.done: refusal is not what the deltas said", text(11, "refusal")("Yes.")],
    ["output_item.done: a part is not done", textOnly.toSpliced(12, 1)],
    ["output_item.done: content is not the parts that were streamed", spoilItem(textOnly, ["content"], [])],
    [`${summary}_part.added: summary_index is out of order`, mind(3, "summary_index")(1)],
    [`${summary}_text.delta: summary_index is not the open part's`, mind(4, "summary_index")(undefined)],
    [
      `${summary}_text.delta: the open item is a function_call`,
      callOnly.toSpliced(3, 0, { ...thoughtOnly[4], ...tool }),
    ],
    [`${summary}_text.done: text is not what the deltas said`, mind(6, "text")("")],
    [`${summary}_part.done: the part's text is not done`, thoughtOnly.toSpliced(6, 1)],
    [
      `${summary}_part.done: the part is not what was streamed`,
      spoilItem(mind(7, "part", "text")("Ho."), ["summary", 0, "text"], "Ho."),
    ],
    ["output_item.done: summary is not the parts that were streamed", spoilItem(thoughtOnly, ["summary"], [])],
  ]);
});

/** The text part is left open; everything else is as if the refusal were the only part. */
function unfinishedPart(): JsonObject[] {
  const stream = textOnly.toSpliced(8, 1);
  const moved = [8, 9, 10, 11].map((at): [Path, unknown] => [[at, "content_index"], 0]);
  return spoilItem(mutateAll(stream, ...moved), ["content"], message.content.slice(1));
}
