import {
  asObject,
  type FilePart,
  type Foreign,
  type Item,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPath,
  optionalArray,
  optionalString,
  type Part,
  requiredString,
  TurnError,
  without,
  wrong,
} from "../../turn/index.ts";

/** The client's `messages` as items, oldest first. */
export function readMessages(messages: readonly JsonValue[]): Item[] {
  const items: Item[] = [];
  messages.forEach((value, index) => {
    const at = joinPath("messages", index);
    readMessage(asObject(value, at), at, items);
  });
  markCustomOutputs(items);
  return items;
}

/** A result does not say what kind of call it answers. */
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

function readMessage(message: JsonObject, at: string, items: Item[]): void {
  const role = requiredString(message, "role", at);
  switch (role) {
    case "system":
    case "developer":
    case "user":
      if (message.content === undefined || message.content === null) {
        throw wrong(joinPath(at, "content"), "a string or a list of parts", message.content);
      }
      items.push({
        type: "message",
        role,
        content: readContent(message.content, joinPath(at, "content")),
        more: more(without(message, readOfMessage)),
      });
      return;
    case "assistant":
      readAssistant(message, at, items);
      return;
    case "tool":
      items.push({
        type: "output",
        kind: "function",
        callId: requiredString(message, "tool_call_id", at),
        output: readOutput(message.content, joinPath(at, "content")),
        more: more(without(message, readOfOutput)),
      });
      return;
    case "function":
      items.push({
        type: "output",
        kind: "function",
        callId: unansweredCall(items, requiredString(message, "name", at), at),
        output: readOutput(message.content, joinPath(at, "content")),
      });
      return;
    default:
      throw new TurnError(
        "unsupported_value",
        `\`${joinPath(at, "role")}\` is "${role}"; it can be system, developer, user, assistant, tool or function.`,
        { param: joinPath(at, "role") },
      );
  }
}

function readAssistant(message: JsonObject, at: string, items: Item[]): void {
  const reasoning = message.reasoning_content ?? message.reasoning;
  if (typeof reasoning === "string" && reasoning !== "") items.push({ type: "reasoning", summary: [reasoning] });

  const content = readContent(message.content, joinPath(at, "content"));
  const refusal = optionalString(message, "refusal", at);
  if (refusal) content.push({ type: "refusal", refusal });
  const calls = optionalArray(message, "tool_calls", at) ?? [];
  const legacy = message.function_call;
  if (content.length > 0 || (calls.length === 0 && !isObject(legacy))) {
    items.push({ type: "message", role: "assistant", content, more: more(without(message, readOfAssistant)) });
  }
  calls.forEach((value, index) => {
    const path = joinPath(joinPath(at, "tool_calls"), index);
    items.push(readCall(asObject(value, path), path));
  });
  if (isObject(legacy)) {
    const path = joinPath(at, "function_call");
    items.push({
      type: "call",
      kind: "function",
      // The legacy form has no ids; both APIs behind us need one, the same on every request with this history.
      callId: `call_legacy_${items.length}`,
      name: requiredString(legacy, "name", path),
      arguments: optionalString(legacy, "arguments", path) ?? "",
    });
  }
}

function readCall(call: JsonObject, at: string): Item {
  const callId = requiredString(call, "id", at);
  if (call.type === "custom" || (call.function === undefined && isObject(call.custom))) {
    const path = joinPath(at, "custom");
    const custom = asObject(call.custom, path);
    return {
      type: "call",
      kind: "custom",
      callId,
      name: requiredString(custom, "name", path),
      arguments: optionalString(custom, "input", path) ?? "",
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
  };
}

/** Some clients echo arguments as the object that they parsed. */
function readArguments(value: JsonValue | undefined, at: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (isObject(value)) return JSON.stringify(value);
  throw wrong(at, "a string of JSON", value);
}

/** A legacy result names the function only: it belongs to the last call of that name that has none yet. */
function unansweredCall(items: readonly Item[], name: string, at: string): string {
  const answered = new Set(items.flatMap((item) => (item.type === "output" ? [item.callId] : [])));
  const call = items.findLast((item) => item.type === "call" && item.name === name && !answered.has(item.callId));
  if (call?.type === "call") return call.callId;
  const param = joinPath(at, "name");
  throw new TurnError("invalid_request", `\`${param}\` is "${name}", but no earlier message calls it.`, { param });
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

function readPart(part: JsonObject, at: string): Part {
  switch (requiredString(part, "type", at)) {
    case "text":
    case "input_text":
    case "output_text":
      return { type: "text", text: requiredString(part, "text", at) };
    case "refusal":
      return { type: "refusal", refusal: requiredString(part, "refusal", at) };
    case "image_url": {
      const image = part.image_url;
      const path = joinPath(at, "image_url");
      if (typeof image === "string") return { type: "image", url: image };
      const source = asObject(image, path);
      return {
        type: "image",
        url: requiredString(source, "url", path),
        detail: optionalString(source, "detail", path),
      };
    }
    case "file": {
      const path = joinPath(at, "file");
      return readFile(asObject(part.file, path), path);
    }
    default:
      return { type: "opaque", api: "chat", fields: part };
  }
}

function readFile(file: JsonObject, at: string): FilePart {
  return {
    type: "file",
    data: optionalString(file, "file_data", at),
    fileId: optionalString(file, "file_id", at),
    name: optionalString(file, "filename", at),
  };
}

function more(fields: JsonObject): Foreign | undefined {
  return Object.keys(fields).length === 0 ? undefined : { api: "chat", fields };
}
