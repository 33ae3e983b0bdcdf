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

/** What a client calls a tool by. */
export interface ToolIdentity {
  kind: CallKind;
  name: string;
  namespace?: string | undefined;
}

/** A tool of the client's that its backend does not know as it is, and that can be offered as a function. */
export interface Convertible extends ToolIdentity {
  definition: FunctionTool | CustomTool | HostedTool;
  /** What is said of all tools of the namespace. */
  about?: string | undefined;
}

/** A tool as it is, or one to be converted. */
export type Gathered = ({ as: "is"; tool: Tool } | { as: "function"; tool: Convertible }) & {
  /** Where in the request it stands. */
  at: string;
};

export type Carries = (tool: Tool) => boolean;

/**
 * The tools of a turn for a backend that does not carry all of them: those of the request, those that stand in its input, and those
 * that a search has found. Tools that are to be searched for are left out where there is a search that finds them.
 */
export function gatherTools(turn: Turn, carries: Carries): { gathered: Gathered[]; dropped: string[] } {
  const { input } = turn;
  // Who knows namespaces reads what stands in the input by itself.
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

/** Whether the backend knows the Responses API's ways to declare tools. */
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

/** What a search has found, by what the client calls it. */
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

/** The tools in an object of the Responses API, at its own `tools`. */
function toolsIn(value: JsonValue | undefined, parent: string): Listed[] {
  const at = joinPath(parent, "tools");
  return readTools(value, "responses", at).map((tool, index) => ({ tool, at: joinPath(at, index) }));
}

/** Some clients bring tools as an item of their input. */
export function isToolList(item: Item): item is OpaqueItem {
  return item.type === "opaque" && item.format === "responses" && item.fields.type === "additional_tools";
}

/** Whether an item of the input has tools in it. */
export function bringsTools(item: Item): boolean {
  return isToolList(item) || (item.type === "output" && item.tools !== undefined);
}

class Gathering {
  readonly #turn: Turn;
  readonly #carries: Carries;
  readonly #isSearched: boolean;
  readonly #gathered: Gathered[] = [];
  /** Where in the list a tool is. */
  readonly #places = new Map<string, number>();
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

  /** Names that stand twice in `tools` are the backend's to judge. */
  #keep(tool: FunctionTool | CustomTool, at: string): void {
    const key = identityKey(identityOf(tool));
    const place = at.startsWith("input") ? this.#places.get(key) : undefined;
    if (place === undefined) this.#places.set(key, this.#gathered.push({ as: "is", tool, at }) - 1);
    else this.#gathered[place] = { as: "is", tool, at };
  }

  /** What a search has found is to be called, however it was declared. */
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
      for (const { tool: inner, at: place } of toolsIn(tools, at)) {
        if (inner.type === "hosted") this.#dropped.push(toolLabel(inner));
        else yield { tool: { ...identityOf(inner), namespace: name, definition: inner, about }, at: place };
      }
    } else if (isClientSearch(tool)) yield { tool: { kind: "search", name: "tool_search", definition: tool }, at };
    else this.#dropped.push(toolLabel(tool));
  }

  /** A tool that is there twice is one, as it was declared last. */
  #put(found: Found): void {
    const key = identityKey(found.tool);
    const place = this.#places.get(key);
    if (place === undefined) this.#places.set(key, this.#gathered.push({ as: "function", ...found }) - 1);
    else if (this.#gathered[place]?.as === "function") this.#gathered[place] = { as: "function", ...found };
  }

  /** A tool that can be searched for, unless it was called before, so that it was found once, or is asked for by its name. */
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

/** What is offered though it could be searched for. */
interface Wanted {
  /** By `tool_choice`. */
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
