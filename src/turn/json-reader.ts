import type { JsonObject, JsonValue } from "./json.ts";
import { BeyondJsonLimits, type JsonLimits, JsonScan, type JsonWatcher } from "./json-scan.ts";

/** An object or list that is too large for one parse, while it is being read. */
interface OpenContainer {
  readonly value: JsonValue[] | JsonObject;
  /** Its key in the object around it. */
  readonly key: string;
}

/** A string that is too large for one parse. */
interface LongString {
  readonly key: string;
  readonly pieces: string[];
}

/** What the reader parses at once, in bytes. A piece of this size takes some milliseconds whatever it holds. */
const usualPiece = 32 * 1024;
/** The most bytes of a key, of a number, or between two values. */
const longestToken = 64 * 1024;

/**
 * Parses JSON of any size from bytes as they arrive, a small piece at a time: a text of many megabytes never holds the event loop,
 * and only its values are kept. The result is that of `JSON.parse` after `toString("utf8")`, except that keys which could change a
 * prototype are removed: `__proto__`, and a `constructor` that has a `prototype`.
 *
 * Children of an object or list are parsed together until there are enough for a piece. If a piece ends inside a child, the child
 * is opened: its own children are parsed and added to it.
 */
export class JsonReader implements JsonWatcher {
  readonly #scan: JsonScan;
  readonly #piece: number;
  /** The outermost holds the one value of the text, as a list would. */
  readonly #open: OpenContainer[] = [{ value: [], key: "" }];
  #long: LongString | undefined;
  /** Bytes that are not parsed yet, and the position of the first. */
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  /** Where the text begins that is not parsed yet. */
  #from = 0;
  /** Whether the last child was added by itself: only a comma or the end may follow. */
  #isAdded = false;
  /** Whether a comma was passed, so that a child must follow. */
  #needsChild = false;
  /** By depth: where an object or list was opened, whether it is an object, and its last comma that is not parsed; -1 without. */
  readonly #openings: number[] = [0];
  readonly #kinds: boolean[] = [false];
  readonly #commas: number[] = [-1];
  /** By depth: the commas of an object so far. */
  readonly #members: number[] = [0];
  readonly #mostKeys: number;

  constructor(limits: JsonLimits, piece = usualPiece) {
    this.#scan = new JsonScan(limits, this);
    this.#mostKeys = limits.keys ?? Number.POSITIVE_INFINITY;
    this.#piece = piece;
  }

  /** How many bytes `feed` should get at once, so that it returns soon. */
  get piece(): number {
    return this.#piece;
  }

  /** How many values the text has so far. */
  get values(): number {
    return this.#scan.values;
  }

  /** Throws a `SyntaxError` if the text cannot be JSON, and `BeyondJsonLimits` if it is nested too deeply or holds too much. */
  feed(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes.subarray(this.#from - this.#start), bytes]);
    this.#start = this.#from;
    this.#scan.feed(bytes);
    if (this.#end - this.#from >= this.#piece) this.#parseSome();
  }

  /** The value of the whole text. */
  end(): JsonValue {
    if (this.#scan.depth > 0 || this.#scan.stringAt >= 0) throw notJson();
    if (this.#isAdded) this.#expectBlank(this.#from, this.#end);
    else this.#addChildren(this.#from, this.#end);
    const [root] = this.#open;
    if (!Array.isArray(root?.value) || root.value.length !== 1) throw notJson();
    return root.value[0] ?? null;
  }

  opened(at: number, isObject: boolean): void {
    const { depth } = this.#scan;
    this.#openings[depth] = at;
    this.#kinds[depth] = isObject;
    this.#commas[depth] = -1;
    this.#members[depth] = 0;
  }

  comma(at: number): void {
    const { depth } = this.#scan;
    if (depth === 0) throw notJson();
    if (this.#kinds[depth]) this.#countKey(depth);
    if (depth === this.#innermost && this.#isAdded) {
      this.#expectBlank(this.#from, at);
      this.#isAdded = false;
      this.#needsChild = true;
      this.#from = at + 1;
    } else this.#commas[depth] = at;
  }

  closed(at: number, isObject: boolean): void {
    if (this.#scan.depth !== this.#innermost) return;
    if (this.#scan.depth === 0 || this.#kinds[this.#innermost] !== isObject) throw notJson();
    if (this.#isAdded || (!this.#needsChild && this.#isBlank(this.#from, at))) this.#expectBlank(this.#from, at);
    else this.#addChildren(this.#from, at);
    const closed = this.#open.pop();
    if (!closed) throw notJson();
    dropConstructor(closed.value);
    this.#addChild(closed.key, closed.value, at + 1);
  }

  stringEnded(at: number): void {
    const long = this.#long;
    if (!long) return;
    long.pieces.push(this.#parseString(this.#from, at));
    this.#long = undefined;
    this.#addChild(long.key, long.pieces.join(""), at + 1);
  }

  /** The depth of the innermost container that is being read child by child. */
  get #innermost(): number {
    return this.#open.length - 1;
  }

  get #end(): number {
    return this.#start + this.#bytes.length;
  }

  #countKey(depth: number): void {
    const keys = (this.#members[depth] ?? 0) + 1;
    this.#members[depth] = keys;
    if (keys >= this.#mostKeys) throw new BeyondJsonLimits("keys");
  }

  /** Parses what is complete, down to the value in which the bytes end. */
  #parseSome(): void {
    if (this.#long) {
      this.#parseLong(this.#long);
      return;
    }
    if (this.#isAdded) {
      this.#expectBlank(this.#from, this.#end);
      this.#from = this.#end;
      return;
    }
    this.#parseComplete();
    while (this.#scan.depth > this.#innermost) {
      this.#enter();
      this.#parseComplete();
    }
    const { stringAt } = this.#scan;
    if (stringAt >= 0 && this.#end - stringAt >= this.#piece && this.#isValue(stringAt)) {
      this.#long = { key: this.#keyBefore(stringAt), pieces: [] };
      this.#from = stringAt + 1;
      this.#parseLong(this.#long);
    } else {
      this.#skipBlank();
      if (this.#end - this.#from > longestToken + this.#piece) throw notJson();
    }
  }

  #parseComplete(): void {
    const depth = this.#innermost;
    const comma = this.#commas[depth] ?? -1;
    if (comma < 0) return;
    this.#addChildren(this.#from, comma);
    this.#from = comma + 1;
    this.#commas[depth] = -1;
    this.#needsChild = true;
  }

  /** Opens the child in which the bytes end. */
  #enter(): void {
    const depth = this.#open.length;
    const at = this.#openings[depth] ?? 0;
    this.#open.push({ value: this.#kinds[depth] ? {} : [], key: this.#keyBefore(at) });
    this.#from = at + 1;
    this.#needsChild = false;
  }

  /** Whether the string at this position is a value and not a key. */
  #isValue(at: number): boolean {
    return !this.#kinds[this.#innermost] || !this.#isBlank(this.#from, at);
  }

  /** The key of the child that begins at `end`; empty in a list. */
  #keyBefore(end: number): string {
    if (!this.#kinds[this.#innermost]) {
      this.#expectBlank(this.#from, end);
      return "";
    }
    const [key, ...others] = Object.keys(JSON.parse(`{${this.#text(this.#from, end)}""}`));
    if (key === undefined || others.length > 0) throw notJson();
    return key;
  }

  #addChildren(from: number, to: number): void {
    const text = this.#text(from, to);
    const isObject = this.#kinds[this.#innermost];
    const children = JSON.parse(isObject ? `{${text}}` : `[${text}]`) as JsonValue[] | JsonObject;
    const values = Object.values(children);
    if (values.length === 0) throw notJson();
    if (mayHoldPrototype(text)) for (const value of values) dropPrototypes(value);
    const { value: container } = this.#open[this.#innermost] ?? {};
    if (Array.isArray(container)) for (const value of values) container.push(value as JsonValue);
    else if (container) {
      // Assigning it would set the prototype.
      dropProto(children);
      Object.assign(container, children);
    }
  }

  #addChild(key: string, child: JsonValue, next: number): void {
    const container = this.#open[this.#innermost]?.value;
    if (Array.isArray(container)) container.push(child);
    else if (container && key !== "__proto__") container[key] = child;
    this.#from = next;
    this.#isAdded = true;
    this.#needsChild = false;
    this.#commas[this.#innermost] = -1;
  }

  #parseLong({ pieces }: LongString): void {
    // The byte after a cut must be known: it tells whether a character goes on.
    while (this.#end - this.#from > this.#piece) {
      const cut = this.#cutBefore(this.#from + this.#piece);
      if (cut <= this.#from) return;
      pieces.push(this.#parseString(this.#from, cut));
      this.#from = cut;
    }
  }

  #parseString(from: number, to: number): string {
    return JSON.parse(`"${this.#text(from, to)}"`) as string;
  }

  /** The last position up to `at` where a string can be cut: not inside a character, nor inside an escape. */
  #cutBefore(at: number): number {
    let cut = at;
    for (let back = 0; back < 4 && isContinuation(this.#byte(cut)); back++) cut--;
    // More of them than a character has: no one of them belongs to a character.
    if (isContinuation(this.#byte(cut))) cut = at;
    for (let slash = cut - 1; slash >= Math.max(this.#from, cut - 5); slash--) {
      if (this.#byte(slash) !== backslash) continue;
      let slashes = 1;
      while (slash - slashes >= this.#from && this.#byte(slash - slashes) === backslash) slashes++;
      const length = this.#byte(slash + 1) === letterU ? 6 : 2;
      return slashes % 2 === 1 && slash + length > cut ? slash : cut;
    }
    return cut;
  }

  #skipBlank(): void {
    while (this.#from < this.#end && isBlank(this.#byte(this.#from))) this.#from++;
  }

  #expectBlank(from: number, to: number): void {
    if (!this.#isBlank(from, to)) throw notJson();
  }

  #isBlank(from: number, to: number): boolean {
    let at = from === 0 ? this.#afterMark : from;
    while (at < to && isBlank(this.#byte(at))) at++;
    return at >= to;
  }

  #byte(at: number): number {
    return this.#bytes[at - this.#start] ?? 0;
  }

  #text(from: number, to: number): string {
    return this.#bytes.toString("utf8", (from === 0 ? this.#afterMark : from) - this.#start, to - this.#start);
  }

  /** A byte order mark before the text is no part of it. */
  get #afterMark(): number {
    return this.#start === 0 && this.#byte(0) === 0xef && this.#byte(1) === 0xbb && this.#byte(2) === 0xbf ? 3 : 0;
  }
}

const backslash = 0x5c;
const letterU = 0x75;

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function notJson(): SyntaxError {
  return new SyntaxError("the text is not JSON");
}

/** Whether the text may have a key that must be removed. A key may be written with escapes. */
function mayHoldPrototype(text: string): boolean {
  return text.includes("__proto__") || text.includes("constructor") || text.includes("\\u00");
}

function dropPrototypes(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  dropProto(value);
  dropConstructor(value);
  for (const child of Object.values(value)) dropPrototypes(child);
}

function dropProto(value: object): void {
  if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
}

function dropConstructor(value: object): void {
  if (!Object.hasOwn(value, "constructor")) return;
  const own: unknown = Reflect.get(value, "constructor");
  if (typeof own !== "object" || own === null || !Object.hasOwn(own, "prototype")) return;
  Reflect.deleteProperty(value, "constructor");
}
