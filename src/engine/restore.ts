import { createHash } from "node:crypto";
import {
  type Backend,
  type CallItem,
  type Item,
  isPortableId,
  type OutputItem,
  type ReasoningItem,
  type Turn,
} from "../turn/index.ts";
import type { KeptCall, Memory } from "./continuity.ts";

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

  constructor({ model, input }: Turn, backend: Backend, memory: Memory, standsIn: boolean) {
    this.#backend = backend;
    this.#model = model;
    this.#memory = memory;
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

  #call(item: CallItem): CallItem {
    const kept = this.#memory.recallCall(item);
    if (kept) this.#kept.push(kept);
    const own = kept?.backend === this.#backend.name ? kept : undefined;
    const callId = this.#idFor(item.callId, own?.callId);
    this.#ids.set(item.callId, callId);
    // What a client brings of its own API means nothing to a backend of the other.
    const more = own?.more && own.more.api !== item.more?.api ? own.more : item.more;
    return callId === item.callId && more === item.more ? item : { ...item, callId, more };
  }

  #output(item: OutputItem): OutputItem {
    const callId = this.#ids.get(item.callId) ?? this.#idFor(item.callId, undefined);
    return callId === item.callId ? item : { ...item, callId };
  }

  /** An id that the backend gave twice cannot be given back twice in one conversation. */
  #idFor(id: string, own: string | undefined): string {
    if (own !== undefined && !this.#taken.has(own)) {
      this.#taken.add(own);
      return own;
    }
    return this.#takes(id) ? id : shortId(id);
  }

  #takes(id: string): boolean {
    return this.#backend.takesCallId?.(id, this.#model) ?? isPortableId(id);
  }

  #endGroup(): void {
    if (this.#group.length === 0) return;
    const own = this.#kept.filter(({ backend }) => backend === this.#backend.name);
    const group = this.#group.flatMap((item): Item[] =>
      item.type === "reasoning" ? this.#reasoning(item, own.length > 0) : [item],
    );
    this.#items.push(...missingBefore(group, own), ...group);
    this.#group = [];
    this.#kept = [];
  }

  /** Reasoning of another backend is text at best, and only for a model that thinks aloud itself. */
  #reasoning(item: ReasoningItem, isOwn: boolean): ReasoningItem[] {
    const maker = item.id === undefined ? undefined : this.#memory.recallReasoning(item.id);
    const known = maker ?? this.#kept[0]?.backend;
    if (isOwn || known === this.#backend.name || (known === undefined && !this.#standsIn)) return [item];
    return this.#backend.takesReasoning?.(this.#model) ? [{ type: "reasoning", summary: item.summary }] : [];
  }
}

/** What the client has dropped of what came before its calls. */
function missingBefore(group: readonly Item[], kept: readonly KeptCall[]): Item[] {
  const missing: Item[] = [];
  const reasoning = kept.find((call) => call.reasoning !== undefined)?.reasoning;
  if (reasoning !== undefined && !group.some(({ type }) => type === "reasoning")) {
    missing.push({ type: "reasoning", summary: [reasoning] });
  }
  const besides = kept.find((call) => call.besides !== undefined)?.besides;
  const hasBesides = group.some((item) => item.type === "message" && item.more?.fields.reasoning_details !== undefined);
  if (besides && !hasBesides) {
    missing.push({ type: "message", role: "assistant", content: [], more: { api: "chat", fields: besides } });
  }
  return missing;
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Nine letters and digits: what Mistral insists on is taken by all. The same id always becomes the same. */
function shortId(id: string): string {
  const digest = createHash("sha256").update(id).digest();
  return Array.from(digest.subarray(0, 9), (byte) => letters.charAt(byte % letters.length)).join("");
}
