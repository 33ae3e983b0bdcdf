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
}

/** A new id for an answer. */
export function answerId({ prefix, separator }: AnswerIdForm): string {
  return newId(prefix, separator);
}

/** Whether an answer of this gateway, or of another one, may have the id. Versions before 0.1 appended the provider's id to theirs. */
export function isAnswerId({ prefix, separator }: AnswerIdForm, id: string): boolean {
  const start = prefix + separator;
  return id.startsWith(start) && /^[0-9a-f]{32}(?:_|$)/.test(id.slice(start.length, start.length + 33));
}

/** random: globally unique. sequential: `fc_001`, `fc_002`, … in order of appearance; a call and its item share one id. */
export type IdOrder = "random" | "sequential";

/** Assigns the ids of a conversation. Each id is portable and unique in the conversation, even if a backend repeats its own. */
export class Ids {
  readonly #input: readonly Item[];
  readonly #order: IdOrder;
  #taken: Set<string> | undefined;
  /** The highest number so far, in the input or assigned here. */
  #last: number | undefined;
  /** The ids taken in the current round, and the highest number before it. */
  #takenInRound: Set<string> | undefined;
  #lastBefore: number | undefined;

  constructor(input: readonly Item[] = [], order: IdOrder = "random") {
    this.#input = input;
    this.#order = order;
  }

  /** The ids of earlier rounds stay taken. */
  beginRound(): void {
    if (this.#takenInRound) for (const id of this.#takenInRound) this.#known().add(id);
    this.#takenInRound = undefined;
    this.#lastBefore = this.#last;
  }

  /** Releases the ids of the current round. Nothing of the round was sent. */
  rollBack(): void {
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
    return this.areNumbered
      ? this.#nextNumber(prefix)
      : { callId: this.claim("call", callId), id: this.claim(prefix, id) };
  }

  #nextNumber(prefix: string): CallIds {
    let number = this.#lastNumber();
    let next: string;
    do next = `${prefix}_${String(++number).padStart(3, "0")}`;
    while (this.#isTaken(next));
    this.#last = number;
    this.#take(next);
    return { callId: next, id: next };
  }

  #lastNumber(): number {
    this.#last ??= Math.max(highestNumber(this.#known()), highestNumber(this.#takenInRound ?? []));
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

const legacyCallPrefix = "call_legacy_";

/**
 * The id of a legacy call, which has none. Both provider APIs need one, and the same one on every request with this history; `at` is
 * its position in it.
 */
export function legacyCallId(at: number): string {
  return `${legacyCallPrefix}${at}`;
}

export function isLegacyCallId(id: string): boolean {
  return id.startsWith(legacyCallPrefix);
}
