import { createHash } from "node:crypto";
import type { Tool } from "../../turn/index.ts";
import { identityKey, type ToolIdentity } from "./gather.ts";

/** What every backend accepts in a function's name. */
const longest = 64;
const unusual = /[^A-Za-z0-9_-]/g;

/** Names for tools that are offered as functions: valid at every backend, and unique. */
export class FunctionNames {
  readonly #taken = new Set<string>();
  readonly #names = new Map<string, string>();
  readonly #tools = new Map<string, ToolIdentity>();
  #spellings: ReadonlyMap<string, string | null> | undefined;

  /** `kept` are offered unchanged. */
  constructor(kept: readonly Tool[]) {
    for (const tool of kept) {
      if (tool.type === "hosted") continue;
      const { type: kind, name } = tool;
      this.#taken.add(name);
      this.#names.set(identityKey({ kind, name }), name);
    }
  }

  known(tool: ToolIdentity): string | undefined {
    return this.#names.get(identityKey(tool));
  }

  /** The function name for a past call. A call in the default namespace may belong to a tool without a namespace. */
  told(tool: ToolIdentity): string {
    const plain = isDefaultNamespace(tool.namespace) ? this.known({ ...tool, namespace: undefined }) : undefined;
    return this.known(tool) ?? plain ?? this.of(tool);
  }

  /** Always the same name for the same tool. */
  of(tool: ToolIdentity): string {
    const key = identityKey(tool);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = this.#free(tool, key);
    this.#taken.add(name);
    this.#names.set(key, name);
    this.#tools.set(name, tool);
    return name;
  }

  get any(): boolean {
    return this.#tools.size > 0;
  }

  tool(name: string): ToolIdentity | undefined {
    return this.#tools.get(name);
  }

  /** The function that a model meant: models that saw `files.read` elsewhere write that, or just `read`. */
  meant(name: string): string {
    if (this.#taken.has(name)) return name;
    this.#spellings ??= spellingsOf(this.#tools);
    return this.#spellings.get(name) ?? name;
  }

  #free({ name, namespace }: ToolIdentity, key: string): string {
    const plain = (isDefaultNamespace(namespace) ? name : `${namespace}__${name}`).replace(unusual, "_");
    if (plain.length <= longest && !this.#taken.has(plain)) return plain;
    // A client may take any name for a tool of its own, but not all of them.
    for (let attempt = 0; ; attempt++) {
      const digest = createHash("sha256").update(attempt === 0 ? key : `${attempt} ${key}`);
      const mark = `_${digest.digest("hex").slice(0, 8)}`;
      const marked = plain.slice(0, longest - mark.length) + mark;
      if (!this.#taken.has(marked)) return marked;
    }
  }
}

/** Models are taught that a tool without a namespace is in `functions`, and Codex treats the two as the same. */
export function isDefaultNamespace(namespace: string | undefined): boolean {
  return namespace === undefined || namespace === "" || namespace === "functions";
}

/** Other spellings of the tools' names; null if several tools share one. */
function spellingsOf(tools: ReadonlyMap<string, ToolIdentity>): Map<string, string | null> {
  const spellings = new Map<string, string | null>();
  for (const [offered, { name, namespace }] of tools) {
    for (const written of [name, `${namespace || "functions"}.${name}`]) {
      spellings.set(written, spellings.has(written) ? null : offered);
    }
  }
  return spellings;
}
