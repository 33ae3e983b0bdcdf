import { isSpace } from "./characters.ts";

/** The part of a message that has arrived and was not consumed. What was consumed last can be put back. */
export class Input {
  /** Buffered text. It is consumed up to index `at`. */
  text = "";
  at = 0;
  /** Offset of `text` in the message, and the character before it. */
  #start = 0;
  #last = -1;
  /** A high surrogate that waits for its low surrogate. */
  #half = "";
  /** Where whitespace was last seen to end, and where the search began. */
  #spaceFrom = 0;
  #spaceEnd = -1;

  /** Offset of the next character in the message. */
  get offset(): number {
    return this.#start + this.at;
  }

  get isEmpty(): boolean {
    return this.at === this.text.length;
  }

  get left(): number {
    return this.text.length - this.at;
  }

  /** Converts an index of `text` to an offset in the message; `placeOf` converts back. */
  offsetOf(at: number): number {
    return this.#start + at;
  }

  placeOf(offset: number): number {
    return offset - this.#start;
  }

  add(text: string): void {
    let whole = this.#half === "" ? text : this.#half + text;
    this.#half = "";
    const last = whole.charCodeAt(whole.length - 1);
    if (last >= 0xd800 && last < 0xdc00) {
      this.#half = whole.slice(-1);
      whole = whole.slice(0, -1);
    }
    this.#append(whole);
  }

  /** No more text will arrive. */
  end(): void {
    this.#append(this.#half);
    this.#half = "";
  }

  #append(text: string): void {
    if (this.at > 0) this.#last = this.text.charCodeAt(this.at - 1);
    this.text = this.isEmpty ? text : this.text.slice(this.at) + text;
    this.#start += this.at;
    this.at = 0;
    this.#spaceEnd = -1;
  }

  take(count: number): string {
    const from = this.at;
    this.at += count;
    return count === this.text.length ? this.text : this.text.slice(from, this.at);
  }

  /** Puts back text that was taken last. */
  giveBack(text: string): void {
    if (this.at >= text.length) {
      this.at -= text.length;
      return;
    }
    const rest = this.text.slice(this.at);
    this.#start = this.offset - text.length;
    this.text = text + rest;
    this.at = 0;
    this.#last = -1;
    this.#spaceEnd = -1;
  }

  /** The character before this index; -1 if it is unknown. */
  before(at: number): number {
    return at === 0 ? this.#last : this.text.charCodeAt(at - 1);
  }

  /** Index of the first character that is not whitespace; -1 without one. */
  firstOther(): number {
    // It is asked at every marker, so the same whitespace is not searched twice.
    if (this.at < this.#spaceFrom || this.at > this.#spaceEnd) {
      let end = this.at;
      while (end < this.text.length && isSpace(this.text.charCodeAt(end))) end++;
      this.#spaceFrom = this.at;
      this.#spaceEnd = end;
    }
    return this.#spaceEnd === this.text.length ? -1 : this.#spaceEnd;
  }
}
