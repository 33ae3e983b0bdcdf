import { Meter } from "./meter.ts";
import { Pattern } from "./pattern.ts";
import { patternSource } from "./pattern-source.ts";

/** Most instructions and patterns of a schema in total; further patterns are left out. */
const mostInstructions = 5_000;
const mostPatterns = 200;

/** The patterns of one schema by their text. Each is translated and compiled once, however often the schema is prepared. */
export class Patterns {
  readonly meter = new Meter();
  readonly #known = new Map<string, Pattern | undefined>();
  #instructions = 0;

  get all(): Pattern[] {
    return [...this.#known.values()].filter((pattern) => pattern !== undefined);
  }

  /** Undefined if it cannot be checked. */
  find(written: string): Pattern | undefined {
    if (!this.#known.has(written) && this.#known.size < mostPatterns) this.#known.set(written, this.#read(written));
    const pattern = this.#known.get(written);
    return pattern?.isUnreadable ? undefined : pattern;
  }

  #read(written: string): Pattern | undefined {
    const source = patternSource(written);
    if (!source || this.#instructions + source.size > mostInstructions) return undefined;
    this.#instructions += source.size;
    return new Pattern(written, source, this.meter);
  }
}
