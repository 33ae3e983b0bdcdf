import {
  type CallKind,
  type CustomTool,
  type FunctionTool,
  type HostedTool,
  type Item,
  type JsonValue,
  joinPath,
  type OpaqueItem,
  type Tool,
  type Turn,
} from "../../turn/index.ts";
import { readTools, toolLabel } from "../catalog.ts";

/** How a client identifies a tool. */
export interface ToolIdentity {
  kind: CallKind;
  name: string;
  namespace?: string | undefined;
}

/** A client's tool that the backend does not support but that can be offered as a function. */
export interface Convertible extends ToolIdentity {
  definition: FunctionTool | CustomTool | HostedTool;
  /** Description of the namespace. */
  about?: string | undefined;
}

/** A tool that is offered unchanged, or one to be converted. */
export type Gathered = ({ as: "is"; tool: Tool } | { as: "function"; tool: Convertible }) & {
  /** Path in the request. */
  at: string;
};

export type Carries = (tool: Tool) => boolean;

/**
 * Collects the tools of a turn for a backend that does not support all of them: those of the request, those in its input, and
 * those that a search has found. Deferred tools are left out if there is a tool search that finds them.
 */
export function gatherTools(turn: Turn, carries: Carries): { gathered: Gathered[]; dropped: string[] } {
  const { input } = turn;
  // A backend that supports namespaces reads the tools in the input itself.
  const readsInput = carriesNamespaces(carries);
  const listed = readsInput ? listedIn(turn.tools) : [...listedIn(turn.tools), ...input.flatMap(listedBy)];
  const gathering = new Gathering(
    turn,
    carries,
    listed.some(({ tool }) => isClientSearch(tool) && !carries(tool)),
  );
  for (const { tool, at } of listed) gathering.add(tool, at);
  const found = readsInput ? [] : input.flatMap(foundBy);
  for (const { tool, at } of found) gathering.find(tool, at);
  return gathering.finish();
}

/** Whether the backend supports the Responses API's ways to declare tools. */
export function carriesNamespaces(carries: Carries): boolean {
  return carries({ type: "hosted", format: "responses", definition: { type: "namespace" } });
}

interface Listed {
  tool: Tool;
  at: string;
}

interface Found {
  tool: Convertible;
  at: string;
}

function listedIn(tools: readonly Tool[]): Listed[] {
  return tools.map((tool, index) => ({ tool, at: joinPath("tools", index) }));
}

function listedBy(item: Item, index: number): Listed[] {
  return isToolList(item) ? toolsIn(item.fields.tools, joinPath("input", index)) : [];
}

function foundBy(item: Item, index: number): Listed[] {
  return item.type === "output" && item.tools ? toolsIn(item.tools, joinPath("input", index)) : [];
}

/** Identities of the tools that a search has found. */
export function identitiesIn(tools: JsonValue[] | undefined): ToolIdentity[] {
  return toolsIn(tools, "").flatMap(({ tool, at }) => {
    if (tool.type !== "hosted") return [identityOf(tool)];
    const { name: namespace, tools: inside } = tool.definition;
    if (!isNamespace(tool) || typeof namespace !== "string" || !Array.isArray(inside)) return [];
    return toolsIn(inside, at).flatMap(({ tool: inner }) =>
      inner.type === "hosted" ? [] : [{ ...identityOf(inner), namespace }],
    );
  });
}

/** The tools in the `tools` field of a Responses object. */
function toolsIn(value: JsonValue | undefined, parent: string): Listed[] {
  const at = joinPath(parent, "tools");
  return readTools(value, "responses", at).map((tool, index) => ({ tool, at: joinPath(at, index) }));
}

/** Some clients send tools as an input item. */
export function isToolList(item: Item): item is OpaqueItem {
  return item.type === "opaque" && item.format === "responses" && item.fields.type === "additional_tools";
}

/** Whether an input item contains tools. */
export function bringsTools(item: Item): boolean {
  return isToolList(item) || (item.type === "output" && item.tools !== undefined);
}

class Gathering {
  readonly #turn: Turn;
  readonly #carries: Carries;
  readonly #isSearched: boolean;
  readonly #gathered: Gathered[] = [];
  /** Index of each tool in `#gathered`. */
  readonly #indexes = new Map<string, number>();
  readonly #dropped: string[] = [];
  #wanted: Wanted | undefined;

  constructor(turn: Turn, carries: Carries, isSearched: boolean) {
    this.#turn = turn;
    this.#carries = carries;
    this.#isSearched = isSearched;
  }

  add(tool: Tool, at: string): void {
    if (!this.#carries(tool)) {
      for (const found of this.#convert(tool, at)) if (!this.#isHidden(found.tool)) this.#put(found);
    } else if (tool.type === "hosted") this.#gathered.push({ as: "is", tool, at });
    else if (!this.#isHidden({ ...identityOf(tool), definition: tool })) this.#keep(tool, at);
  }

  /** Duplicates in `tools` are left for the backend to judge. A tool in the input replaces an earlier one. */
  #keep(tool: FunctionTool | CustomTool, at: string): void {
    const key = identityKey(identityOf(tool));
    const index = at.startsWith("input") ? this.#indexes.get(key) : undefined;
    if (index === undefined) this.#indexes.set(key, this.#gathered.push({ as: "is", tool, at }) - 1);
    else this.#gathered[index] = { as: "is", tool, at };
  }

  /** A tool that a search has found is offered, even if it was declared as deferred. */
  find(tool: Tool, at: string): void {
    for (const found of this.#convert(tool, at)) this.#put(found);
  }

  finish(): { gathered: Gathered[]; dropped: string[] } {
    return { gathered: this.#gathered, dropped: this.#dropped };
  }

  *#convert(tool: Tool, at: string): Generator<Found> {
    if (tool.type !== "hosted") {
      yield { tool: { ...identityOf(tool), definition: tool }, at };
      return;
    }
    const { name, description, tools } = tool.definition;
    if (isNamespace(tool) && typeof name === "string" && Array.isArray(tools)) {
      const about = typeof description === "string" && description !== "" ? description : undefined;
      for (const { tool: inner, at: path } of toolsIn(tools, at)) {
        if (inner.type === "hosted") this.#dropped.push(toolLabel(inner));
        else yield { tool: { ...identityOf(inner), namespace: name, definition: inner, about }, at: path };
      }
    } else if (isClientSearch(tool)) yield { tool: { kind: "search", name: "tool_search", definition: tool }, at };
    else this.#dropped.push(toolLabel(tool));
  }

  /** If a tool is declared twice, the last declaration counts, unless an earlier one is offered unchanged. */
  #put(found: Found): void {
    const key = identityKey(found.tool);
    const index = this.#indexes.get(key);
    if (index === undefined) this.#indexes.set(key, this.#gathered.push({ as: "function", ...found }) - 1);
    else if (this.#gathered[index]?.as === "function") this.#gathered[index] = { as: "function", ...found };
  }

  /** A deferred tool is hidden, unless it was called before, so a search has found it, or the choice names it. */
  #isHidden(tool: Convertible): boolean {
    if (!this.#isSearched || !isDeferred(tool.definition)) return false;
    this.#wanted ??= wantedIn(this.#turn);
    const { names, namespaces, called } = this.#wanted;
    return !names.has(tool.name) && !namespaces.has(tool.namespace) && !called.has(identityKey(tool));
  }
}

function isNamespace({ format, definition }: HostedTool): boolean {
  return format === "responses" && definition.type === "namespace";
}

function isClientSearch(tool: Tool): boolean {
  if (tool.type !== "hosted" || tool.format !== "responses") return false;
  return tool.definition.type === "tool_search" && tool.definition.execution === "client";
}

export function identityKey({ kind, name, namespace = "" }: ToolIdentity): string {
  return `${kind} ${namespace.length} ${namespace}${name}`;
}

function identityOf({ type: kind, name }: FunctionTool | CustomTool): ToolIdentity {
  return { kind, name };
}

/** Deferred tools that are offered nevertheless. */
interface Wanted {
  /** Named by `tool_choice`. */
  names: ReadonlySet<string>;
  namespaces: ReadonlySet<JsonValue | undefined>;
  called: ReadonlySet<string>;
}

function wantedIn({ choice, input }: Turn): Wanted {
  const named = choice.mode === "forced" ? [choice.tool] : choice.mode === "allowed" ? choice.tools : [];
  const others = choice.mode === "allowed" ? choice.others : [];
  return {
    names: new Set(named.map(({ name }) => name)),
    namespaces: new Set(others.flatMap(({ type, name }) => (type === "namespace" ? [name] : []))),
    called: new Set(input.flatMap((item) => (item.type === "call" ? [identityKey(item)] : []))),
  };
}

function isDeferred(tool: Tool): boolean {
  return tool.type !== "hosted" && tool.extensions?.fields.defer_loading === true;
}
