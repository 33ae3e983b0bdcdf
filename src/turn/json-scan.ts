/** How much JSON may be nested, and how much it may hold. Values are counted by brackets and commas. */
export interface JsonLimits {
  depth: number;
  values: number;
  /** Keys of one object. To copy or list very many takes long. */
  keys?: number;
}

/** JSON that is nested too deeply or holds too many values. */
export class BeyondJsonLimits extends Error {
  readonly what: keyof JsonLimits;

  constructor(what: keyof JsonLimits) {
    super(`the JSON exceeds its limit of ${what}`);
    this.name = "BeyondJsonLimits";
    this.what = what;
  }
}

/** Hears where the structure of JSON is. Positions count from the first byte that was scanned. */
export interface JsonWatcher {
  /** Called after the depth has grown. */
  opened(at: number, isObject: boolean): void;
  /** Called before the depth shrinks. */
  closed(at: number, isObject: boolean): void;
  comma(at: number): void;
  stringEnded(at: number): void;
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
/** Brackets and braces differ in one bit. */
const braceBit = 0x20;
const openBrace = 0x7b;
const closeBrace = 0x7d;
/** A search has a cost of its own, so short strings are read byte by byte. */
const shortString = 32;

/**
 * Looks at JSON without parsing it: how deep it is nested, and how many values it holds. It takes bytes as they arrive, and reads
 * each once. It does not check that the text is JSON. Throws `BeyondJsonLimits`.
 */
export class JsonScan {
  readonly #limits: JsonLimits;
  readonly #watcher: JsonWatcher | undefined;
  /** Bytes before those that are being scanned. */
  #before = 0;
  #isEscaped = false;
  /** How many objects and lists are open. */
  depth = 0;
  values = 0;
  /** The position of the open string's quote; -1 outside of strings. */
  stringAt = -1;

  constructor(limits: JsonLimits, watcher?: JsonWatcher) {
    this.#limits = limits;
    this.#watcher = watcher;
  }

  feed(bytes: Uint8Array): void {
    const { length } = bytes;
    const watcher = this.#watcher;
    let at = this.stringAt < 0 ? 0 : this.#skipString(bytes, 0);
    while (at < length) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) {
        this.stringAt = this.#before + at;
        at = this.#skipString(bytes, at + 1);
        continue;
      }
      if (byte === comma) {
        this.#count();
        watcher?.comma(this.#before + at);
      } else if ((byte | braceBit) === openBrace) {
        this.#count();
        if (++this.depth > this.#limits.depth) throw new BeyondJsonLimits("depth");
        watcher?.opened(this.#before + at, byte === openBrace);
      } else if ((byte | braceBit) === closeBrace) {
        watcher?.closed(this.#before + at, byte === closeBrace);
        this.depth--;
      }
      at++;
    }
    this.#before += length;
  }

  #count(): void {
    if (++this.values > this.#limits.values) throw new BeyondJsonLimits("values");
  }

  /** The index after the string that is open at `from`, or the length if it does not end here. */
  #skipString(bytes: Uint8Array, from: number): number {
    const { length } = bytes;
    let at = from;
    if (this.#isEscaped && at < length) {
      this.#isEscaped = false;
      at++;
    }
    for (let start = at; at < length; ) {
      const byte = bytes[at];
      if (byte === quote) return this.#endString(at);
      if (byte === backslash) at += 2;
      else if (at - start < shortString) at++;
      else {
        const end = bytes.indexOf(quote, at);
        const stop = end === -1 ? length : end;
        let slashes = 0;
        while (stop - slashes > at && bytes[stop - slashes - 1] === backslash) slashes++;
        const isEscaped = slashes % 2 === 1;
        if (end === -1) this.#isEscaped = isEscaped;
        else if (!isEscaped) return this.#endString(end);
        if (end === -1) return length;
        at = end + 1;
        start = at;
      }
    }
    if (at > length) this.#isEscaped = true;
    return length;
  }

  #endString(at: number): number {
    this.stringAt = -1;
    this.#watcher?.stringEnded(this.#before + at);
    return at + 1;
  }
}
