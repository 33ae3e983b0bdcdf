import type { JsonObject } from "../../turn/index.ts";

/** What could be taken for a sentinel or a record, and the line breaks that JSON leaves as they are. */
const misleading = /<(?=\/?tool_call\b)|\[(?=function_call(?:_output)?\s)|[\u0085\u2028\u2029]/gi;

/** What in a record could begin a sentinel, end the record or break its line. */
const unsafe = /[<\]\u0085\u2028\u2029]/g;

/** JSON in one line, as readable as it was, that imitates neither a sentinel nor a record. */
export function jsonLine(value: JsonObject | string): string {
  return JSON.stringify(value).replace(misleading, escaped);
}

/** A value of a record: a JSON string whose characters cannot be anything but its own. */
export function recordValue(value: string): string {
  return JSON.stringify(value).replace(unsafe, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
