import type { JsonValue, Tool } from "../../turn/index.ts";
import type { Refusal } from "./caps.ts";
import type { CheckableSchema } from "./checkable-schema.ts";
import { checkable } from "./checkable-schemas.ts";
import type { Mismatch } from "./wording.ts";

/** Budget of one check, and of all checks of a request, in units of about a microsecond. */
const mostPerCheck = 50_000;
const mostInAll = 150_000;
/** No schema within the caps takes longer to prepare. Time beyond it has other causes and must not fail a call. */
const mostToPrepare = 20_000;

/** Checks the arguments of the tools of one request. A schema is prepared at its first check. */
export class ArgumentChecks {
  readonly #tools: readonly Tool[];
  #ready: Map<string, CheckableSchema | Refusal> | undefined;
  #left = mostInAll;

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  /**
   * What is wrong with the arguments. Undefined if they fit, if the tool is not declared or has no schema, or if it is not strict
   * and its schema cannot be checked, or not within the remaining budget.
   */
  check(name: string, value: JsonValue): Mismatch | undefined {
    const tool = this.#tools.find((tool) => tool.type === "function" && tool.name === name);
    if (tool?.type !== "function" || !tool.parameters) return undefined;
    try {
      const schema = this.#left > 0 ? this.#schemaOf(tool) : undefined;
      if (schema && "check" in schema) return this.#check(schema, value);
    } catch {
      // Too much work, or a stack overflow: either way the result is unknown.
    }
    return tool.strict ? unknowable : undefined;
  }

  #schemaOf({ name, parameters = {} }: Tool & { type: "function" }): CheckableSchema | Refusal {
    this.#ready ??= new Map();
    const ready = this.#ready.get(name);
    if (ready) return ready;
    const started = performance.now();
    const schema = checkable(parameters);
    this.#left -= Math.min((performance.now() - started) * 1_000, mostToPrepare);
    this.#ready.set(name, schema);
    return schema;
  }

  #check(schema: CheckableSchema, value: JsonValue): Mismatch | undefined {
    const before = schema.spent;
    try {
      return schema.check(value, Math.min(mostPerCheck, this.#left));
    } finally {
      this.#left -= schema.spent - before;
    }
  }
}

const unknowable: Mismatch = {
  path: "",
  message: "are too much work to check against the tool's schema: send less, or nested less deeply",
};
