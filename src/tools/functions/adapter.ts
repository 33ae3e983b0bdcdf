import {
  type CallItem,
  type Item,
  type JsonObject,
  joinPath,
  type OutputItem,
  type Tool,
  type ToolChoice,
  type ToolName,
  type Turn,
} from "../../turn/index.ts";
import { isAgentMessage, messageOf } from "./agent-message.ts";
import { freeTextKey, functionOf } from "./definition.ts";
import {
  bringsTools,
  type Carries,
  type Convertible,
  carriesNamespaces,
  type Gathered,
  gatherTools,
  identitiesIn,
  isToolList,
  type ToolIdentity,
} from "./gather.ts";
import { FunctionNames } from "./names.ts";

/**
 * A turn for a backend that knows less than its client: what it does not carry (tools that take free text, tools in namespaces, a
 * search for tools) is offered as functions, and what was called before is told as their calls. Where the backend carries everything,
 * it is the turn as it was.
 */
export class FunctionAdapter {
  /** With the tools and the choice in this form; the input is as it was. */
  readonly turn: Turn;
  /** What cannot be offered at all, by name. */
  readonly dropped: readonly string[];
  /** Nothing where all tools are offered as they are. */
  readonly #gathered: readonly Gathered[] | undefined;
  #made: FunctionNames | undefined;
  /** By their names. */
  #converted: ReadonlyMap<string, Convertible> = none;
  #grouped: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #carriesCustom: boolean;
  readonly #carriesNamespaces: boolean;

  constructor(turn: Turn, carries: Carries) {
    this.#carriesCustom = carries({ type: "custom", name: "text" });
    this.#carriesNamespaces = carriesNamespaces(carries);
    if (turn.tools.every(carries) && (this.#carriesNamespaces || !turn.input.some(bringsTools))) {
      this.turn = turn;
      this.dropped = [];
      return;
    }
    const { gathered, dropped } = gatherTools(turn, carries);
    this.dropped = dropped;
    this.#gathered = gathered;
    this.turn = { ...turn, tools: this.#convert(gathered), choice: this.#choice(turn.choice) };
  }

  #convert(gathered: readonly Gathered[]): Tool[] {
    const kept = gathered.flatMap(({ as, tool }) => (as === "is" ? [tool] : []));
    const names = new FunctionNames(kept);
    this.#made = names;
    const introduced = new Set<string>();
    const converted = new Map<string, Convertible>();
    this.#converted = converted;
    return gathered.map(({ as, tool }): Tool => {
      if (as === "is") return tool;
      const name = names.of(tool);
      converted.set(name, tool);
      const { namespace = "", about } = tool;
      const isFirst = !introduced.has(namespace);
      introduced.add(namespace);
      return functionOf(tool, name, isFirst ? about : undefined);
    });
  }

  /** Most turns have nothing that they are needed for. */
  get #names(): FunctionNames {
    this.#made ??= new FunctionNames(this.turn.tools);
    return this.#made;
  }

  /** Where in the request one of the turn's tools stands. */
  place(index: number): string {
    return this.#gathered?.[index]?.at ?? joinPath("tools", index);
  }

  /** Whether the model knows any tool as what it is not: one that is offered, or one that was called before. */
  get converts(): boolean {
    return this.#made?.any ?? false;
  }

  /** The conversation as the backend can be told it. */
  history(input: Item[]): Item[] {
    if (!input.some((item) => this.#isForeign(item))) return input;
    return input.flatMap((item): Item[] => {
      if (!this.#isForeign(item)) return [item];
      if (item.type === "call") return [this.#call(item)];
      if (item.type === "output") return [this.#output(item)];
      return isAgentMessage(item) ? [messageOf(item)] : [];
    });
  }

  /** The name by which a function is offered that the model has called by this one. */
  offered(name: string): string {
    return this.#names.meant(name);
  }

  /** What the client knows a function by; nothing where it is offered as it is. */
  original(name: string): ToolIdentity | undefined {
    return this.#names.tool(name);
  }

  /** Whether the backend has no form for it. */
  #isForeign(item: Item): boolean {
    if (isToolList(item) || isAgentMessage(item)) return !this.#carriesNamespaces;
    if (item.type !== "call" && item.type !== "output") return false;
    const isNamed = item.type === "call" && item.namespace !== undefined;
    if (item.kind === "search" || isNamed) return !this.#carriesNamespaces;
    if (item.kind === "custom") return !this.#carriesCustom;
    return item.type === "call" && this.#converted.size > 0 && (this.#names.known(item) ?? item.name) !== item.name;
  }

  #call(item: CallItem): CallItem {
    const { kind, name, namespace, arguments: text, id } = item;
    return {
      ...item,
      kind: "function",
      name: this.#names.told({ kind, name, namespace }),
      namespace: undefined,
      arguments: kind === "custom" ? JSON.stringify({ [freeTextKey]: text }) : text,
      // The id of an item tells its type.
      id: kind === "function" ? id : undefined,
    };
  }

  #output(item: OutputItem): OutputItem {
    const output = item.kind === "search" ? this.#found(item) : item.output;
    return { ...item, kind: "function", output, tools: undefined, id: undefined };
  }

  #found({ tools }: OutputItem): string {
    const names = identitiesIn(tools).map((tool) => this.#names.of(tool));
    if (names.length === 0) return "No tools were found.";
    return `Found, and can be called from now on: ${names.join(", ")}`;
  }

  #choice(choice: ToolChoice): ToolChoice {
    switch (choice.mode) {
      case "forced": {
        const [name] = this.#chosen(choice.tool);
        return name === undefined ? choice : { mode: "forced", tool: { kind: "function", name } };
      }
      case "allowed":
        return this.#allowed(choice);
      case "hosted": {
        const [name] = choice.choice.type === "tool_search" ? this.#chosenBy(choice.choice) : [];
        return name === undefined ? choice : { mode: "forced", tool: { kind: "function", name } };
      }
      default:
        return choice;
    }
  }

  #allowed(choice: ToolChoice & { mode: "allowed" }): ToolChoice {
    const functions = new Set<string>();
    const tools = choice.tools.filter((tool) => !addAll(functions, this.#chosen(tool)));
    const others = choice.others.filter((other) => !addAll(functions, this.#chosenBy(other)));
    const named = [...functions].map((name): ToolName => ({ kind: "function", name }));
    return { ...choice, tools: [...tools, ...named], others };
  }

  /** The functions that a tool's name means. Without a namespace it means the tool that stands in none, if there is one. */
  #chosen({ kind, name, namespace }: ToolName): readonly string[] {
    const exact = this.#names.known({ kind, name, namespace });
    if (exact !== undefined) return this.#converted.has(exact) ? [exact] : [];
    return namespace === undefined ? (this.#groups().get(`tool ${kind} ${name}`) ?? []) : [];
  }

  #chosenBy({ type, name }: JsonObject): readonly string[] {
    if (type === "tool_search") return this.#groups().get("tool search tool_search") ?? [];
    return type === "namespace" && typeof name === "string" ? (this.#groups().get(`namespace ${name}`) ?? []) : [];
  }

  /** The functions by what may name several of them at once: their kind and name, and their namespace. */
  #groups(): ReadonlyMap<string, readonly string[]> {
    if (this.#grouped) return this.#grouped;
    const groups = new Map<string, string[]>();
    for (const [name, tool] of this.#converted) {
      const namespace = tool.namespace === undefined ? [] : [`namespace ${tool.namespace}`];
      for (const group of [`tool ${tool.kind} ${tool.name}`, ...namespace]) {
        const names = groups.get(group);
        if (names) names.push(name);
        else groups.set(group, [name]);
      }
    }
    this.#grouped = groups;
    return groups;
  }
}

const none: ReadonlyMap<string, Convertible> = new Map();

/** Whether there was anything to add. */
function addAll(names: Set<string>, more: readonly string[]): boolean {
  for (const name of more) names.add(name);
  return more.length > 0;
}
