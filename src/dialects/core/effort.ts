import { Allowance } from "./allowance.ts";

/** How many characters a failed block may have read without being counted: most openers do not begin a call. */
export const shortRead = 512;

/** Default of how many characters may be read again at once, and how many more with each character of the message. */
export const defaultRereads = 64 * 1024;
const rereadsPerCharacter = 2;

/** How many dialects may fail at an opener at once, and how many more with each character of the message. */
const mostFailures = 2048;
const failuresPerCharacter = 1 / 16;

/** Calls in visible text, or drafts of calls in reasoning. */
type Place = "text" | "reasoning";

/**
 * Bounds the work on one message. A block that fails is read again as text, and each opener in it is tried again; without a bound
 * that would be quadratic. New text is always read; what has been read before is read again only while the allowance lasts.
 */
export class Effort {
  readonly #rereads: Allowance;
  readonly #failures = new Allowance(mostFailures, failuresPerCharacter);
  /** Offsets up to which blocks have been read. A draft may read beyond its reasoning, where calls still count. */
  readonly #read: Record<Place, number> = { text: 0, reasoning: 0 };
  /** How many characters dialects have read so far, with those that were read again. For tests and measurements. */
  work = 0;

  constructor(rereads: number) {
    this.#rereads = new Allowance(rereads, rereadsPerCharacter);
  }

  /** The offset at which a block that begins here must end; the same offset if none may begin. */
  limitAt(offset: number, place: Place): number {
    if (this.#failures.at(offset) < 1) return offset;
    if (offset >= this.#read[place]) return Number.POSITIVE_INFINITY;
    const left = this.#rereads.at(offset);
    if (left < shortRead) return offset;
    return offset + left < this.#read[place] ? offset + left : Number.POSITIVE_INFINITY;
  }

  /** Whether another dialect may read the last so many characters again. */
  mayReread(count: number): boolean {
    this.failed();
    this.work += count;
    return count <= shortRead || this.mayTake(count);
  }

  /** Whether a dialect may do something that takes as long as to read so many characters again. */
  mayTake(count: number): boolean {
    if (this.#rereads.at(0) < count) return false;
    this.#rereads.spend(count);
    return true;
  }

  /** A block was read from one offset to another. */
  read(from: number, to: number, place: Place): void {
    this.work += to - from;
    const again = Math.min(to, this.#read[place]) - from;
    if (again > 0) this.#rereads.spend(again);
    if (to > this.#read[place]) this.#read[place] = to;
  }

  /** A dialect could not read a block. */
  failed(): void {
    this.#failures.spend(1);
  }
}
