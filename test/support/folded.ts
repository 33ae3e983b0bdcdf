import { type CallKind, type ErrorBody, isObject, type JsonObject, type JsonValue } from "../../src/turn/index.ts";

export interface FoldedCall {
  /** What correlates the call with its output, on either API. */
  id: string;
  name: string;
  arguments: string;
  kind: CallKind;
}

export interface FoldedUsage {
  input: number;
  output: number;
  total: number;
  cached: number;
  reasoning: number;
}

/** How a turn ended, in words that both APIs share; none: no legal ending was seen. */
export type Ended = "completed" | "length" | "content_filter" | "failed" | "none";

/** A turn as a client has it in the end; the same for both APIs and for streams and whole answers. */
export interface Folded {
  text: string;
  reasoning: string;
  refusal: string;
  /** In the flat form of the Responses API. */
  annotations: JsonObject[];
  /** Those that are whole, however the turn ended. */
  calls: FoldedCall[];
  /** The API's own word: `finish_reason`, or the response's `status`. */
  finish: string | null;
  ended: Ended;
  usage: FoldedUsage | null;
  error: ErrorBody | null;
}

/** What is wrong with a stream or a body; each thing is said once. */
export class Faults {
  readonly list: string[] = [];

  add(fault: string): void {
    if (!this.list.includes(fault)) this.list.push(fault);
  }

  /** Adds the fault where the rule does not hold, and says whether it holds. */
  unless(holds: boolean, fault: string): boolean {
    if (!holds) this.add(fault);
    return holds;
  }
}

/** What every provider and client accepts for ids of calls. */
export const portableId = /^[A-Za-z0-9_-]{1,64}$/;

export function isFilledString(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

export function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The four keys of an error, which clients insist on. */
export function checkErrorBody(error: JsonValue | undefined, where: string, faults: Faults): ErrorBody | null {
  if (!isObject(error)) {
    faults.add(`${where} is not an object`);
    return null;
  }
  const { message, type, param, code } = error;
  const keys = ["message", "type", "param", "code"].filter((key) => !(key in error));
  for (const key of keys) faults.add(`${where} lacks ${key}`);
  if (keys.length > 0) return null;
  if (!isFilledString(message) || !isFilledString(type)) {
    faults.add(`${where}: message and type must be strings with something in them`);
    return null;
  }
  if ((param !== null && typeof param !== "string") || (code !== null && typeof code !== "string")) {
    faults.add(`${where}: param and code must be strings or null`);
    return null;
  }
  faults.unless(!/\n\s+at |node:internal|\.[mc]?[jt]s:\d+:\d+/.test(message), `${where} shows a stack trace`);
  return { message, type, param, code };
}

export function checkChatUsage(usage: JsonValue | undefined, faults: Faults): FoldedUsage | null {
  if (!isObject(usage)) {
    faults.add("usage is not an object");
    return null;
  }
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  if (!isCount(input) || !isCount(output) || !isCount(total)) {
    faults.add("usage lacks one of the three totals");
    return null;
  }
  return {
    input,
    output,
    total,
    cached: detail(usage.prompt_tokens_details, "cached_tokens"),
    reasoning: detail(usage.completion_tokens_details, "reasoning_tokens"),
  };
}

export function checkResponsesUsage(usage: JsonValue | undefined, faults: Faults): FoldedUsage | null {
  if (!isObject(usage)) {
    faults.add("usage is not an object");
    return null;
  }
  const { input_tokens: input, output_tokens: output, total_tokens: total } = usage;
  if (!isCount(input) || !isCount(output) || !isCount(total)) {
    faults.add("usage lacks one of the three totals");
    return null;
  }
  for (const [details, key] of [
    ["input_tokens_details", "cached_tokens"],
    ["input_tokens_details", "cache_write_tokens"],
    ["output_tokens_details", "reasoning_tokens"],
  ] as const) {
    const found = usage[details];
    faults.unless(isObject(found) && isCount(found[key]), `usage lacks ${details}.${key}`);
  }
  return {
    input,
    output,
    total,
    cached: detail(usage.input_tokens_details, "cached_tokens"),
    reasoning: detail(usage.output_tokens_details, "reasoning_tokens"),
  };
}

/** Chat nests an annotation under its type's name; Responses does not. */
export function flatAnnotation(annotation: JsonObject): JsonObject {
  const { type } = annotation;
  const nested = typeof type === "string" ? annotation[type] : undefined;
  return isObject(nested) ? { type, ...nested } : annotation;
}

export function endedOfFinish(finish: string | null): Ended {
  if (finish === "stop" || finish === "tool_calls" || finish === "function_call") return "completed";
  return finish === "length" || finish === "content_filter" ? finish : "none";
}

function detail(details: JsonValue | undefined, key: string): number {
  const value = isObject(details) ? details[key] : undefined;
  return typeof value === "number" ? value : 0;
}
