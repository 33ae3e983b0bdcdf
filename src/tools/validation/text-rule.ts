import { format as formats, ucs2length } from "@cfworker/json-schema";
import { formatComplaint } from "./formats.ts";
import type { Meter } from "./meter.ts";
import type { Pattern } from "./pattern.ts";
import { counted, quoted } from "./words.ts";

/** What a schema says about strings. */
export interface TextDemands {
  minLength?: number | undefined;
  maxLength?: number | undefined;
  format?: string | undefined;
  pattern?: Pattern | undefined;
}

/**
 * The keywords for strings of one schema. cfworker would compile a pattern to a native expression, which a hostile one keeps busy for
 * hours, and count the letters of a megabyte again and again; so it sees them all as one format, and asks here.
 */
export class TextRule {
  readonly #demands: TextDemands;
  readonly #meter: Meter;

  constructor(demands: TextDemands, meter: Meter) {
    this.#demands = demands;
    this.#meter = meter;
  }

  /** What is wrong with the text, or undefined. */
  complaint(text: string): string | undefined {
    const { format, pattern } = this.#demands;
    const wrong = this.#lengthComplaint(text) ?? (format === undefined ? undefined : formatComplaint(format, text));
    if (wrong !== undefined || !pattern || pattern.test(text)) return wrong;
    return `must match the pattern ${quoted(pattern.written)}`;
  }

  #lengthComplaint(text: string): string | undefined {
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = this.#demands;
    // A character is one or two units of the text, so they need not always be counted.
    if (text.length <= maxLength && text.length >= 2 * minLength) return undefined;
    const started = performance.now();
    const length = ucs2length(text);
    this.#meter.chargeSince(started, 10 + text.length / 50);
    if (length < minLength) return `must have at least ${counted(minLength, "character")}`;
    return length > maxLength ? `must have at most ${counted(maxLength, "character")}` : undefined;
  }
}

/** The rules of the schema that is being checked. A check never waits, so there is only one. */
let current: readonly TextRule[] = [];

export function withRules<Result>(rules: readonly TextRule[], check: () => Result): Result {
  current = rules;
  try {
    return check();
  } finally {
    current = [];
  }
}

/**
 * cfworker's table of formats is one for all schemas, so the names are numbers within a schema, and the table has no more of them
 * than the largest schema has rules.
 */
export function ruleName(index: number): string {
  const name = `toolwire-rule-${index}`;
  formats[name] ??= (text) => current[index]?.complaint(text) === undefined;
  return name;
}

export function ruleIndex(name: string): number {
  return Number(name.slice("toolwire-rule-".length));
}
