import { createHash, randomFillSync } from "node:crypto";
import type { CallKind, Item } from "./item.ts";

/** The one pattern that every provider and client accepts for ids of calls. */
const portable = /^[A-Za-z0-9_-]{1,64}$/;

export function isPortableId(id: string): boolean {
  return portable.test(id);
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Nine letters and digits: what the strictest provider demands, all others take. The same id always becomes the same. */
export function compactId(id: string): string {
  const digest = createHash("sha256").update(id).digest();
  return Array.from(digest.subarray(0, 9), (byte) => alphabet.charAt(byte % alphabet.length)).join("");
}

export type IdPrefix = "call" | "fc" | "ctc" | "tsc" | "msg" | "rs" | "item";

/** Random bytes for many ids at a time, and how many of them were used. */
const pool = Buffer.allocUnsafe(16 * 256);
let used = pool.length;

/** A new id that nobody else has. It is copied into one piece: ids live long, and a string that V8 joins keeps its parts. */
export function newId(prefix: string, separator = "_"): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.toString("hex", used, used + 16);
  used += 16;
  return Buffer.from(`${prefix}${separator}${random}`, "latin1").toString("latin1");
}

const own = /^[a-z]+_[0-9a-f]{32}$/;

/** Whether an id has the form of those that are made here. */
export function isOwnId(id: string): boolean {
  return own.test(id);
}

/** How an API writes the ids of its answers: `resp_…`, `chatcmpl-…`. */
export interface AnswerIdForm {
  prefix: string;
  separator: string;
  /** Whether the provider's own id stands at the end, so that a later request finds the answer there without anything kept here. */
  carriesUpstream: boolean;
}

/** A new id for an answer. */
export function answerId({ prefix, separator, carriesUpstream }: AnswerIdForm, upstreamId: string | undefined): string {
  const id = newId(prefix, separator);
  return carriesUpstream && upstreamId !== undefined ? `${id}_${upstreamId}` : id;
}

/** random: new to the world. sequential: `fc_001`, `fc_002` … in order of appearance, one id for a call and its item. */
export type IdOrder = "random" | "sequential";

/** Gives out the ids of a conversation: each is portable and new to it, whatever a backend repeats. */
export class Ids {
  readonly #input: readonly Item[];
  readonly #order: IdOrder;
  /** The number that was given last before the input. */
  readonly #before: number;
  #taken: Set<string> | undefined;
  /** The highest number that was given, in the input or here. */
  #last: number | undefined;
  #upstreamIds: Map<string, string> | undefined;
  /** What the round under way has taken, and the highest number before it. */
  #ofRound: Set<string> | undefined;
  #lastBefore: number | undefined;

  constructor(input: readonly Item[] = [], order: IdOrder = "random", before = 0) {
    this.#input = input;
    this.#order = order;
    this.#before = before;
  }

  /** The next round begins: the ids before it stay taken. */
  beginRound(): void {
    if (this.#ofRound) for (const id of this.#ofRound) this.#known().add(id);
    this.#ofRound = undefined;
    this.#lastBefore = this.#last;
  }

  /** Gives the ids of the round under way free: nothing of it was sent. */
  rollBack(): void {
    if (this.#upstreamIds && this.#ofRound) for (const id of this.#ofRound) this.#upstreamIds.delete(id);
    this.#ofRound = undefined;
    this.#last = this.#lastBefore;
  }

  /** The backend's own id where it is fit and new; otherwise one of ours. */
  claim(prefix: IdPrefix, candidate?: string): string {
    const isFree = candidate !== undefined && isFit(prefix, candidate) && !this.#isTaken(candidate);
    return this.#take(isFree ? candidate : newId(prefix));
  }

  /** The two ids of a call: what its output names, and its item's own. */
  claimCall({ kind, callId, id }: { kind: CallKind; callId?: string | undefined; id?: string | undefined }): CallIds {
    const prefix = prefixes[kind];
    const ids = this.areNumbered
      ? this.#nextNumber(prefix)
      : { callId: this.claim("call", callId), id: this.claim(prefix, id) };
    if (callId && callId !== ids.callId) {
      this.#upstreamIds ??= new Map();
      this.#upstreamIds.set(ids.callId, callId);
    }
    return ids;
  }

  /** What the backend calls the calls to which other ids were given. */
  get upstreamIds(): ReadonlyMap<string, string> {
    return this.#upstreamIds ?? none;
  }

  #nextNumber(prefix: string): CallIds {
    let number = this.lastNumber;
    let next: string;
    do next = `${prefix}_${String(++number).padStart(3, "0")}`;
    while (this.#isTaken(next));
    this.#last = number;
    this.#take(next);
    return { callId: next, id: next };
  }

  /** The highest number so far, where ids are numbered. */
  get lastNumber(): number {
    if (!this.areNumbered) return 0;
    this.#last ??= Math.max(this.#before, highestNumber(this.#known()), highestNumber(this.#ofRound ?? []));
    return this.#last;
  }

  /** Whether ids are given by their order, whatever the backend names its calls. */
  get areNumbered(): boolean {
    return this.#order === "sequential";
  }

  #take(id: string): string {
    this.#ofRound ??= new Set();
    this.#ofRound.add(id);
    return id;
  }

  #isTaken(id: string): boolean {
    return this.#known().has(id) || (this.#ofRound?.has(id) ?? false);
  }

  #known(): Set<string> {
    this.#taken ??= idsOf(this.#input);
    return this.#taken;
  }
}

const prefixes = { function: "fc", custom: "ctc", search: "tsc" } as const satisfies Record<CallKind, IdPrefix>;

const none: ReadonlyMap<string, string> = new Map();

interface CallIds {
  callId: string;
  id: string;
}

/** Nobody counts further; a longer number is an id of another kind. */
const numbered = /^(?:fc|ctc|tsc)_(\d{3,9})$/;

/** Whether an id is one of those that are counted, which every conversation begins anew. */
export function isNumberedId(id: string): boolean {
  return numbered.test(id);
}

function highestNumber(ids: Iterable<string>): number {
  let highest = 0;
  for (const id of ids) highest = Math.max(highest, Number(numbered.exec(id)?.[1] ?? 0));
  return highest;
}

/** Providers refuse an item whose id does not tell its type; the id of a call may be anything portable. */
function isFit(prefix: IdPrefix, id: string): boolean {
  return portable.test(id) && (prefix === "call" || prefix === "item" || id.startsWith(`${prefix}_`));
}

function idsOf(items: readonly Item[]): Set<string> {
  const ids = new Set<string>();
  for (const item of items) {
    if (item.type === "opaque") {
      if (typeof item.fields.id === "string") ids.add(item.fields.id);
      continue;
    }
    if (item.id !== undefined) ids.add(item.id);
    if (item.type === "call" || item.type === "output") ids.add(item.callId);
  }
  return ids;
}
