import { type JsonObject, JsonReader, type JsonValue, type Steps, writeJson } from "../turn/index.ts";

/** JSON up to this length is parsed at once. */
const small = 256 * 1024;

/** Writes plain data as JSON text. A large value takes several steps. */
export function* storedJson(value: object): Steps<string> {
  // Items and their parts are interfaces of plain data; only index signatures are missing from them.
  const written = yield* writeJson(value as JsonObject);
  return typeof written === "string" ? written : written.toString();
}

/** Parses JSON that the store has written. */
export function* originalJson(text: string): Steps<JsonValue> {
  if (text.length <= small) return JSON.parse(text);
  const reader = new JsonReader({ depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += reader.piece) {
    reader.feed(bytes.subarray(at, at + reader.piece));
    yield;
  }
  return reader.end();
}
