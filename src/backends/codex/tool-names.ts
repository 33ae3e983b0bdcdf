import type { Tool } from "../../turn/index.ts";

/** Names that Codex and the service behind it accept. */
const fit = /^[A-Za-z0-9_-]{1,64}$/;
/** Codex refuses these names, takes them for its own tools, or silently drops them. */
const reserved = /^(?:exec_command|shell_command|mcp|mcp__.*)$/;
const longest = 64;

/** Maps the names of a turn's tools to names that Codex accepts. Most stay unchanged. */
export class ToolNames {
  readonly #byName = new Map<string, string>();
  readonly #byAlias = new Map<string, string>();

  constructor(tools: readonly Tool[], called: Iterable<string>) {
    const names = new Set([...tools.flatMap((tool) => (tool.type === "hosted" ? [] : [tool.name])), ...called]);
    // Unchanged names come first, so that no alias equals one of them.
    for (const name of names) if (isFit(name)) this.#add(name, name);
    for (const name of names) if (!isFit(name)) this.#add(name, this.#aliasFor(name));
  }

  toCodex(name: string): string {
    return this.#byName.get(name) ?? name;
  }

  toClient(alias: string): string {
    return this.#byAlias.get(alias) ?? alias;
  }

  #add(name: string, alias: string): void {
    this.#byName.set(name, alias);
    this.#byAlias.set(alias, name);
  }

  #aliasFor(name: string): string {
    const plain = `client_${name.replace(/[^A-Za-z0-9_-]/g, "_")}`.slice(0, longest);
    let alias = plain;
    for (let count = 2; this.#byAlias.has(alias); count++) {
      const end = `_${count}`;
      alias = plain.slice(0, longest - end.length) + end;
    }
    return alias;
  }
}

function isFit(name: string): boolean {
  return fit.test(name) && !reserved.test(name);
}
