import { isDeeperThan, isObject, type JsonObject, type JsonValue, parseJson } from "../turn/index.ts";

/**
 * whole: JSON. cut: the beginning of JSON. broken: neither. Empty arguments are whole: models write nothing for a tool without
 * parameters.
 */
export type ArgumentsState = "whole" | "cut" | "broken";

export function argumentsState(text: string): ArgumentsState {
  if (text.trim() === "" || parseJson(text) !== undefined) return "whole";
  return isBeginningOfJson(text) ? "cut" : "broken";
}

/**
 * Reads a call's arguments, which should be JSON text. Some providers send the object itself, or an empty list for an empty
 * object, as PHP writes it. Any other value is passed on as JSON text.
 */
export function readArguments(given: JsonValue | undefined): string | JsonObject | undefined {
  if (typeof given === "string") return given;
  if (given === undefined || given === null) return undefined;
  if (isObject(given)) return given;
  return Array.isArray(given) && given.length === 0 ? {} : JSON.stringify(given);
}

/** Whether the value is nested so deeply that serializing it could overflow the stack. */
export function isTooDeep(given: JsonValue | undefined): boolean {
  return isDeeperThan(given, deepest);
}

const deepest = 512;

/** In characters. Longer arguments are not parsed to be compared: that would take too long at once. */
const longestCanonical = 256 * 1024;

/**
 * Normalizes arguments, so that two texts that differ only in formatting compare equal. Very long arguments are compared as they
 * are written.
 */
export function canonicalArguments(text: string): string {
  if (text.length > longestCanonical) return text;
  const value = text.trim() === "" ? {} : parseJson(text);
  return value === undefined || isTooDeep(value) ? text : JSON.stringify(value);
}

/** Detects when streamed arguments have reached the end of their object. Reads each character once. */
export class ObjectEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #ended = false;

  /** True once the brackets that were opened are all closed. */
  get reached(): boolean {
    return this.#ended && this.#depth === 0;
  }

  feed(delta: string): void {
    for (let at = 0; at < delta.length; at++) {
      const character = delta.charCodeAt(at);
      if (this.#escaped) this.#escaped = false;
      else if (character === 0x5c) this.#escaped = this.#inString;
      else if (character === 0x22) this.#inString = !this.#inString;
      else if (this.#inString) continue;
      else if (character === 0x7b || character === 0x5b) this.#depth++;
      else if ((character === 0x7d || character === 0x5d) && --this.#depth === 0) this.#ended = true;
    }
  }
}

const [space, newline, carriageReturn, tab] = [0x20, 0x0a, 0x0d, 0x09];
const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Parses the text once by the grammar of JSON; true if the text ends before the value does. */
function isBeginningOfJson(text: string): boolean {
  const closers: number[] = [];
  let expects: "value" | "key" | "keyOrEnd" | "colon" | "separator" | "valueOrEnd" = "value";
  let at = 0;
  while (at < text.length) {
    const character = text.charCodeAt(at);
    if (character === space || character === newline || character === carriageReturn || character === tab) {
      at++;
      continue;
    }
    switch (expects) {
      case "separator": {
        const closer = closers[closers.length - 1];
        if (closer === undefined) return false;
        if (character === closer) closers.pop();
        else if (character === comma) expects = closer === closeBrace ? "key" : "value";
        else return false;
        at++;
        continue;
      }
      case "colon":
        if (character !== colon) return false;
        expects = "value";
        at++;
        continue;
      case "key":
      case "keyOrEnd":
        if (character === closeBrace && expects === "keyOrEnd") {
          closers.pop();
          expects = "separator";
          at++;
          continue;
        }
        if (character !== quote) return false;
        break;
      case "valueOrEnd":
        if (character === closeBracket) {
          closers.pop();
          expects = "separator";
          at++;
          continue;
        }
    }
    const isKey = expects === "key" || expects === "keyOrEnd";
    if (character === quote) {
      const end = endOfString(text, at);
      if (end === "cut") return true;
      if (end === "broken") return false;
      at = end;
      if (isKey) expects = "colon";
      else expects = "separator";
    } else if (character === openBrace || character === openBracket) {
      closers.push(character === openBrace ? closeBrace : closeBracket);
      expects = character === openBrace ? "keyOrEnd" : "valueOrEnd";
      at++;
    } else {
      const end = endOfScalar(text, at);
      if (end === "cut") return true;
      if (end === "broken") return false;
      at = end;
      expects = "separator";
    }
  }
  return expects !== "separator" || closers.length > 0;
}

const literals = ["true", "false", "null"];
const wholeNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const numberBeginning = /^-?(?:0|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d*)?$/;

function endOfString(text: string, start: number): number | "cut" | "broken" {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code === 0x5c) at++;
    else if (code < 0x20) return "broken";
  }
  return "cut";
}

function endOfScalar(text: string, start: number): number | "cut" | "broken" {
  let end = start;
  while (end < text.length && !" \n\r\t,]}:".includes(text.charAt(end))) end++;
  const word = text.slice(start, end);
  if (literals.includes(word) || wholeNumber.test(word)) return end;
  if (end < text.length) return "broken";
  return literals.some((literal) => literal.startsWith(word)) || numberBeginning.test(word) ? "cut" : "broken";
}
