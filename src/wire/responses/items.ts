import {
  asObject,
  type CallItem,
  type CallKind,
  givenBack,
  type Item,
  isObject,
  isOwnId,
  type JsonObject,
  type JsonValue,
  joinPath,
  type OpaqueItem,
  type OutputItem,
  optionalArray,
  optionalString,
  type Part,
  parseJson,
  type ReasoningItem,
  type Role,
  requiredString,
  TurnError,
  unread,
  wrong,
} from "../../turn/index.ts";
import { typeWord } from "../part-type.ts";

/** An item of the Responses API, from a client or a provider. An unknown type passes through unread. */
export function readItem(value: JsonValue, at: string): Item {
  const item = asObject(value, at);
  const type = optionalString(item, "type", at) ?? (item.role === undefined ? undefined : "message");
  switch (type) {
    case "message":
      return readMessage(item, at);
    case "function_call":
      return readCall(item, "function", "arguments", at);
    case "custom_tool_call":
      return readCall(item, "custom", "input", at);
    case "tool_search_call":
      return isRunByClient(item) ? readSearch(item, at) : carried(item);
    case "function_call_output":
      return readOutput(item, "function", at);
    case "custom_tool_call_output":
      return readOutput(item, "custom", at);
    case "tool_search_output":
      return isRunByClient(item) ? readSearchOutput(item, at) : carried(item);
    case "reasoning":
      return readReasoning(item, at);
    case undefined:
      // The only item whose type may be omitted.
      if (typeof item.id === "string") return carried({ ...item, type: "item_reference" });
      throw wrong(joinPath(at, "type"), "a string", item.type);
    default:
      return carried(item);
  }
}

function carried(item: JsonObject): OpaqueItem {
  return { type: "opaque", format: "responses", fields: item, isToolCall: isToolCall(item) };
}

/** Whether an unread item is a call of a tool that the provider runs. The API names all of these alike. */
export function isToolCall({ type }: JsonObject): boolean {
  return typeof type === "string" && type.endsWith("_call");
}

/** An item for a Responses backend; `undefined` if that API has no form for it. */
export function writeItem(item: Item): JsonObject | undefined {
  switch (item.type) {
    case "message":
      // Without content, only fields of Chat are left, which have no form here.
      if (item.content.length === 0 && item.extensions?.format === "chat") return undefined;
      return {
        type: "message",
        id: idWith("msg", item.id),
        role: item.role,
        content: item.content.map((part) => writePart(part, item.role)),
        ...givenBack(item.extensions, "responses"),
      };
    case "call":
      return { ...writeCall(item), call_id: item.callId, ...givenBack(item.extensions, "responses") };
    case "output":
      return { ...writeOutput(item), id: item.id, call_id: item.callId, ...givenBack(item.extensions, "responses") };
    case "reasoning":
      // A provider refuses reasoning that it did not make: a chat client's, or what we made from a chat backend's.
      if (item.id === undefined || (item.encrypted === undefined && isOwnId(item.id))) return undefined;
      return {
        type: "reasoning",
        id: item.id,
        summary: item.summary.map((text) => ({ type: "summary_text", text })),
        encrypted_content: item.encrypted,
        ...givenBack(item.extensions, "responses"),
      };
    case "opaque":
      return item.format === "responses" ? item.fields : undefined;
  }
}

function writeCall({ kind, id, name, namespace, arguments: text }: CallItem): JsonObject {
  switch (kind) {
    case "function":
      return { type: "function_call", id: idWith("fc", id), name, namespace, arguments: text || "{}" };
    case "custom":
      return { type: "custom_tool_call", id: idWith("ctc", id), name, namespace, input: text };
    case "search":
      return { type: "tool_search_call", id: idWith("ts", id), arguments: parseJson(text) ?? {} };
  }
}

export function writeOutput({ kind, output, tools }: OutputItem): JsonObject {
  if (kind === "search") return { type: "tool_search_output", tools: tools ?? [] };
  return {
    type: kind === "function" ? "function_call_output" : "custom_tool_call_output",
    output: typeof output === "string" ? output : output.map((part) => writePart(part, "user")),
  };
}

const readOfMessage = new Set(["type", "id", "role", "content"]);
/** OpenAI's SDKs add `parsed_arguments` to an item, and the API refuses it. */
const readOfFunctionCall = new Set(["type", "id", "call_id", "name", "namespace", "arguments", "parsed_arguments"]);
const readOfCustomCall = new Set(["type", "id", "call_id", "name", "namespace", "input"]);
const readOfSearch = new Set(["type", "id", "call_id", "arguments"]);
const readOfSearchOutput = new Set(["type", "id", "call_id", "tools"]);
const readOfOutput = new Set(["type", "id", "call_id", "output"]);
const readOfReasoning = new Set(["type", "id", "summary", "encrypted_content"]);

function readMessage(item: JsonObject, at: string): Item {
  return {
    type: "message",
    role: readRole(item, at),
    content: readContent(item.content, joinPath(at, "content")),
    id: optionalString(item, "id", at),
    extensions: unread(item, readOfMessage, "responses"),
  };
}

function readRole(item: JsonObject, at: string): Role {
  const role = requiredString(item, "role", at);
  if (role === "system" || role === "developer" || role === "user" || role === "assistant") return role;
  throw new TurnError(
    "unsupported_value",
    `\`${joinPath(at, "role")}\` is "${role}"; it can be system, developer, user or assistant. A tool's result is an item of type function_call_output.`,
    { param: joinPath(at, "role") },
  );
}

function readCall(item: JsonObject, kind: CallKind, argumentsKey: "arguments" | "input", at: string): CallItem {
  return {
    type: "call",
    kind,
    callId: requiredString(item, "call_id", at),
    name: requiredString(item, "name", at),
    namespace: optionalString(item, "namespace", at),
    arguments: isObject(item[argumentsKey])
      ? JSON.stringify(item[argumentsKey])
      : (optionalString(item, argumentsKey, at) ?? ""),
    id: optionalString(item, "id", at),
    extensions: unread(item, kind === "function" ? readOfFunctionCall : readOfCustomCall, "responses"),
  };
}

function readOutput(item: JsonObject, kind: CallKind, at: string): OutputItem {
  const { output } = item;
  const path = joinPath(at, "output");
  if (output === undefined || output === null) throw wrong(path, "a string or a list of parts", output);
  return {
    type: "output",
    kind,
    callId: requiredString(item, "call_id", at),
    output: typeof output === "string" ? output : readContent(output, path),
    id: optionalString(item, "id", at),
    extensions: unread(item, readOfOutput, "responses"),
  };
}

/** A search that the provider runs has no id that an output could refer to, so it passes through unread. */
function isRunByClient({ call_id: id, execution }: JsonObject): boolean {
  return typeof id === "string" && execution !== "server";
}

function readSearch(item: JsonObject, at: string): CallItem {
  const given = item.arguments;
  return {
    type: "call",
    kind: "search",
    callId: requiredString(item, "call_id", at),
    name: "tool_search",
    arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}),
    id: optionalString(item, "id", at),
    extensions: unread(item, readOfSearch, "responses"),
  };
}

function readSearchOutput(item: JsonObject, at: string): OutputItem {
  return {
    type: "output",
    kind: "search",
    callId: requiredString(item, "call_id", at),
    output: "",
    tools: optionalArray(item, "tools", at) ?? [],
    id: optionalString(item, "id", at),
    extensions: unread(item, readOfSearchOutput, "responses"),
  };
}

function readReasoning(item: JsonObject, at: string): ReasoningItem {
  const summary = Array.isArray(item.summary) ? item.summary : [];
  return {
    type: "reasoning",
    summary: summary.flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : [])),
    id: optionalString(item, "id", at),
    encrypted: optionalString(item, "encrypted_content", at),
    extensions: unread(item, readOfReasoning, "responses"),
  };
}

function readContent(value: JsonValue | undefined, at: string): Part[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  if (!Array.isArray(value)) throw wrong(at, "a string or a list of parts", value);
  return value.map((part, index) => readPart(asObject(part, joinPath(at, index)), joinPath(at, index)));
}

function readPart(part: JsonObject, at: string): Part {
  switch (requiredString(part, "type", at)) {
    case "input_text":
    case "output_text":
    case "text":
      return {
        type: "text",
        text: requiredString(part, "text", at),
        annotations: Array.isArray(part.annotations) ? part.annotations.filter(isObject) : undefined,
      };
    case "refusal":
      return { type: "refusal", refusal: requiredString(part, "refusal", at) };
    case "input_image":
      return {
        type: "image",
        url: optionalString(part, "image_url", at),
        fileId: optionalString(part, "file_id", at),
        detail: optionalString(part, "detail", at),
      };
    case "input_file":
      return {
        type: "file",
        data: optionalString(part, "file_data", at),
        url: optionalString(part, "file_url", at),
        fileId: optionalString(part, "file_id", at),
        name: optionalString(part, "filename", at),
      };
    default:
      return { type: "opaque", format: "responses", fields: part };
  }
}

export function writePart(part: Part, role: Role): JsonObject {
  switch (part.type) {
    case "text":
      return role === "assistant"
        ? { type: "output_text", text: part.text, annotations: part.annotations ?? [] }
        : { type: "input_text", text: part.text };
    case "refusal":
      return { type: "refusal", refusal: part.refusal };
    case "image":
      return { type: "input_image", image_url: part.url, file_id: part.fileId, detail: part.detail ?? "auto" };
    case "file":
      return {
        type: "input_file",
        file_data: part.data,
        file_url: part.url,
        file_id: part.fileId,
        filename: part.name,
      };
    case "opaque":
      if (part.format === "responses") return part.fields;
      return {
        type: "input_text",
        text: `[a part of type ${typeWord(part.fields.type)} that cannot be shown to this model]`,
      };
  }
}

/** OpenAI refuses an item whose id lacks the prefix of its type. Without an id, it accepts the item as new. */
function idWith(prefix: string, id: string | undefined): string | undefined {
  return id?.startsWith(prefix) ? id : undefined;
}
