import {
  type CallKind,
  type CustomTool,
  type FunctionTool,
  type HostedTool,
  type Item,
  joinPath,
  type OpaqueItem,
  type Tool,
  type ToolChoice,
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
export type Gathered = { as: "is"; tool: Tool } | { as: "function"; tool: Convertible };

export type Carries = (tool: Tool) => boolean;

/**
 * The tools of a turn for a backend that does not carry all of them: those of the request, those that stand in its input, and those
 * that a search has found. Tools that are to be searched for are left out where there is a search that finds them.
 */
export function gatherTools(turn: Turn, carries: Carries): { gathered: Gathered[]; dropped: string[] } {
  const listed = listedTools(turn);
  const gathering = new Gathering(
    turn,
    carries,
    listed.some(({ tool }) => isClientSearch(tool) && !carries(tool)),
  );
  for (const { tool, at } of listed) gathering.add(tool, at);
  turn.input.forEach((item, index) => {
    if (item.type !== "output" || !item.tools) return;
    const at = joinPath(joinPath("input", index), "tools");
    for (const tool of readTools(item.tools, "responses", at)) gathering.find(tool, at);
  });
  return gathering.finish();
}

interface Listed {
  tool: Tool;
  at: string;
}

function listedTools({ tools, input }: Turn): Listed[] {
  const listed = tools.map((tool, index): Listed => ({ tool, at: joinPath("tools", index) }));
  input.forEach((item, index) => {
    if (!isToolList(item)) return;
    const at = joinPath(joinPath("input", index), "tools");
    for (const tool of readTools(item.fields.tools, "responses", at)) listed.push({ tool, at });
  });
  return listed;
}

/** Some clients bring tools as an item of their input. */
export function isToolList(item: Item): item is OpaqueItem {
  return item.type === "opaque" && item.api === "responses" && item.fields.type === "additional_tools";
}

class Gathering {
  readonly #turn: Turn;
  readonly #carries: Carries;
  readonly #isSearched: boolean;
  readonly #gathered: Gathered[] = [];
  /** Where in the list a tool is. */
  readonly #places = new Map<string, number>();
  readonly #dropped: string[] = [];

  constructor(turn: Turn, carries: Carries, isSearched: boolean) {
    this.#turn = turn;
    this.#carries = carries;
    this.#isSearched = isSearched;
  }

  add(tool: Tool, at: string): void {
    if (!this.#carries(tool)) {
      for (const convertible of this.#convert(tool, at)) if (!this.#isHidden(convertible)) this.#put(convertible);
    } else if (tool.type === "hosted") this.#gathered.push({ as: "is", tool });
    else if (!this.#isHidden({ ...identityOf(tool), definition: tool })) {
      this.#places.set(identityKey(identityOf(tool)), this.#gathered.push({ as: "is", tool }) - 1);
    }
  }

  /** What a search has found is to be called, however it was declared. */
  find(tool: Tool, at: string): void {
    for (const convertible of this.#convert(tool, at)) this.#put(convertible);
  }

  finish(): { gathered: Gathered[]; dropped: string[] } {
    return { gathered: this.#gathered, dropped: this.#dropped };
  }

  *#convert(tool: Tool, at: string): Generator<Convertible> {
    if (tool.type !== "hosted") {
      yield { ...identityOf(tool), definition: tool };
      return;
    }
    const { name, description, tools } = tool.definition;
    if (isNamespace(tool) && typeof name === "string" && Array.isArray(tools)) {
      const about = typeof description === "string" && description !== "" ? description : undefined;
      for (const inner of readTools(tools, "responses", joinPath(at, "tools"))) {
        if (inner.type === "hosted") this.#dropped.push(toolLabel(inner));
        else yield { ...identityOf(inner), namespace: name, definition: inner, about };
      }
    } else if (isClientSearch(tool)) yield { kind: "search", name: "tool_search", definition: tool };
    else this.#dropped.push(toolLabel(tool));
  }

  /** A tool that is there twice is one, as it was declared last. */
  #put(tool: Convertible): void {
    const key = identityKey(tool);
    const place = this.#places.get(key);
    if (place === undefined) this.#places.set(key, this.#gathered.push({ as: "function", tool }) - 1);
    else if (this.#gathered[place]?.as === "function") this.#gathered[place] = { as: "function", tool };
  }

  /** A tool that can be searched for, unless it was called before, so that it was found once, or is asked for by its name. */
  #isHidden(tool: Convertible): boolean {
    if (!this.#isSearched || !isDeferred(tool.definition)) return false;
    const { input, choice } = this.#turn;
    return !isChosen(choice, tool) && !input.some((item) => item.type === "call" && isSame(item, tool));
  }
}

function isNamespace({ api, definition }: HostedTool): boolean {
  return api === "responses" && definition.type === "namespace";
}

function isClientSearch(tool: Tool): boolean {
  if (tool.type !== "hosted" || tool.api !== "responses") return false;
  return tool.definition.type === "tool_search" && tool.definition.execution === "client";
}

export function identityKey({ kind, name, namespace = "" }: ToolIdentity): string {
  return `${kind}\n${namespace}\n${name}`;
}

function identityOf({ type: kind, name }: FunctionTool | CustomTool): ToolIdentity {
  return { kind, name };
}

function isSame(one: ToolIdentity, other: ToolIdentity): boolean {
  return one.kind === other.kind && one.name === other.name && one.namespace === other.namespace;
}

function isChosen(choice: ToolChoice, tool: ToolIdentity): boolean {
  if (choice.mode === "forced") return choice.tool.name === tool.name;
  return choice.mode === "allowed" && choice.tools.some(({ name }) => name === tool.name);
}

function isDeferred(tool: Tool): boolean {
  return tool.type !== "hosted" && tool.more?.fields.defer_loading === true;
}
