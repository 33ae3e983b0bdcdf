import type { ProviderApi } from "../../backends/service.ts";
import { answerLimits, isObject, type JsonObject, parseJson } from "../../turn/index.ts";
import { dataLine } from "../../wire/sse.ts";

/** A recorded answer. */
export type Recording =
  /** The text of the model. */
  | { kind: "text"; text: string }
  /** A provider's stream of server-sent events. */
  | { kind: "stream"; api: ProviderApi; text: string }
  /** A provider's answer without streaming. */
  | { kind: "whole"; api: ProviderApi; answer: JsonObject };

/** Detects the kind of a recording by its content. If it is not clearly a provider's answer, it is a model's text. */
export function readRecording(text: string): Recording {
  const whole = text.trimStart().startsWith("{") ? parseJson(text, answerLimits) : undefined;
  if (isObject(whole)) {
    const api = apiOf(whole);
    // A single chunk is a stream that was cut off.
    if (api && !isPiece(whole)) return { kind: "whole", api, answer: whole };
  }
  return findStream(text) ?? findLines(text) ?? { kind: "text", text };
}

/** Detects server-sent events: lines of `data: {…}` and other SSE fields. */
function findStream(text: string): Recording | undefined {
  for (const line of linesOf(text)) {
    if (line === "" || otherLine.test(line)) continue;
    if (!line.startsWith("data:")) return undefined;
    const data = line.slice("data:".length).trim();
    const payload = parseJson(data, answerLimits);
    // A keep-alive or an error may come first.
    if (!isObject(payload) && data !== "") return undefined;
    const api = isObject(payload) ? apiOf(payload) : undefined;
    if (api) return { kind: "stream", api, text };
  }
  return undefined;
}

const otherLine = /^(?::|event:|id:|retry:)/;

/** Detects NDJSON: one payload per line, as programs log them. */
function findLines(text: string): Recording | undefined {
  const lines: string[] = [];
  let api: ProviderApi | undefined;
  for (const line of linesOf(text)) {
    if (line.trim() === "") continue;
    const payload = line.startsWith("{") ? parseJson(line, answerLimits) : undefined;
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

/** The API that an answer or a chunk belongs to. */
function apiOf({ object, choices, type, output, error }: JsonObject): ProviderApi | undefined {
  if (Array.isArray(choices)) return "chat";
  if (object === "response" || Array.isArray(output)) return "responses";
  if (typeof type === "string" && type.startsWith("response.")) return "responses";
  // Both APIs send errors in this form, with the same meaning.
  return isObject(error) ? "chat" : undefined;
}

function isPiece({ object, type }: JsonObject): boolean {
  return object === "chat.completion.chunk" || (typeof type === "string" && type.startsWith("response."));
}
