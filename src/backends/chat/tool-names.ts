import type { Tool } from "../../turn/index.ts";

/** No tool has a longer name. */
const longestName = 512;

/** The names of a request's tools, which tell whether a name that may come in pieces is whole. */
export class ToolNames {
  readonly #tools: readonly Tool[];

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  has(name: string): boolean {
    return this.#tools.some((tool) => tool.type !== "hosted" && tool.name === name);
  }

  /** The same name, as the tool has it where there is one: calls need not keep a copy each. */
  shared(name: string): string {
    const tool = this.#tools.find((tool) => tool.type !== "hosted" && tool.name === name);
    return tool && tool.type !== "hosted" ? tool.name : name;
  }

  /** Whether nothing more can come: a tool has this name, and no other has one that begins with it. */
  isWhole(name: string): boolean {
    return name.length > longestName || (this.has(name) && !this.#isProperBeginning(name));
  }

  /** Whether a tool has a name that begins so, or this name. */
  isBeginning(name: string): boolean {
    return this.#tools.some((tool) => tool.type !== "hosted" && tool.name.startsWith(name));
  }

  /**
   * A name that was begun, with one more piece of it. Some providers give the whole name again, or all of it that there is by
   * now, in place of the next piece.
   */
  join(begun: string, piece: string): string {
    const joined = begun + piece;
    if (this.isBeginning(joined)) return joined;
    return piece.startsWith(begun) ? piece : joined;
  }

  #isProperBeginning(name: string): boolean {
    return this.#tools.some((tool) => tool.type !== "hosted" && tool.name !== name && tool.name.startsWith(name));
  }
}
