import type { JsonObject } from "../../turn/index.ts";

/** Text that could be taken for a sentinel or a record. */
const sentinels = /<(?=\/?tool_call\b)/gi;
const records = /\[(?=function_call(?:_output)?\s)/gi;

/** JSON on one line, still readable, in which nothing looks like a sentinel or a record. */
export function jsonLine(value: JsonObject | string): string {
  return withoutLineBreaks(JSON.stringify(value).replace(sentinels, "\\u003c").replace(records, "\\u005b"));
}

/** A value of a record: a JSON string without characters that could be markup. */
export function recordValue(value: string): string {
  return withoutLineBreaks(JSON.stringify(value).replaceAll("<", "\\u003c").replaceAll("]", "\\u005d"));
}

/** Escapes the line breaks that JSON does not. Fixed replacements are several times faster than a function for each match. */
function withoutLineBreaks(json: string): string {
  return json.replaceAll("\u0085", "\\u0085").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
