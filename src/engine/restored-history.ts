import type { Backend, CallItem, HistoryQuirks, Item, OutputItem, ReasoningItem, Turn } from "../turn/index.ts";
import { unreadable } from "./continuity.ts";
import type { KeptCall } from "./kept-records.ts";
import { hasSealed, missingBefore } from "./missing-context.ts";

/** What is known of a history. */
export interface KnownHistory {
  calls: ReadonlyMap<CallItem, KeptCall>;
  /** The makers of reasoning, by its ids. */
  makers: ReadonlyMap<string, string>;
}

/** A history as one backend can take it, item by item. */
export class RestoredHistory {
  readonly #backend: Backend;
  readonly #model: string;
  readonly #known: KnownHistory;
  readonly #standsIn: boolean;
  readonly #items: Item[] = [];
  /** What the client calls a call, and what the backend is told. */
  readonly #ids = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** What the assistant did between two answers: a chat provider has it as one message. */
  #group: Item[] = [];
  /** What is remembered of the group's calls. */
  #kept: KeptCall[] = [];

  constructor({ model, input }: Turn, backend: Backend, known: KnownHistory, standsIn: boolean) {
    this.#backend = backend;
    this.#model = model;
    this.#known = known;
    this.#standsIn = standsIn;
    for (const item of input) if (item.type === "call") this.#taken.add(item.callId);
  }

  add(item: Item): void {
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

  get #quirks(): HistoryQuirks {
    return this.#backend.capabilities.quirks;
  }

  #call(item: CallItem): CallItem {
    const kept = this.#known.calls.get(item);
    if (kept) this.#kept.push(kept);
    const callId = this.#idFor(item.callId, kept);
    const own = kept && this.#isOwn(kept) ? kept : undefined;
    this.#ids.set(item.callId, callId);
    // What a client brings of its own API means nothing to a backend of the other.
    const extensions =
      own?.extensions && own.extensions.format !== item.extensions?.format ? own.extensions : item.extensions;
    return callId === item.callId && extensions === item.extensions ? item : { ...item, callId, extensions };
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
    const isTaken = own === undefined || this.#taken.has(own);
    if (isTaken || (kept?.model !== this.#model && !this.#quirks.takesCallId(own, this.#model))) {
      return this.#quirks.callIdFor(id, this.#model);
    }
    this.#taken.add(own);
    return own;
  }

  #endGroup(): void {
    if (this.#group.length === 0) return;
    const own = this.#kept.filter((kept) => this.#isOwn(kept));
    const group = this.#group.flatMap((item): Item[] =>
      item.type === "reasoning" ? this.#reasoning(item, own.length > 0) : [item],
    );
    const missing = missingBefore(group, own, this.#quirks).filter((item) => !this.#isDropped(item));
    // A Responses provider refuses an item of its own whose reasoning is gone; without its id it takes the item as new.
    const isGone =
      !this.#quirks.wantsReasoning && missing.length === 0 && own.some(hasSealed) && !group.some(isReasoning);
    const isOrphaned = isGone || group.length < this.#group.length;
    this.#items.push(...missing, ...(isOrphaned ? group.map(withoutId) : group));
    this.#group = [];
    this.#kept = [];
  }

  #isDropped(item: Item): boolean {
    return item.type === "reasoning" && item.id !== undefined && this.#known.makers.get(item.id) === unreadable;
  }

  /** What another model of the same backend has thought is its own as well where it thinks aloud too. */
  #isOwn({ backend, model }: KeptCall): boolean {
    return backend === this.#backend.name && (model === this.#model || this.#quirks.takesReasoning(this.#model));
  }

  /** Reasoning of another backend is text at best, and only for a model that thinks aloud itself. */
  #reasoning(item: ReasoningItem, isOwn: boolean): ReasoningItem[] {
    const maker = item.id === undefined ? undefined : this.#known.makers.get(item.id);
    // What is encrypted was made by a provider that seals its reasoning, and is nothing to one that wants its text.
    const isElsewhere = item.encrypted !== undefined && this.#quirks.wantsReasoning;
    const known = maker ?? this.#kept[0]?.backend ?? (isElsewhere ? unreadable : undefined);
    const isReadable = isOwn || known === this.#backend.name || (known === undefined && !this.#standsIn);
    if (isReadable && maker !== unreadable) return [item];
    return this.#quirks.takesReasoning(this.#model) ? [{ type: "reasoning", summary: item.summary }] : [];
  }
}

function isReasoning({ type }: Item): boolean {
  return type === "reasoning";
}

function withoutId(item: Item): Item {
  return item.type === "call" || item.type === "message" ? { ...item, id: undefined } : item;
}
