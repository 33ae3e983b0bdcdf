import { createHash } from "node:crypto";
import type { Tool } from "../../turn/index.ts";
import { identityKey, type ToolIdentity } from "./gather.ts";

/** What every backend accepts in a function's name. */
const longest = 64;
const unusual = /[^A-Za-z0-9_-]/g;

/** The names under which tools are offered as functions: legal at every backend, and each for one tool only. */
export class FunctionNames {
  readonly #taken = new Set<string>();
  readonly #names = new Map<string, string>();
  readonly #tools = new Map<string, ToolIdentity>();
  #spellings: ReadonlyMap<string, string | null> | undefined;

  /** `kept` are offered as they are. */
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

  /** How a call of the past is told. One that stands in the namespace that is none may be of a tool that stands in no other. */
  told(tool: ToolIdentity): string {
    const plain = isDefaultNamespace(tool.namespace) ? this.known({ ...tool, namespace: undefined }) : undefined;
    return this.known(tool) ?? plain ?? this.of(tool);
  }

  /** The same for the same tool, always. */
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

  /** Models that saw `files.read` elsewhere write it so, or without what stands before. */
  meant(name: string): string {
    if (this.#taken.has(name)) return name;
    this.#spellings ??= spellingsOf(this.#tools);
    return this.#spellings.get(name) ?? name;
  }

  #free({ name, namespace }: ToolIdentity, key: string): string {
    const plain = (isDefaultNamespace(namespace) ? name : `${namespace}__${name}`).replace(unusual, "_");
    if (plain.length <= longest && !this.#taken.has(plain)) return plain;
    const digest = createHash("sha256").update(key).digest("hex");
    for (let length = 8; ; length++) {
      const mark = `_${digest.slice(0, length)}`;
      const marked = plain.slice(0, longest - mark.length) + mark;
      if (!this.#taken.has(marked)) return marked;
    }
  }
}

/** Models are taught that a tool without a namespace stands in this one, and Codex takes them for the same. */
export function isDefaultNamespace(namespace: string | undefined): boolean {
  return namespace === undefined || namespace === "" || namespace === "functions";
}

/** How else a tool may be called; null where several may be meant. */
function spellingsOf(tools: ReadonlyMap<string, ToolIdentity>): Map<string, string | null> {
  const spellings = new Map<string, string | null>();
  for (const [offered, { name, namespace }] of tools) {
    for (const written of [name, `${namespace || "functions"}.${name}`]) {
      spellings.set(written, spellings.has(written) ? null : offered);
    }
  }
  return spellings;
}
