import { type CallItem, type OutputItem, parseJson } from "../../turn/index.ts";
import { recordValue } from "./json-line.ts";

/** What every record begins with, at the start of a line. */
export const recordStart = "[function_call";

const callKeys = ["id", "call_id", "name", "arguments"] as const;
const outputKeys = ["call_id", "output"] as const;

export function callRecord({ id, callId, name, arguments: text }: CallItem): string {
  return record("[function_call", callKeys, [id ?? callId, callId, name, text]);
}

export function outputRecord(callId: string, output: string): string {
  return record("[function_call_output", outputKeys, [callId, output]);
}

function record(start: string, keys: readonly string[], values: readonly string[]): string {
  const fields = keys.map((key, at) => ` ${key}=${recordValue(values[at] ?? "")}`);
  return `${start}${fields.join("")}]`;
}

/** Reads a line as the record of a call; `undefined` if it is anything else. */
export function readCallRecord(line: string): CallItem | undefined {
  const values = readRecord(line, "[function_call", callKeys);
  if (!values) return undefined;
  const [id, callId = "", name = "", text = ""] = values;
  return { type: "call", kind: "function", callId, name, arguments: text, id };
}

/** Reads a line as the record of an output; `undefined` if it is anything else. */
export function readOutputRecord(line: string): (OutputItem & { output: string }) | undefined {
  const values = readRecord(line, "[function_call_output", outputKeys);
  if (!values) return undefined;
  const [callId = "", output = ""] = values;
  return { type: "output", kind: "function", callId, output };
}

function readRecord(line: string, start: string, keys: readonly string[]): string[] | undefined {
  // The values of a record contain neither of these: they are escaped.
  if (!line.startsWith(start) || line.includes("<") || line.indexOf("]") !== line.length - 1) return undefined;
  const values: string[] = [];
  let at = start.length;
  for (const key of keys) {
    const before = ` ${key}=`;
    const found = line.startsWith(before, at) ? stringAt(line, at + before.length) : undefined;
    if (!found) return undefined;
    values.push(found.value);
    at = found.end;
  }
  return at === line.length - 1 ? values : undefined;
}

/** The JSON string that begins at this index, and its end. */
export function stringAt(text: string, start: number): { value: string; end: number } | undefined {
  if (text[start] !== '"') return undefined;
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x5c) at++;
    if (character !== 0x22) continue;
    const value = parseJson(text.slice(start, at + 1));
    return typeof value === "string" ? { value, end: at + 1 } : undefined;
  }
  return undefined;
}
