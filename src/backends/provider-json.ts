import { isTooDeep } from "../tools/index.ts";
import {
  answerLimits,
  beyondLimits,
  type JsonLimits,
  type JsonValue,
  parseJson,
  type TurnError,
} from "../turn/index.ts";
import { invalidAnswer } from "./upstream-errors.ts";

/**
 * Parses JSON from a provider; `undefined` if it is invalid. Throws if it is nested too deeply to be serialized again, or holds more
 * values than any answer.
 */
export function parseProviderJson(backend: string, text: string): JsonValue | undefined {
  const value = parseJson(text, answerLimits);
  if (text.length <= shortestDeep) return value;
  const beyond = value === undefined ? beyondLimits(text, answerLimits) : undefined;
  if (beyond) throw tooMuchJson(backend, beyond);
  if (isTooDeep(value)) throw tooMuchJson(backend, "depth");
  return value;
}

export function tooMuchJson(backend: string, what: keyof JsonLimits): TurnError {
  const found = what === "depth" ? "JSON that is nested too deeply" : "JSON that holds too many values";
  return invalidAnswer(backend, found, "none");
}

/** JSON that is too deep needs more characters than this for its brackets alone, so most events need no check. */
const shortestDeep = 1_024;
