import type { FunctionTool, JsonValue, Tool } from "../../turn/index.ts";
import type { Refusal } from "./caps.ts";
import type { CheckableSchema } from "./checkable-schema.ts";
import { checkable } from "./checkable-schemas.ts";
import type { Mismatch } from "./wording.ts";

/** Budget of one check, and of all checks of a request, in units of a microsecond at most. */
const mostPerCheck = 30_000;
const mostInAll = 150_000;
/** No schema within the caps takes longer to prepare. Time beyond it has other causes and must not fail a call. */
const mostToPrepare = 20_000;

/** Checks the arguments of the tools of one request. A schema is prepared at its first check. */
export class ArgumentChecks {
  readonly #tools: readonly Tool[];
  #byName: ReadonlyMap<string, FunctionTool> | undefined;
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
    this.#byName ??= functionsByName(this.#tools);
    const tool = this.#byName.get(name);
    if (!tool?.parameters) return undefined;
    try {
      const schema = this.#left > 0 ? this.#schemaOf(tool) : undefined;
      if (schema && "check" in schema) return this.#check(schema, value);
    } catch {
      // Too much work, or a stack overflow: either way the result is unknown.
    }
    return tool.strict ? unknowable : undefined;
  }

  #schemaOf({ name, parameters = {} }: FunctionTool): CheckableSchema | Refusal {
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

/** Of several functions with the same name, the first counts. */
function functionsByName(tools: readonly Tool[]): Map<string, FunctionTool> {
  const functions = new Map<string, FunctionTool>();
  for (const tool of tools) if (tool.type === "function" && !functions.has(tool.name)) functions.set(tool.name, tool);
  return functions;
}

const unknowable: Mismatch = {
  path: "",
  message: "are too much work to check against the tool's schema: send less, or nested less deeply",
};
