import { validate } from "@cfworker/json-schema";
import type { JsonObject, JsonValue } from "../../turn/index.ts";
import type { Refusal } from "./caps.ts";
import { UnreadablePattern } from "./pattern.ts";
import { Patterns } from "./patterns.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { withRules } from "./text-rule.ts";
import { metered } from "./wide-arguments.ts";
import { describe, type Mismatch } from "./wording.ts";

/** Most time to charge for preparing a schema; time beyond it has other causes. */
const mostToPrepare = 20_000;
/** Most work to describe an error. */
const mostToDescribe = 10_000;

/** A schema within the caps, ready for any number of checks. */
export class CheckableSchema {
  readonly #schema: JsonObject;
  readonly #patterns: Patterns;
  #prepared: Prepared;

  /** The schema ready for checks, or why it cannot be checked. */
  static of(schema: JsonObject): CheckableSchema | Refusal {
    const patterns = new Patterns();
    const prepared = prepare(schema, patterns);
    return "because" in prepared ? prepared : new CheckableSchema(schema, patterns, prepared);
  }

  private constructor(schema: JsonObject, patterns: Patterns, prepared: Prepared) {
    this.#schema = schema;
    this.#patterns = patterns;
    this.#prepared = prepared;
  }

  /** Approximate memory of its patterns. */
  get bytes(): number {
    return this.#patterns.all.reduce((sum, pattern) => sum + pattern.bytes, 0);
  }

  /** What all checks together have cost. */
  get spent(): number {
    return this.#patterns.meter.spent;
  }

  /** Throws `TooMuchWork`, and what the validator may throw. */
  check(value: JsonValue, allowed: number): Mismatch | undefined {
    this.#patterns.meter.allow(allowed);
    try {
      return this.#check(value);
    } catch (error) {
      if (!(error instanceof UnreadablePattern)) throw error;
      this.#leaveOutUnreadable();
      return this.#check(value);
    }
  }

  #check(value: JsonValue): Mismatch | undefined {
    const { rules, patternProperties } = this.#prepared;
    try {
      return withRules(rules, () => mismatchOf(value, this.#prepared));
    } finally {
      for (const properties of patternProperties) properties.forget();
    }
  }

  /** Compiles all patterns at once, so that the schema is prepared again only once. */
  #leaveOutUnreadable(): void {
    const { all, meter } = this.#patterns;
    for (const pattern of all) pattern.compile();
    const started = performance.now();
    const prepared = prepare(this.#schema, this.#patterns);
    if ("root" in prepared) this.#prepared = prepared;
    meter.chargeSince(started, mostToPrepare);
  }
}

function mismatchOf(value: JsonValue, prepared: Prepared): Mismatch | undefined {
  const { root, referenced, patternProperties, unique, meter } = prepared;
  const names = patternProperties.length > 0 ? new Set<string>() : undefined;
  const given = metered(value, meter, names, unique);
  if (names) for (const properties of patternProperties) properties.declare(names);
  const { valid, errors } = validate(given, root, "2020-12", referenced, true);
  if (valid) return undefined;
  // A budget of its own: the error is worth describing even if little is left.
  meter.allow(mostToDescribe);
  return describe(errors, given, prepared);
}
