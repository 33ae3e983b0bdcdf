import { isTooDeep } from "../tools/index.ts";
import { type JsonValue, parseJson } from "../turn/index.ts";
import { invalidAnswer } from "./upstream-errors.ts";

/** What a provider sent as JSON; `undefined` when it is none. Throws where nobody could write it down again. */
export function parseProviderJson(backend: string, text: string): JsonValue | undefined {
  const value = parseJson(text);
  if (text.length > shortestDeep && isTooDeep(value)) {
    throw invalidAnswer(backend, "JSON that is nested too deeply");
  }
  return value;
}

/** What is too deep takes more characters than this for its brackets alone, so most events need no look inside. */
const shortestDeep = 1_024;
