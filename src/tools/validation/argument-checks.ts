import type { JsonValue, Tool } from "../../turn/index.ts";
import { checkable } from "./checkable-schemas.ts";
import type { Mismatch } from "./wording.ts";

/** Checks the arguments of the tools of one request. Nothing is prepared before the first check of a tool. */
export class ArgumentChecks {
  readonly #tools: readonly Tool[];
  #ready: Map<string, ReturnType<typeof checkable>> | undefined;

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  /**
   * What is wrong with the arguments. Undefined: they fit, or the tool is not declared or has no schema, or it is not strict and its
   * schema cannot be checked.
   */
  check(name: string, value: JsonValue): Mismatch | undefined {
    const tool = this.#tools.find((tool) => tool.type === "function" && tool.name === name);
    if (tool?.type !== "function" || !tool.parameters) return undefined;
    try {
      this.#ready ??= new Map();
      const schema = this.#ready.get(name) ?? checkable(tool.parameters);
      this.#ready.set(name, schema);
      if ("check" in schema) return schema.check(value);
    } catch {
      // Too much work, or more than the stack holds: whatever it is, it is known no better than before.
    }
    return tool.strict ? unknowable : undefined;
  }
}

const unknowable: Mismatch = {
  path: "",
  message: "are too much work to check against the tool's schema: send less, or nested less deeply",
};
