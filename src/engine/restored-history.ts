import type { Backend, CallItem, HistoryQuirks, Item, OutputItem, ReasoningItem, Turn } from "../turn/index.ts";
import { unreadable } from "./continuity.ts";
import type { KeptCall } from "./kept-records.ts";
import { hasSealed, missingBefore } from "./missing-context.ts";

/** The records about a history. */
export interface KnownHistory {
  calls: ReadonlyMap<CallItem, KeptCall>;
  /** The backends that made the reasoning, by reasoning id. */
  makers: ReadonlyMap<string, string>;
}

/** Rewrites a history, item by item, into the form that one backend accepts. */
export class RestoredHistory {
  readonly #backend: Backend;
  readonly #model: string;
  readonly #known: KnownHistory;
  readonly #standsIn: boolean;
  readonly #items: Item[] = [];
  /** The call ids that are sent to the backend, by the client's call ids. */
  readonly #ids = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** The ids of the reasoning items that are sent so far. */
  readonly #sentReasoning = new Set<string>();
  /** Consecutive items of the assistant: a chat provider has them as one message. */
  #group: Item[] = [];
  /** The records of the group's calls. */
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
    // Extensions of the client's API mean nothing to a backend of another API.
    const extensions =
      own?.extensions && own.extensions.format !== item.extensions?.format ? own.extensions : item.extensions;
    return callId === item.callId && extensions === item.extensions ? item : { ...item, callId, extensions };
  }

  #output(item: OutputItem): OutputItem {
    const callId = this.#ids.get(item.callId) ?? this.#idFor(item.callId, undefined);
    return callId === item.callId ? item : { ...item, callId };
  }

  /**
   * The backend's own id of its call, unless it would occur twice in the conversation or the turn's model would refuse another
   * model's id.
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
    const wanted = missingBefore(group, own, this.#quirks).filter((item) => !this.#isDropped(item));
    // A call of a tool that the provider runs ends a group. The reasoning before it belongs to the calls after it, too.
    const missing = wanted.filter((item) => !this.#isSent(item));
    // A Responses provider refuses its own item if the reasoning before it is missing. Without an id it accepts the item as new.
    const isGone =
      !this.#quirks.wantsReasoning && wanted.length === 0 && own.some(hasSealed) && !group.some(isReasoning);
    const isOrphaned = isGone || group.length < this.#group.length;
    for (const item of [...missing, ...(isOrphaned ? group.map(withoutId) : group)]) this.#send(item);
    this.#group = [];
    this.#kept = [];
  }

  #send(item: Item): void {
    this.#items.push(item);
    if (item.type === "reasoning" && item.id !== undefined) this.#sentReasoning.add(item.id);
  }

  #isSent(item: Item): boolean {
    return item.type === "reasoning" && item.id !== undefined && this.#sentReasoning.has(item.id);
  }

  #isDropped(item: Item): boolean {
    return item.type === "reasoning" && item.id !== undefined && this.#known.makers.get(item.id) === unreadable;
  }

  /** A call by another model of the same backend counts as own if this model emits reasoning text too. */
  #isOwn({ backend, model }: KeptCall): boolean {
    return backend === this.#backend.name && (model === this.#model || this.#quirks.takesReasoning(this.#model));
  }

  /** Reasoning of another backend is sent as text at most, and only to a model that emits reasoning text itself. */
  #reasoning(item: ReasoningItem, isOwn: boolean): ReasoningItem[] {
    const maker = item.id === undefined ? undefined : this.#known.makers.get(item.id);
    // A provider that wants the text cannot use encrypted reasoning: another provider made it.
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
