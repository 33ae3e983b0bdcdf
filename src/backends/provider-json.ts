import { isTooDeep } from "../tools/index.ts";
import { type JsonValue, parseJson } from "../turn/index.ts";
import { invalidAnswer } from "./upstream-errors.ts";

/** Parses JSON from a provider; `undefined` if it is invalid. Throws if it is nested too deeply to be serialized again. */
export function parseProviderJson(backend: string, text: string): JsonValue | undefined {
  const value = parseJson(text);
  if (text.length > shortestDeep && isTooDeep(value)) {
    throw invalidAnswer(backend, "JSON that is nested too deeply");
  }
  return value;
}

/** JSON that is too deep needs more characters than this for its brackets alone, so most events need no check. */
const shortestDeep = 1_024;
