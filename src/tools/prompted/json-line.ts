import type { JsonObject } from "../../turn/index.ts";

/** Text that could be taken for a sentinel or a record, and line breaks that JSON does not escape. */
const misleading = /<(?=\/?tool_call\b)|\[(?=function_call(?:_output)?\s)|[\u0085\u2028\u2029]/gi;

/** Characters of a record that could begin a sentinel, end the record or break its line. */
const unsafe = /[<\]\u0085\u2028\u2029]/g;

/** JSON on one line, still readable, in which nothing looks like a sentinel or a record. */
export function jsonLine(value: JsonObject | string): string {
  return JSON.stringify(value).replace(misleading, escaped);
}

/** A value of a record: a JSON string without characters that could be markup. */
export function recordValue(value: string): string {
  return JSON.stringify(value).replace(unsafe, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
