import { RE2Set } from "re2js";
import type { Meter } from "./meter.ts";
import type { PatternSource } from "./pattern-source.ts";
import { WatchedText } from "./watched-text.ts";

/** Bytes for the states that a pattern remembers; what does not find room there is slower, but as sure. */
const memory = 64 * 1024;
/** Bytes of an instruction, as measured. */
const instruction = 700;

/** Thrown where RE2 turns out not to read a pattern: it must be left out of the schema. */
export class UnreadablePattern extends Error {}

/** A client's pattern, which takes time in proportion to the text, whatever the pattern; the time is charged for. */
export class Pattern {
  /** As the client wrote it. */
  readonly written: string;
  /** Whether it was found that RE2 cannot read it. */
  isUnreadable = false;
  readonly #source: PatternSource;
  readonly #meter: Meter;
  #compiled: RE2Set | undefined;

  constructor(written: string, source: PatternSource, meter: Meter) {
    this.written = written;
    this.#source = source;
    this.#meter = meter;
  }

  /** What it comes to in memory, roughly. */
  get bytes(): number {
    return memory + instruction * this.#source.size;
  }

  /** Whether the pattern is found anywhere in the text. */
  test(text: string): boolean {
    const set = this.compile();
    if (!set) throw new UnreadablePattern("RE2 does not read the pattern.");
    const watched = new WatchedText(text, this.#meter, 1 + this.#source.size / 20);
    // It is a string to RE2, though not to TypeScript.
    const found = set.match(watched as unknown as string).length > 0;
    watched.charge();
    return found;
  }

  /** Undefined where RE2 cannot read it. */
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
