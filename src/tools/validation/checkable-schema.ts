import { validate } from "@cfworker/json-schema";
import type { JsonObject, JsonValue } from "../../turn/index.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { withRules } from "./text-rule.ts";
import { metered } from "./wide-arguments.ts";
import { describe, type Mismatch } from "./wording.ts";

/** What one check may cost, in units of about a microsecond. */
const budget = 30_000;

/** A schema within the caps, which arguments can be held against again and again. */
export class CheckableSchema {
  #prepared: Prepared;
  /** Kept until the patterns are compiled: what does not compile must be left out of the schema. */
  #schema: JsonObject | undefined;

  constructor(schema: JsonObject, prepared: Prepared) {
    this.#schema = schema;
    this.#prepared = prepared;
  }

  /** Throws `TooMuchWork`, and what the validator may throw. */
  check(value: JsonValue): Mismatch | undefined {
    this.#compile();
    const { rules, patternProperties } = this.#prepared;
    try {
      return withRules(rules, () => mismatchOf(value, this.#prepared));
    } finally {
      for (const properties of patternProperties) properties.forget();
    }
  }

  #compile(): void {
    if (!this.#schema) return;
    const unreadable = this.#prepared.patterns.filter((pattern) => !pattern.compile()).map(({ written }) => written);
    if (unreadable.length > 0) {
      const prepared = prepare(this.#schema, new Set(unreadable));
      if ("root" in prepared) this.#prepared = prepared;
    }
    this.#schema = undefined;
  }
}

function mismatchOf(value: JsonValue, prepared: Prepared): Mismatch | undefined {
  const { root, referenced, patternProperties, meter } = prepared;
  meter.begin(budget);
  const names = patternProperties.length > 0 ? new Set<string>() : undefined;
  const given = metered(value, meter, names);
  if (names) for (const properties of patternProperties) properties.declare(names);
  const { valid, errors } = validate(given, root, "2020-12", referenced, true);
  if (valid) return undefined;
  meter.begin(budget);
  return describe(errors, value, prepared);
}
