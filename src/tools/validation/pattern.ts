import { RE2Set } from "re2js";
import type { Meter } from "./meter.ts";
import type { PatternSource } from "./pattern-source.ts";
import { WatchedText } from "./watched-text.ts";

/** Bytes for a pattern's cache of states; beyond it matching is slower, but still correct. */
const memory = 64 * 1024;
/** Bytes per instruction, as measured. */
const instruction = 700;

/** Thrown if RE2 cannot compile a pattern, which must then be left out of the schema. */
export class UnreadablePattern extends Error {}

/** A client's pattern. Matching takes linear time, whatever the pattern, and is charged. */
export class Pattern {
  /** As the client wrote it. */
  readonly written: string;
  /** RE2 failed to compile it. */
  isUnreadable = false;
  readonly #source: PatternSource;
  readonly #meter: Meter;
  #compiled: RE2Set | undefined;

  constructor(written: string, source: PatternSource, meter: Meter) {
    this.written = written;
    this.#source = source;
    this.#meter = meter;
  }

  /** Approximate memory. */
  get bytes(): number {
    return memory + instruction * this.#source.size;
  }

  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean {
    const set = this.compile();
    if (!set) throw new UnreadablePattern("RE2 does not read the pattern.");
    const watched = new WatchedText(text, this.#meter, 1 + this.#source.size / 20);
    // RE2 accepts it as a string, though TypeScript does not.
    const found = set.match(watched as unknown as string).length > 0;
    watched.charge();
    return found;
  }

  /** Undefined if RE2 cannot compile it. */
  compile(): RE2Set | undefined {
    if (this.#compiled || this.isUnreadable) return this.#compiled;
    const started = performance.now();
    try {
      this.#compiled = compiled(this.#source.text);
    } catch {
      this.isUnreadable = true;
    }
    this.#meter.chargeSince(started, 1_000 + 20 * this.#source.size);
    return this.#compiled;
  }
}

function compiled(source: string): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, memory);
  set.add(source);
  set.compile();
  return set;
}
