import { isObject, type JsonObject, type JsonValue, joinPath, TurnError } from "../turn/index.ts";

/**
 * Limits on the strings and lists of a request, in characters and entries; docs/limits.md has the same numbers. They only reject
 * nonsense: all are far above what OpenAI allows and what any known client sends. Ids may be long because some gateways put a
 * model's signed reasoning into them.
 */
export const bounds = {
  /** A keyword of the API: a role, a type, a tier. */
  word: 256,
  /** The name of a called tool or of a schema. */
  name: 1_024,
  model: 2_048,
  /** The description of a tool. */
  description: 1_048_576,
  id: 65_536,
  /** `user`, `safety_identifier`, `prompt_cache_key`. */
  user: 4_096,
  stopSequence: 4_096,
  stopSequences: 256,
  metadataPairs: 256,
  metadataKey: 1_024,
  metadataValue: 16_384,
  tools: 10_000,
  callsOfMessage: 10_000,
  /** Messages of a Chat request, items of a Responses request. */
  conversation: 100_000,
  /** Stored items to which a request refers. Each one is looked up. */
  references: 2_000,
} as const;

/** Refuses a Chat request that exceeds a limit. The decoder reports values of the wrong type. */
export function checkChatBounds(body: JsonObject): void {
  checkShared(body);
  each(body.functions, "functions", bounds.tools, checkTool);
  checkChoice(body.function_call, "function_call");
  checkLength(body, "reasoning_effort", bounds.word);
  checkLength(body, "verbosity", bounds.word);
  checkStop(body.stop);
  checkFormat(body.response_format, "response_format");
  each(body.messages, "messages", bounds.conversation, checkMessage);
}

/** Refuses a Responses request that exceeds a limit. */
export function checkResponsesBounds(body: JsonObject): void {
  checkShared(body);
  checkLength(body, "previous_response_id", bounds.id);
  checkLength(body, "conversation", bounds.id);
  if (isObject(body.text)) {
    checkLength(body.text, "verbosity", bounds.word, "text");
    checkFormat(body.text.format, "text.format");
  }
  if (isObject(body.reasoning)) {
    checkLength(body.reasoning, "effort", bounds.word, "reasoning");
    checkLength(body.reasoning, "summary", bounds.word, "reasoning");
  }
  each(body.input, "input", bounds.conversation, checkItem);
}

/** `at` is the path of the list with the references. */
export function checkReferences(ids: readonly string[], at: string): void {
  if (ids.length <= bounds.references) return;
  const message = `\`${at}\` must have at most ${bounds.references} references to stored items, but has ${ids.length}.`;
  throw new TurnError("invalid_request", message, { param: at });
}

function checkShared(body: JsonObject): void {
  checkLength(body, "model", bounds.model);
  checkLength(body, "service_tier", bounds.word);
  checkLength(body, "user", bounds.user);
  checkLength(body, "safety_identifier", bounds.user);
  checkLength(body, "prompt_cache_key", bounds.user);
  checkMetadata(body.metadata);
  each(body.tools, "tools", bounds.tools, checkTool);
  checkChoice(body.tool_choice, "tool_choice");
}

function checkMetadata(metadata: JsonValue | undefined): void {
  if (!isObject(metadata)) return;
  const keys = Object.keys(metadata);
  if (keys.length > bounds.metadataPairs) {
    const message = `\`metadata\` must have at most ${bounds.metadataPairs} pairs, but has ${keys.length}.`;
    throw new TurnError("object_above_max_properties", message, { param: "metadata" });
  }
  for (const key of keys) {
    if (key.length > bounds.metadataKey) throw tooLong("metadata", "keys of", bounds.metadataKey, key.length);
    checkLength(metadata, key, bounds.metadataValue, "metadata");
  }
}

function checkStop(stop: JsonValue | undefined): void {
  const check = (sequence: JsonValue | undefined, at: string) => {
    if (typeof sequence !== "string" || sequence.length <= bounds.stopSequence) return;
    throw tooLong(at, "", bounds.stopSequence, sequence.length);
  };
  check(stop, "stop");
  checkCount(stop, "stop", bounds.stopSequences);
  if (Array.isArray(stop)) stop.forEach((sequence, index) => void check(sequence, joinPath("stop", index)));
}

function checkChoice(choice: JsonValue | undefined, at: string): void {
  if (typeof choice === "string" && choice.length > bounds.name) throw tooLong(at, "", bounds.name, choice.length);
  if (!isObject(choice)) return;
  checkNaming(choice, at);
  const allowed = isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  const path = allowed === choice ? at : joinPath(at, "allowed_tools");
  each(allowed.tools, joinPath(path, "tools"), bounds.tools, checkNaming);
}

function checkFormat(format: JsonValue | undefined, at: string): void {
  if (!isObject(format)) return;
  checkNaming(format, at);
  if (isObject(format.json_schema)) checkLength(format.json_schema, "name", bounds.name, joinPath(at, "json_schema"));
}

function checkMessage(message: JsonObject, at: string): void {
  checkLength(message, "role", bounds.word, at);
  checkLength(message, "name", bounds.name, at);
  checkLength(message, "tool_call_id", bounds.id, at);
  if (isObject(message.function_call)) checkNaming(message.function_call, joinPath(at, "function_call"));
  if (message.tool_calls) each(message.tool_calls, joinPath(at, "tool_calls"), bounds.callsOfMessage, checkCall);
}

function checkCall(call: JsonObject, at: string): void {
  checkLength(call, "id", bounds.id, at);
  checkNaming(call, at);
}

function checkItem(item: JsonObject, at: string): void {
  checkNaming(item, at);
  checkLength(item, "role", bounds.word, at);
  checkLength(item, "id", bounds.id, at);
  checkLength(item, "call_id", bounds.id, at);
  checkLength(item, "namespace", bounds.name, at);
  each(item.tools, joinPath(at, "tools"), bounds.tools, checkTool);
}

/** A tool, and the tools nested in it. */
function checkTool(tool: JsonObject, at: string): void {
  checkNaming(tool, at);
  checkLength(tool, "description", bounds.description, at);
  if (isObject(tool.function)) checkLength(tool.function, "description", bounds.description, joinPath(at, "function"));
  if (isObject(tool.custom)) checkLength(tool.custom, "description", bounds.description, joinPath(at, "custom"));
  each(tool.tools, joinPath(at, "tools"), bounds.tools, checkTool);
}

/** `type` and `name`; Chat nests the name under the type. */
function checkNaming(value: JsonObject, at: string): void {
  checkLength(value, "type", bounds.word, at);
  checkLength(value, "name", bounds.name, at);
  if (isObject(value.function)) checkLength(value.function, "name", bounds.name, joinPath(at, "function"));
  if (isObject(value.custom)) checkLength(value.custom, "name", bounds.name, joinPath(at, "custom"));
}

function each(
  list: JsonValue | undefined,
  at: string,
  most: number,
  check: (entry: JsonObject, at: string) => void,
): void {
  checkCount(list, at, most);
  if (!Array.isArray(list)) return;
  list.forEach((entry, index) => {
    if (isObject(entry)) check(entry, joinPath(at, index));
  });
}

function checkCount(list: JsonValue | undefined, at: string, most: number): void {
  if (!Array.isArray(list) || list.length <= most) return;
  const message = `\`${at}\` must have at most ${most} entries, but has ${list.length}.`;
  throw new TurnError("array_above_max_length", message, { param: at });
}

function checkLength(object: JsonObject, key: string, most: number, parent = ""): void {
  const value = object[key];
  if (typeof value === "string" && value.length > most) throw tooLong(joinPath(parent, key), "", most, value.length);
}

function tooLong(at: string, what: string, most: number, length: number): TurnError {
  const subject = what === "" ? `\`${at}\`` : `${what} \`${at}\``;
  const message = `${subject} must have at most ${most} characters, but has ${length}.`;
  return new TurnError("string_above_max_length", message, { param: at });
}
