import { RE2Set } from "re2js";
import type { Meter } from "./meter.ts";
import type { PatternSource } from "./pattern-source.ts";

/** Bytes for the states that a pattern remembers; what does not find room there is slower, but as sure. */
const memory = 64 * 1024;
/** Bytes of an instruction, as measured. */
const instruction = 700;

/** A client's pattern, which takes time in proportion to the text, whatever the pattern. */
export class Pattern {
  /** As the client wrote it. */
  readonly written: string;
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

  /** False where RE2 cannot read it after all. */
  compile(): boolean {
    try {
      this.#compiled ??= compiled(this.#source.text);
      return true;
    } catch {
      return false;
    }
  }

  /** Whether the pattern is found anywhere in the text. */
  test(text: string): boolean {
    this.#meter.charge((text.length * this.#source.size) / 40);
    this.#compiled ??= compiled(this.#source.text);
    return this.#compiled.match(text).length > 0;
  }
}

function compiled(source: string): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, memory);
  set.add(source);
  set.compile();
  return set;
}
