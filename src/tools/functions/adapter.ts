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
 * Adapts a turn to a backend that supports less than its client uses. Tools that the backend does not support (free-text tools,
 * tools in namespaces, tool search) are offered as functions, and past calls of them become function calls. If the backend
 * supports everything, the turn is unchanged.
 */
export class FunctionAdapter {
  /** The turn with converted tools and choice; its input is unchanged. */
  readonly turn: Turn;
  /** Names of tools that cannot be offered. */
  readonly dropped: readonly string[];
  /** Undefined if all tools are offered unchanged. */
  readonly #gathered: readonly Gathered[] | undefined;
  #made: FunctionNames | undefined;
  /** Converted tools by function name. */
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
    this.turn = { ...turn, tools: this.#convert(gathered), choice: this.choice(turn.choice) };
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

  /** Created on first use: most turns do not need it. */
  get #names(): FunctionNames {
    this.#made ??= new FunctionNames(this.turn.tools);
    return this.#made;
  }

  /** Path of one of the turn's tools in the request. */
  place(index: number): string {
    return this.#gathered?.[index]?.at ?? joinPath("tools", index);
  }

  /** Whether any tool, offered now or called before, was converted to a function. */
  get converts(): boolean {
    return this.#made?.any ?? false;
  }

  /** The conversation in a form that the backend supports. */
  history(input: Item[]): Item[] {
    if (!input.some((item) => this.#isForeign(item))) return input;
    return input.flatMap((item): Item[] => {
      if (!this.#isForeign(item)) return [item];
      if (item.type === "call") return [this.#call(item)];
      if (item.type === "output") return [this.#output(item)];
      return isAgentMessage(item) ? [messageOf(item)] : [];
    });
  }

  /** The offered function that the model meant by this name. */
  offered(name: string): string {
    return this.#names.meant(name);
  }

  /** The client's tool behind a function; undefined if the function is offered unchanged. */
  original(name: string): ToolIdentity | undefined {
    return this.#names.tool(name);
  }

  /** Whether the backend does not support the item. */
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
      // An item's id reveals its type, which has changed.
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

  /** The choice in terms of the tools that are offered. */
  choice(choice: ToolChoice): ToolChoice {
    if (!this.#gathered) return choice;
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
    // Many entries may select the same group of functions, which is one list.
    const selected = new Set<readonly string[]>();
    const select = (names: readonly string[]) => names.length > 0 && selected.add(names).size > 0;
    const tools = choice.tools.filter((tool) => !select(this.#chosen(tool)));
    const others = choice.others.filter((other) => !select(this.#chosenBy(other)));
    const functions = new Set([...selected].flat());
    const named = [...functions].map((name): ToolName => ({ kind: "function", name }));
    return { ...choice, tools: [...tools, ...named], others };
  }

  /**
   * The functions that a tool name selects. Without a namespace, that is the tool that has none, or else the tools of all
   * namespaces.
   */
  #chosen({ kind, name, namespace }: ToolName): readonly string[] {
    const exact = this.#names.known({ kind, name, namespace });
    if (exact !== undefined) return this.#converted.has(exact) ? [exact] : [];
    return namespace === undefined ? (this.#groups().get(`tool ${kind} ${name}`) ?? []) : [];
  }

  #chosenBy({ type, name }: JsonObject): readonly string[] {
    if (type === "tool_search") return this.#groups().get("tool search tool_search") ?? [];
    return type === "namespace" && typeof name === "string" ? (this.#groups().get(`namespace ${name}`) ?? []) : [];
  }

  /** Functions grouped by kind and name, and by namespace: a choice may select several at once. */
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
