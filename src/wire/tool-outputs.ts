import { isObject, type JsonObject, type JsonValue, joinPath, TurnError } from "../turn/index.ts";

/** Where the requests of an API hold tool outputs. */
export interface ToolOutputs {
  list: string;
  /** The field of an entry that holds the output. */
  output: string;
  isOutput(entry: JsonObject): boolean;
}

/**
 * Refuses a request with a tool output whose text is larger than `limit` bytes of UTF-8. Only text counts: the limit on the body
 * bounds images and files in an output. The decoder reports values of the wrong type.
 */
export function checkToolOutputs(body: JsonObject, { list, output, isOutput }: ToolOutputs, limit: number): void {
  const entries = body[list];
  if (!Array.isArray(entries)) return;
  entries.forEach((entry, index) => {
    if (!isObject(entry) || !isOutput(entry) || !isLarger(entry[output], limit)) return;
    throw tooLarge(joinPath(joinPath(list, index), output), bytesOf(entry[output]), limit);
  });
}

/** A character takes one to three bytes, so most outputs need no exact count. */
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
