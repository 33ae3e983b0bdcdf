import type {
  Backend,
  CallItem,
  HistoryQuirks,
  Item,
  OutputItem,
  ReasoningItem,
  Turn,
  TurnError,
} from "../turn/index.ts";
import { Before, type KeptCall, type Memory } from "./continuity.ts";

/**
 * The turn as this backend can take it: its own calls under its own names and with what it thought before them, the calls of
 * others under ids that it accepts, and no reasoning that only another can read. `standsIn`: another backend was asked for.
 */
export function restoreTurn(turn: Turn, backend: Backend, memory: Memory, standsIn: boolean): Turn {
  if (!turn.input.some(isOfInterest)) return turn;
  const history = new History(turn, backend, memory, standsIn);
  for (const item of turn.input) history.add(item);
  return { ...turn, input: history.finish() };
}

/** The maker of reasoning that no backend here can read. */
const nobody = "";

/**
 * Whether a provider refuses reasoning that it cannot decrypt, and which of the turn's it may be: from now on none of it is given to
 * anybody. False where there is nothing left that could be dropped.
 */
export function dropReasoning(error: TurnError, { input }: Turn, quirks: HistoryQuirks, memory: Memory): boolean {
  if (!quirks.refusesReasoning(error)) return false;
  const sealed = input.flatMap((item) => (item.type === "reasoning" && item.encrypted ? [item.id ?? ""] : []));
  const owned = sealed.filter((id) => id !== "" && memory.recallReasoning(id) !== nobody);
  if (owned.length > mostDropped) return false;
  for (const id of owned) memory.keepReasoning(id, nobody);
  return owned.length > 0;
}

/** No conversation has more, and what others need remembered must not be forgotten over one. */
const mostDropped = 5_000;

function isOfInterest({ type }: Item): boolean {
  return type === "call" || type === "output" || type === "reasoning";
}

class History {
  readonly #backend: Backend;
  readonly #model: string;
  readonly #memory: Memory;
  readonly #standsIn: boolean;
  readonly #items: Item[] = [];
  /** What the client calls a call, and what the backend is told. */
  readonly #ids = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** What the assistant did between two answers: a chat provider has it as one message. */
  #group: Item[] = [];
  /** What is remembered of the group's calls. */
  #kept: KeptCall[] = [];
  readonly #before = new Before();

  constructor({ model, input }: Turn, backend: Backend, memory: Memory, standsIn: boolean) {
    this.#backend = backend;
    this.#model = model;
    this.#memory = memory;
    this.#standsIn = standsIn;
    for (const item of input) if (item.type === "call") this.#taken.add(item.callId);
  }

  add(item: Item): void {
    this.#add(item);
    this.#before.add(item);
  }

  #add(item: Item): void {
    switch (item.type) {
      case "reasoning":
        this.#group.push(item);
        return;
      case "call":
        this.#group.push(this.#call(item));
        return;
      case "message":
        if (item.role === "assistant") {
          this.#group.push(item);
          return;
        }
        break;
      case "output":
        this.#endGroup();
        this.#items.push(this.#output(item));
        return;
    }
    this.#endGroup();
    this.#items.push(item);
  }

  finish(): Item[] {
    this.#endGroup();
    return this.#items;
  }

  #call(item: CallItem): CallItem {
    const { callId: id, name, arguments: text } = item;
    const kept = this.#recall(id, name, text);
    if (kept) this.#kept.push(kept);
    const callId = this.#idFor(id, kept);
    const own = kept && this.#isOwn(kept) ? kept : undefined;
    this.#ids.set(item.callId, callId);
    // What a client brings of its own API means nothing to a backend of the other.
    const extensions =
      own?.extensions && own.extensions.format !== item.extensions?.format ? own.extensions : item.extensions;
    return callId === item.callId && extensions === item.extensions ? item : { ...item, callId, extensions };
  }

  #recall(callId: string, name: string, text: string): KeptCall | undefined {
    for (const before of this.#before.candidates(callId)) {
      const kept = this.#memory.recallCall({ callId, name, arguments: text, before });
      if (kept) return kept;
    }
    return undefined;
  }

  #output(item: OutputItem): OutputItem {
    const callId = this.#ids.get(item.callId) ?? this.#idFor(item.callId, undefined);
    return callId === item.callId ? item : { ...item, callId };
  }

  /**
   * The backend's own id of its call. Not where it would stand twice in the conversation, nor where another model of the same
   * backend would refuse it.
   */
  #idFor(id: string, kept: KeptCall | undefined): string {
    const own = kept?.backend === this.#backend.name ? kept.callId : undefined;
    if (
      own !== undefined &&
      !this.#taken.has(own) &&
      (kept?.model === this.#model || this.#quirks.takesCallId(own, this.#model))
    ) {
      this.#taken.add(own);
      return own;
    }
    return this.#quirks.callIdFor(id, this.#model);
  }

  get #quirks(): HistoryQuirks {
    return this.#backend.capabilities.quirks;
  }

  #endGroup(): void {
    if (this.#group.length === 0) return;
    const own = this.#kept.filter((kept) => this.#isOwn(kept));
    const group = this.#group.flatMap((item): Item[] =>
      item.type === "reasoning" ? this.#reasoning(item, own.length > 0) : [item],
    );
    const missing = missingBefore(group, own, this.#quirks).filter((item) => !this.#isDropped(item));
    // A Responses provider refuses an item of its own whose reasoning is gone; without its id it takes the item as new.
    const isGone = missing.length === 0 && own.some(({ sealed }) => sealed) && !group.some(isReasoning);
    const orphaned = isGone || group.length < this.#group.length;
    this.#items.push(...missing, ...(orphaned ? group.map(withoutId) : group));
    this.#group = [];
    this.#kept = [];
  }

  #isDropped(item: Item): boolean {
    return item.type === "reasoning" && item.id !== undefined && this.#memory.recallReasoning(item.id) === nobody;
  }

  /** What another model of the same backend has thought is its own as well where it thinks aloud too. */
  #isOwn({ backend, model }: KeptCall): boolean {
    if (backend !== this.#backend.name) return false;
    return model === this.#model || this.#quirks.takesReasoning(this.#model);
  }

  /** Reasoning of another backend is text at best, and only for a model that thinks aloud itself. */
  #reasoning(item: ReasoningItem, isOwn: boolean): ReasoningItem[] {
    const maker = item.id === undefined ? undefined : this.#memory.recallReasoning(item.id);
    // What is encrypted was made by a Responses provider, and is nothing to a chat one.
    const isElsewhere = item.encrypted !== undefined && this.#quirks.wantsReasoning;
    const known = maker ?? this.#kept[0]?.backend ?? (isElsewhere ? nobody : undefined);
    const isReadable = isOwn || known === this.#backend.name || (known === undefined && !this.#standsIn);
    if (isReadable && maker !== nobody) return [item];
    return this.#quirks.takesReasoning(this.#model) ? [{ type: "reasoning", summary: item.summary }] : [];
  }
}

/** What the client has dropped of what came before its calls. */
function missingBefore(group: readonly Item[], kept: readonly KeptCall[], quirks: HistoryQuirks): Item[] {
  const missing: Item[] = [];
  const reasoning = kept.find((call) => call.reasoning !== undefined)?.reasoning;
  const thought = group.some(isReasoning);
  if (reasoning !== undefined && !thought) missing.push({ type: "reasoning", summary: [reasoning] });
  const sealed = kept.find((call) => call.sealed !== undefined)?.sealed;
  // A chat client brings the words of it alone, which the provider cannot read.
  const isSealed = group.some((item) => item.type === "reasoning" && item.encrypted !== undefined);
  if (sealed?.every(({ encrypted }) => encrypted !== undefined) && !isSealed) {
    for (const { id, encrypted } of sealed) missing.push({ type: "reasoning", id, summary: [], encrypted });
  }
  const extra = kept.find((call) => call.extra !== undefined)?.extra;
  const extensions = extra && quirks.missingFields(extra, group);
  if (extensions) missing.push({ type: "message", role: "assistant", content: [], extensions });
  return missing;
}

function isReasoning({ type }: Item): boolean {
  return type === "reasoning";
}

function withoutId(item: Item): Item {
  return item.type === "call" || item.type === "message" ? { ...item, id: undefined } : item;
}
