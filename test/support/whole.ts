import { isObject, type JsonObject, type JsonValue, parseJson } from "../../src/turn/index.ts";
import {
  checkChatUsage,
  checkErrorBody,
  checkResponsesUsage,
  endedOfFinish,
  Faults,
  type Folded,
  type FoldedCall,
  flatAnnotation,
  isFilledString,
  objectsOf,
  portableId,
} from "./folded.ts";
import { checkItem, checkResponseObject, isCallItem } from "./response-object.ts";
import { endedOfResponse, foldItems } from "./responses-stream.ts";

export interface WholeOptions {
  /** The scene is one where arguments that are not JSON are passed on as they are. */
  rawArguments?: boolean;
}

export interface ChatWhole extends Folded {
  faults: string[];
  functionCall: { name: string; arguments: string } | null;
}

export interface ResponsesWhole extends Folded {
  faults: string[];
  items: JsonObject[];
}

const nothing = {
  ...{ text: "", reasoning: "", refusal: "", annotations: [], calls: [] },
  ...{ finish: null, ended: "none", usage: null, error: null },
} satisfies Folded;

const finishReasons = new Set(["stop", "length", "tool_calls", "content_filter", "function_call"]);

/** A Chat Completions answer that came in one piece. */
export function checkChatWhole(body: unknown, options: WholeOptions = {}): ChatWhole {
  const faults = new Faults();
  const empty = { ...nothing, faults: faults.list, functionCall: null };
  if (!isObject(body)) {
    faults.add("the body is not a JSON object");
    return empty;
  }
  faults.unless(isFilledString(body.id), "no id");
  faults.unless(body.object === "chat.completion", "object is not chat.completion");
  faults.unless(Number.isInteger(body.created), "created is not an integer");
  faults.unless(isFilledString(body.model), "no model");
  const usage = "usage" in body ? checkChatUsage(body.usage, faults) : null;
  const choices = objectsOf(body.choices);
  const [choice] = choices;
  if (!choice || !faults.unless(choices.length === 1, "more than one choice")) {
    faults.unless(choice !== undefined, "no choice");
    return { ...empty, usage };
  }
  faults.unless(choice.index === 0, "choice index is not 0");
  faults.unless(choice.logprobs === null || isObject(choice.logprobs), "a choice without the logprobs key");
  const finish = typeof choice.finish_reason === "string" ? choice.finish_reason : null;
  faults.unless(finish !== null && finishReasons.has(finish), "finish_reason has an unknown value");
  if (!isObject(choice.message)) {
    faults.add("a choice without message");
    return { ...empty, finish, ended: endedOfFinish(finish), usage };
  }
  const message = readMessage(choice.message, faults);
  checkFinish(finish, message, options, faults);
  return { ...message, faults: faults.list, finish, ended: endedOfFinish(finish), usage, error: null };
}

type Message = Omit<ChatWhole, "faults" | "finish" | "ended" | "usage" | "error">;

function readMessage(message: JsonObject, faults: Faults): Message {
  faults.unless(message.role === "assistant", "the message has no role assistant");
  const text = (key: string, required: boolean): string => {
    const value = message[key];
    if (value === undefined) faults.unless(!required, `the message has no ${key} key`);
    else faults.unless(value === null || typeof value === "string", `message.${key} is not a string`);
    return typeof value === "string" ? value : "";
  };
  const legacy = message.function_call;
  const annotations = objectsOf(message.annotations);
  faults.unless(
    annotations.every((each) => isFilledString(each.type) && isObject(each[each.type])),
    "message.annotations are not of Chat's form",
  );
  return {
    text: text("content", true),
    refusal: text("refusal", true),
    reasoning: text("reasoning_content", false) || text("reasoning", false),
    annotations: annotations.map(flatAnnotation),
    calls: "tool_calls" in message ? readCalls(message.tool_calls, faults) : [],
    functionCall: isObject(legacy) ? { name: String(legacy.name), arguments: String(legacy.arguments) } : null,
  };
}

function readCalls(value: JsonValue | undefined, faults: Faults): FoldedCall[] {
  const calls = objectsOf(value).map((call): FoldedCall => {
    const kind = call.type === "custom" ? "custom" : "function";
    faults.unless(call.type === kind, "a call without type");
    const inside = isObject(call[kind]) ? call[kind] : {};
    const argumentsOf = kind === "custom" ? inside.input : inside.arguments;
    faults.unless(typeof call.id === "string" && portableId.test(call.id), "a call without a fit id");
    faults.unless(isFilledString(inside.name), "a call without name");
    faults.unless(typeof argumentsOf === "string", "arguments are not a string");
    return { id: String(call.id), name: String(inside.name), arguments: String(argumentsOf), kind };
  });
  faults.unless(calls.length > 0, "tool_calls is not a list with calls");
  faults.unless(new Set(calls.map((call) => call.id)).size === calls.length, "two calls have one id");
  return calls;
}

function checkFinish(finish: string | null, message: Message, options: WholeOptions, faults: Faults): void {
  const { calls, functionCall } = message;
  // At a limit, the calls before the one that was cut are whole, and stay.
  const free = finish === "length" || finish === "content_filter";
  faults.unless(free || (finish === "tool_calls") === calls.length > 0, "finish_reason and tool_calls disagree");
  const legacy = free || (finish === "function_call") === (functionCall !== null);
  faults.unless(legacy, "finish_reason and function_call disagree");
  if (options.rawArguments) return;
  for (const call of [...calls.filter((each) => each.kind === "function"), ...(functionCall ? [functionCall] : [])]) {
    faults.unless(parseJson(call.arguments) !== undefined, "a call whose arguments are not whole JSON");
  }
}

/** A Responses answer that came in one piece. */
export function checkResponsesWhole(body: unknown, options: WholeOptions = {}): ResponsesWhole {
  const faults = new Faults();
  if (!checkResponseObject(body, "body", faults)) return { ...nothing, faults: faults.list, items: [] };
  const items = objectsOf(body.output);
  for (const item of items) checkItem(item, "output", faults);
  const { status } = body;
  faults.unless(
    status === "completed" || status === "incomplete" || status === "failed",
    "the response is not at its end",
  );
  const ids = items.map((item) => item.id);
  faults.unless(new Set(ids).size === ids.length, "two items have one id");
  const calls = items.filter(isCallItem);
  faults.unless(new Set(calls.map((call) => call.call_id)).size === calls.length, "two calls have one call_id");
  for (const call of calls.filter((each) => each.type === "function_call" && !options.rawArguments)) {
    faults.unless(parseJson(String(call.arguments)) !== undefined, "a call whose arguments are not whole JSON");
  }
  return {
    ...foldItems(items),
    faults: faults.list,
    items,
    finish: typeof status === "string" ? status : null,
    ended: endedOfResponse(body),
    usage: isObject(body.usage) ? checkResponsesUsage(body.usage, faults) : null,
    error: isObject(body.error)
      ? { message: String(body.error.message), type: "server_error", param: null, code: String(body.error.code) }
      : null,
  };
}

/** The body of an HTTP error, on either API. */
export function checkErrorWhole(body: unknown): Folded & { faults: string[] } {
  const faults = new Faults();
  const error = checkErrorBody(isObject(body) ? body.error : undefined, "the error", faults);
  return { ...nothing, ended: "failed", error, faults: faults.list };
}
