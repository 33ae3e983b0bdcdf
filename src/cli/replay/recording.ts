import type { ProviderApi } from "../../backends/service.ts";
import { isObject, type JsonObject, parseJson } from "../../turn/index.ts";
import { dataLine } from "../../wire/sse.ts";

/** What was recorded of an answer. */
export type Recording =
  /** What the model wrote. */
  | { kind: "text"; text: string }
  /** A provider's server-sent stream. */
  | { kind: "stream"; api: ProviderApi; text: string }
  /** A provider's whole answer. */
  | { kind: "whole"; api: ProviderApi; answer: JsonObject };

/** Tells by the content what it is. Whatever is not surely a provider's answer is what a model wrote. */
export function readRecording(text: string): Recording {
  const whole = text.trimStart().startsWith("{") ? parseJson(text) : undefined;
  if (isObject(whole)) {
    const api = apiOf(whole);
    // One chunk alone is a stream that was cut off.
    if (api && !isPiece(whole)) return { kind: "whole", api, answer: whole };
  }
  return findStream(text) ?? findLines(text) ?? { kind: "text", text };
}

/** `data: {…}` in lines, with what else may stand in such a stream. */
function findStream(text: string): Recording | undefined {
  for (const line of linesOf(text)) {
    if (line === "" || otherLine.test(line)) continue;
    if (!line.startsWith("data:")) return undefined;
    const data = line.slice("data:".length).trim();
    const payload = parseJson(data);
    // A sign of life or an error may come first.
    if (!isObject(payload) && data !== "") return undefined;
    const api = isObject(payload) ? apiOf(payload) : undefined;
    if (api) return { kind: "stream", api, text };
  }
  return undefined;
}

const otherLine = /^(?::|event:|id:|retry:)/;

/** The payloads alone, one a line, as programs log them. */
function findLines(text: string): Recording | undefined {
  const lines: string[] = [];
  let api: ProviderApi | undefined;
  for (const line of linesOf(text)) {
    if (line.trim() === "") continue;
    const payload = line.startsWith("{") ? parseJson(line) : undefined;
    if (!isObject(payload)) return undefined;
    api ??= isPiece(payload) ? apiOf(payload) : undefined;
    if (!api) return undefined;
    lines.push(dataLine(line));
  }
  return api && { kind: "stream", api, text: lines.join("") };
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const until = end === -1 ? text.length : end;
    yield text.slice(start, until).replace(/\r$/, "");
    start = until + 1;
  }
}

/** Whose answer, or piece of one, the object is. */
function apiOf({ object, choices, type, output, error }: JsonObject): ProviderApi | undefined {
  if (Array.isArray(choices)) return "chat";
  if (object === "response" || Array.isArray(output)) return "responses";
  if (typeof type === "string" && type.startsWith("response.")) return "responses";
  // Either API may answer so, and it means the same.
  return isObject(error) ? "chat" : undefined;
}

function isPiece({ object, type }: JsonObject): boolean {
  return object === "chat.completion.chunk" || (typeof type === "string" && type.startsWith("response."));
}
