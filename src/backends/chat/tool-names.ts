import type { Tool } from "../../turn/index.ts";

/** No tool has a longer name. */
const longestName = 512;

/** The names of a request's tools. They show whether a name that may arrive in pieces is complete. */
export class ToolNames {
  readonly #tools: readonly Tool[];

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  has(name: string): boolean {
    return this.#tools.some((tool) => tool.type !== "hosted" && tool.name === name);
  }

  /** The tool's own string if a tool has this name, so that calls do not keep copies. */
  shared(name: string): string {
    const tool = this.#tools.find((tool) => tool.type !== "hosted" && tool.name === name);
    return tool && tool.type !== "hosted" ? tool.name : name;
  }

  /** Whether the name is complete: a tool has it, and no other tool's name begins with it. */
  isWhole(name: string): boolean {
    return name.length > longestName || (this.has(name) && !this.#isProperBeginning(name));
  }

  /** Whether a tool's name equals or begins with this. */
  isBeginning(name: string): boolean {
    return this.#tools.some((tool) => tool.type !== "hosted" && tool.name.startsWith(name));
  }

  /** Appends the next piece of a name. Some providers send the whole name again, or all of it so far, instead of the next piece. */
  join(begun: string, piece: string): string {
    const joined = begun + piece;
    if (this.isBeginning(joined)) return joined;
    return piece.startsWith(begun) ? piece : joined;
  }

  #isProperBeginning(name: string): boolean {
    return this.#tools.some((tool) => tool.type !== "hosted" && tool.name !== name && tool.name.startsWith(name));
  }
}
