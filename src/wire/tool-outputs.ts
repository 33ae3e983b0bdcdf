import { type ClientApi, isObject, type JsonObject, type JsonValue, joinPath, TurnError } from "../turn/index.ts";

/**
 * Refuses a request with a tool output whose text is larger than `limit` bytes of UTF-8. Only text counts: images and files in an
 * output are bounded by the body. What is of a wrong kind is left to the decoder, which says so.
 */
export function checkToolOutputs(api: ClientApi, body: JsonObject, limit: number): void {
  const [list, at, place] = api === "chat" ? [body.messages, "messages", "content"] : [body.input, "input", "output"];
  if (!Array.isArray(list)) return;
  const isOutput = api === "chat" ? isOutputMessage : isOutputItem;
  list.forEach((entry, index) => {
    if (!isObject(entry) || !isOutput(entry) || !isLarger(entry[place], limit)) return;
    throw tooLarge(joinPath(joinPath(at, index), place), bytesOf(entry[place]), limit);
  });
}

function isOutputMessage({ role }: JsonObject): boolean {
  return role === "tool" || role === "function";
}

/** Also the outputs of tools that only some backends know, such as `shell_call_output`; an `mcp_call` has its own in it. */
function isOutputItem({ type }: JsonObject): boolean {
  return typeof type === "string" && (type.endsWith("_call_output") || type === "mcp_call");
}

/** A character is one to three bytes, so most outputs need not be counted. */
function isLarger(output: JsonValue | undefined, limit: number): boolean {
  return lengthOf(output) * 3 > limit && bytesOf(output) > limit;
}

function lengthOf(output: JsonValue | undefined): number {
  return textsOf(output).reduce((sum, text) => sum + text.length, 0);
}

function bytesOf(output: JsonValue | undefined): number {
  return textsOf(output).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function textsOf(output: JsonValue | undefined): string[] {
  if (typeof output === "string") return [output];
  if (!Array.isArray(output)) return [];
  return output.flatMap((part) => (isObject(part) ? [part.text, part.stdout, part.stderr].filter(isText) : []));
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string";
}

function tooLarge(at: string, bytes: number, limit: number): TurnError {
  return new TurnError(
    "tool_output_too_large",
    `\`${at}\` has ${bytes} bytes of text; a tool output may have ${limit}. Send less of it, such as its beginning and its end, or raise limits.tool_output in the configuration.`,
    { param: at },
  );
}
