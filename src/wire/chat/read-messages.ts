import {
  asObject,
  type CallItem,
  entriesOfStep,
  type FilePart,
  type ImagePart,
  type Item,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPath,
  legacyCallId,
  type OutputItem,
  optionalArray,
  optionalString,
  type Part,
  requiredString,
  type Steps,
  TurnError,
  unread,
  wrong,
} from "../../turn/index.ts";
import type { UnmatchedResult } from "../codec.ts";

/** The client's `messages`. */
export interface ReadMessages {
  /** Oldest first. */
  items: Item[];
  unmatched: UnmatchedResult[];
}

export function* readMessages(messages: readonly JsonValue[]): Steps<ReadMessages> {
  const history = new History();
  for (const [index, value] of messages.entries()) {
    const at = joinPath("messages", index);
    readMessage(asObject(value, at), at, history);
    if (index % entriesOfStep === entriesOfStep - 1) yield;
  }
  markCustomOutputs(history.items);
  return history;
}

/** The items so far, and which of their calls have no output. */
class History implements ReadMessages {
  readonly items: Item[] = [];
  readonly unmatched: UnmatchedResult[] = [];
  /** The ids of a function's calls, oldest first. Answered ones are removed only when `unanswered` reaches them. */
  readonly #calls = new Map<string, string[]>();
  readonly #answered = new Set<string>();

  add(item: Item): void {
    this.items.push(item);
    if (item.type === "output") this.#answered.add(item.callId);
    if (item.type !== "call") return;
    // A later turn may use the same id again.
    this.#answered.delete(item.callId);
    const calls = this.#calls.get(item.name);
    if (calls) calls.push(item.callId);
    else this.#calls.set(item.name, [item.callId]);
  }

  /** The last call of this name without an output. */
  unanswered(name: string): string | undefined {
    const calls = this.#calls.get(name);
    for (let id = calls?.at(-1); id !== undefined; id = calls?.at(-1)) {
      if (!this.#answered.has(id)) return id;
      calls?.pop();
    }
    return undefined;
  }
}

/** A tool message does not say what kind of call it answers. */
function markCustomOutputs(items: readonly Item[]): void {
  const custom = new Set(
    items.flatMap((item) => (item.type === "call" && item.kind === "custom" ? [item.callId] : [])),
  );
  if (custom.size === 0) return;
  for (const item of items) if (item.type === "output" && custom.has(item.callId)) item.kind = "custom";
}

const readOfMessage = new Set(["role", "content"]);
const readOfAssistant = new Set([
  "role",
  "content",
  "refusal",
  "tool_calls",
  "function_call",
  "reasoning_content",
  "reasoning",
  "annotations",
]);
const readOfOutput = new Set(["role", "content", "tool_call_id"]);

function readMessage(message: JsonObject, at: string, history: History): void {
  const role = requiredString(message, "role", at);
  switch (role) {
    case "system":
    case "developer":
    case "user":
      if (message.content === undefined || message.content === null) {
        throw wrong(joinPath(at, "content"), "a string or a list of parts", message.content);
      }
      history.add({
        type: "message",
        role,
        content: readContent(message.content, joinPath(at, "content")),
        extensions: unread(message, readOfMessage, "chat"),
      });
      return;
    case "assistant":
      readAssistant(message, at, history);
      return;
    case "tool":
      history.add({
        type: "output",
        kind: "function",
        callId: requiredString(message, "tool_call_id", at),
        output: readOutput(message.content, joinPath(at, "content")),
        extensions: unread(message, readOfOutput, "chat"),
      });
      return;
    case "function":
      readFunctionResult(message, at, history);
      return;
    default:
      throw new TurnError(
        "unsupported_value",
        `\`${joinPath(at, "role")}\` is "${role}"; it can be system, developer, user, assistant, tool or function.`,
        { param: joinPath(at, "role") },
      );
  }
}

function readAssistant(message: JsonObject, at: string, history: History): void {
  const reasoning = message.reasoning_content ?? message.reasoning;
  if (typeof reasoning === "string" && reasoning !== "") history.add({ type: "reasoning", summary: [reasoning] });

  const content = readContent(message.content, joinPath(at, "content"));
  const refusal = optionalString(message, "refusal", at);
  if (refusal) content.push({ type: "refusal", refusal });
  const calls = optionalArray(message, "tool_calls", at) ?? [];
  const legacy = message.function_call;
  const extra = unread(message, readOfAssistant, "chat");
  const onlyCalls = content.length === 0 && (calls.length > 0 || isObject(legacy));
  // A field that a provider requires back (`reasoning_details`) needs a message to hold it, even an empty one.
  if (!onlyCalls || extra) history.add({ type: "message", role: "assistant", content, extensions: extra });
  calls.forEach((value, index) => {
    const path = joinPath(joinPath(at, "tool_calls"), index);
    history.add(readCall(asObject(value, path), path));
  });
  if (isObject(legacy)) {
    const path = joinPath(at, "function_call");
    history.add({
      type: "call",
      kind: "function",
      callId: legacyCallId(history.items.length),
      name: requiredString(legacy, "name", path),
      arguments: optionalString(legacy, "arguments", path) ?? "",
    });
  }
}

/** `index` is left over from a stream that the client assembled. */
const readOfCall = new Set(["id", "type", "function", "custom", "index"]);

function readCall(call: JsonObject, at: string): CallItem {
  const callId = requiredString(call, "id", at);
  const extra = unread(call, readOfCall, "chat");
  if (call.type === "custom" || (call.function === undefined && isObject(call.custom))) {
    const path = joinPath(at, "custom");
    const custom = asObject(call.custom, path);
    return {
      type: "call",
      kind: "custom",
      callId,
      name: requiredString(custom, "name", path),
      arguments: optionalString(custom, "input", path) ?? "",
      extensions: extra,
    };
  }
  const path = joinPath(at, "function");
  const called = asObject(call.function, path);
  return {
    type: "call",
    kind: "function",
    callId,
    name: requiredString(called, "name", path),
    arguments: readArguments(called.arguments, joinPath(path, "arguments")),
    extensions: extra,
  };
}

/** Some clients send arguments back as the parsed object. */
function readArguments(value: JsonValue | undefined, at: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (isObject(value)) return JSON.stringify(value);
  throw wrong(at, "a string of JSON", value);
}

/** A legacy result names only the function. It belongs to the last call of that name without a result. */
function readFunctionResult(message: JsonObject, at: string, history: History): void {
  const name = requiredString(message, "name", at);
  const callId = history.unanswered(name);
  const content = readOutput(message.content, joinPath(at, "content"));
  const output: OutputItem = { type: "output", kind: "function", callId: callId ?? "", output: content };
  history.add(output);
  if (callId !== undefined) return;
  const param = joinPath(at, "name");
  const error = new TurnError("invalid_request", `\`${param}\` is "${name}", but no earlier message calls it.`, {
    param,
  });
  history.unmatched.push({ output, name, error });
}

function readOutput(value: JsonValue | undefined, at: string): string | Part[] {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : readContent(value, at);
}

function readContent(value: JsonValue | undefined, at: string): Part[] {
  if (value === undefined || value === null || value === "") return [];
  if (typeof value === "string") return [{ type: "text", text: value }];
  if (!Array.isArray(value)) throw wrong(at, "a string or a list of parts", value);
  return value.map((part, index) => readPart(asObject(part, joinPath(at, index)), joinPath(at, index)));
}

/** Some clients mix in parts of the Responses API. No chat provider knows their citations and logprobs. */
const readOfText = new Set(["type", "text", "annotations", "logprobs"]);
const readOfImage = new Set(["type", "image_url"]);
const readOfFile = new Set(["type", "file"]);

function readPart(part: JsonObject, at: string): Part {
  switch (requiredString(part, "type", at)) {
    case "text":
    case "input_text":
    case "output_text":
      return { type: "text", text: requiredString(part, "text", at), extensions: unread(part, readOfText, "chat") };
    case "refusal":
      return { type: "refusal", refusal: requiredString(part, "refusal", at) };
    case "image_url":
      return readImage(part, joinPath(at, "image_url"));
    case "file":
      return readFile(part, joinPath(at, "file"));
    default:
      return { type: "opaque", format: "chat", fields: part };
  }
}

function readImage(part: JsonObject, at: string): ImagePart {
  const extra = unread(part, readOfImage, "chat");
  if (typeof part.image_url === "string") return { type: "image", url: part.image_url, extensions: extra };
  const image = asObject(part.image_url, at);
  return {
    type: "image",
    url: requiredString(image, "url", at),
    detail: optionalString(image, "detail", at),
    extensions: extra,
  };
}

function readFile(part: JsonObject, at: string): FilePart {
  const file = asObject(part.file, at);
  return {
    type: "file",
    data: optionalString(file, "file_data", at),
    fileId: optionalString(file, "file_id", at),
    name: optionalString(file, "filename", at),
    extensions: unread(part, readOfFile, "chat"),
  };
}
