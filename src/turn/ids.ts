import { createHash, randomFillSync } from "node:crypto";
import type { CallKind, Item } from "./item.ts";

/** The one pattern that every provider and client accepts for ids of calls. */
const portable = /^[A-Za-z0-9_-]{1,64}$/;

export function isPortableId(id: string): boolean {
  return portable.test(id);
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Nine letters and digits: the strictest provider requires this form, and all others accept it. The same input always gives the
 * same id.
 */
export function compactId(id: string): string {
  const digest = createHash("sha256").update(id).digest();
  return Array.from(digest.subarray(0, 9), (byte) => alphabet.charAt(byte % alphabet.length)).join("");
}

export type IdPrefix = "call" | "fc" | "ctc" | "tsc" | "msg" | "rs" | "item";

/** Random bytes for many ids at once, and how many of them are used. */
const pool = Buffer.allocUnsafe(16 * 256);
let used = pool.length;
/** The id that is being written, and the digits that it is written with. */
const written = Buffer.allocUnsafe(128);
const digits = Buffer.from("0123456789abcdef");

/** A new unique id. It is written as one flat string: ids live long, and a string that V8 concatenates keeps its parts in memory. */
export function newId(prefix: string, separator = "_"): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let length = written.write(prefix + separator, "latin1");
  for (const end = used + 16; used < end; used++) {
    const byte = pool[used] ?? 0;
    written[length++] = digits[byte >> 4] ?? 0;
    written[length++] = digits[byte & 15] ?? 0;
  }
  return written.toString("latin1", 0, length);
}

const own = /^[a-z]+_[0-9a-f]{32}$/;

/** Whether an id has the form of the ids that are generated here. */
export function isOwnId(id: string): boolean {
  return own.test(id);
}

/** The form of an API's answer ids, for example `resp_…` or `chatcmpl-…`. */
export interface AnswerIdForm {
  prefix: string;
  separator: string;
  /**
   * Whether the provider's own id is appended, so that a later request finds the answer at the provider without any state stored
   * here.
   */
  carriesUpstream: boolean;
}

/** A new id for an answer. */
export function answerId({ prefix, separator, carriesUpstream }: AnswerIdForm, upstreamId: string | undefined): string {
  const id = newId(prefix, separator);
  return carriesUpstream && upstreamId !== undefined ? `${id}_${upstreamId}` : id;
}

/** random: globally unique. sequential: `fc_001`, `fc_002`, … in order of appearance; a call and its item share one id. */
export type IdOrder = "random" | "sequential";

/** Assigns the ids of a conversation. Each id is portable and unique in the conversation, even if a backend repeats its own. */
export class Ids {
  readonly #input: readonly Item[];
  readonly #order: IdOrder;
  /** The last number that was assigned before the input began. */
  readonly #before: number;
  #taken: Set<string> | undefined;
  /** The highest number so far, in the input or assigned here. */
  #last: number | undefined;
  #upstreamIds: Map<string, string> | undefined;
  /** The ids taken in the current round, and the highest number before it. */
  #takenInRound: Set<string> | undefined;
  #lastBefore: number | undefined;

  constructor(input: readonly Item[] = [], order: IdOrder = "random", before = 0) {
    this.#input = input;
    this.#order = order;
    this.#before = before;
  }

  /** The ids of earlier rounds stay taken. */
  beginRound(): void {
    if (this.#takenInRound) for (const id of this.#takenInRound) this.#known().add(id);
    this.#takenInRound = undefined;
    this.#lastBefore = this.#last;
  }

  /** Releases the ids of the current round. Nothing of the round was sent. */
  rollBack(): void {
    if (this.#upstreamIds && this.#takenInRound) for (const id of this.#takenInRound) this.#upstreamIds.delete(id);
    this.#takenInRound = undefined;
    this.#last = this.#lastBefore;
  }

  /** The backend's own id if it is valid and new; otherwise a generated id. */
  claim(prefix: IdPrefix, candidate?: string): string {
    const isFree = candidate !== undefined && isFit(prefix, candidate) && !this.#isTaken(candidate);
    return this.#take(isFree ? candidate : newId(prefix));
  }

  /** The two ids of a call: the one that its output refers to, and the id of its item. */
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

  /** The backend's ids of the calls that were assigned other ids, by the assigned id. */
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

  /** The highest number so far; 0 if ids are not numbered. */
  get lastNumber(): number {
    if (!this.areNumbered) return 0;
    this.#last ??= Math.max(this.#before, highestNumber(this.#known()), highestNumber(this.#takenInRound ?? []));
    return this.#last;
  }

  /** Whether ids are numbered in order of appearance, whatever ids the backend sends. */
  get areNumbered(): boolean {
    return this.#order === "sequential";
  }

  #take(id: string): string {
    this.#takenInRound ??= new Set();
    this.#takenInRound.add(id);
    return id;
  }

  #isTaken(id: string): boolean {
    return this.#known().has(id) || (this.#takenInRound?.has(id) ?? false);
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

/** No conversation has more calls than nine digits can count; a longer number is an id of another kind. */
const numbered = /^(?:fc|ctc|tsc)_(\d{3,9})$/;

/** Whether an id is a sequential one. Every conversation restarts the sequence. */
export function isNumberedId(id: string): boolean {
  return numbered.test(id);
}

function highestNumber(ids: Iterable<string>): number {
  let highest = 0;
  for (const id of ids) highest = Math.max(highest, Number(numbered.exec(id)?.[1] ?? 0));
  return highest;
}

/** Providers refuse an item whose id does not have the prefix of its type. The id of a call may be anything portable. */
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
