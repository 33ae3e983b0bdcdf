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
 * The string keywords of one schema. cfworker would compile a pattern to a native expression, which a hostile one keeps busy for
 * hours, and count the characters of a megabyte again and again. So it sees all of them as one format, which is checked here.
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
    // A character is one or two UTF-16 units, so characters need not always be counted.
    if (text.length <= maxLength && text.length >= 2 * minLength) return undefined;
    const started = performance.now();
    const length = ucs2length(text);
    this.#meter.chargeSince(started, 10 + text.length / 50);
    if (length < minLength) return `must have at least ${counted(minLength, "character")}`;
    return length > maxLength ? `must have at most ${counted(maxLength, "character")}` : undefined;
  }
}

/** The rules of the schema that is being checked. Checks are synchronous, so there is only one at a time. */
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
 * All schemas share cfworker's table of formats. So a rule is named by its index within its schema, and the table has no more
 * entries than the largest schema has rules.
 */
export function ruleName(index: number): string {
  const name = `toolwire-rule-${index}`;
  formats[name] ??= (text) => current[index]?.complaint(text) === undefined;
  return name;
}

export function ruleIndex(name: string): number {
  return Number(name.slice("toolwire-rule-".length));
}
