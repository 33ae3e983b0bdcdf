import type { JsonObject, JsonValue } from "./json.ts";
import type { Steps } from "./pace.ts";

/** Characters that are written in one go: this takes a few milliseconds. */
const usualPiece = 64 * 1024;
/** JSON up to this size is written at once. */
const smallJson = 256 * 1024;

/**
 * Writes JSON as `JSON.stringify` does. A large value becomes bytes, in steps between which the event loop can be given back; a
 * small one becomes a string at once.
 */
export function* writeJson(value: JsonObject, piece = usualPiece, small = smallJson): Steps<string | Buffer> {
  if (weightOf(value, small) <= small) return JSON.stringify(value);
  const writer = new JsonWriter(piece);
  yield* writer.value(value);
  return yield* writer.finish();
}

class JsonWriter {
  readonly #piece: number;
  readonly #buffers: Buffer[] = [];
  #size = 0;
  #text = "";

  constructor(piece: number) {
    this.#piece = piece;
  }

  *value(value: JsonValue): Steps<void> {
    if (weightOf(value, this.#piece) <= this.#piece) yield* this.#add(JSON.stringify(value));
    else if (typeof value === "string") yield* this.#long(value);
    else if (typeof value !== "object" || value === null) yield* this.#add(JSON.stringify(value));
    else if (Array.isArray(value)) yield* this.#list(value);
    else yield* this.#object(value);
  }

  /** All of it in one piece, so that its length is known before it is sent. */
  *finish(): Steps<Buffer> {
    this.#end();
    const whole = Buffer.allocUnsafe(this.#size);
    let at = 0;
    for (const buffer of this.#buffers) {
      at += buffer.copy(whole, at);
      yield;
    }
    return whole;
  }

  *#add(text: string): Steps<void> {
    this.#text += text;
    if (this.#text.length < this.#piece) return;
    this.#end();
    yield;
  }

  #end(): void {
    const buffer = Buffer.from(this.#text);
    this.#text = "";
    this.#size += buffer.length;
    this.#buffers.push(buffer);
  }

  /** A character of two units is not cut: alone, each of them would be written as an escape. */
  *#long(text: string): Steps<void> {
    yield* this.#add('"');
    for (let at = 0; at < text.length; ) {
      let end = Math.min(at + this.#piece, text.length);
      if (isInsideCharacter(text, end)) end++;
      yield* this.#add(JSON.stringify(text.slice(at, end)).slice(1, -1));
      at = end;
    }
    yield* this.#add('"');
  }

  /** Small entries are written together. */
  *#list(list: readonly JsonValue[]): Steps<void> {
    yield* this.#add("[");
    for (let at = 0; at < list.length; ) {
      let end = at;
      let left = this.#piece;
      for (; end < list.length && left >= 0; end++) left -= weightOf(list[end], left) + 1;
      // The entry at which the weight was exceeded comes next.
      if (left < 0 && end > at + 1) end--;
      if (at > 0) yield* this.#add(",");
      if (end > at + 1) yield* this.#add(JSON.stringify(list.slice(at, end)).slice(1, -1));
      else yield* this.value(list[at] ?? null);
      at = end;
    }
    yield* this.#add("]");
  }

  *#object(object: JsonObject): Steps<void> {
    let separator = "{";
    for (const key of Object.keys(object)) {
      const value = object[key];
      if (value === undefined) continue;
      yield* this.#add(`${separator}${JSON.stringify(key)}:`);
      yield* this.value(value);
      separator = ",";
    }
    yield* this.#add(separator === "{" ? "{}" : "}");
  }
}

/** The approximate length of a value as JSON. Stops counting when it is above `most`. */
export function weightOf(value: JsonValue | undefined, most: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 8;
  let weight = 2;
  if (Array.isArray(value)) {
    for (const entry of value) {
      weight += weightOf(entry, most - weight) + 1;
      if (weight > most) return weight;
    }
    return weight;
  }
  for (const key in value) {
    weight += key.length + 4 + weightOf(value[key], most - weight);
    if (weight > most) return weight;
  }
  return weight;
}

function isInsideCharacter(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
