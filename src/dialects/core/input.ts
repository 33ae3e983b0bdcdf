import { isSpace } from "./characters.ts";

/** What has come of a message and is not told yet; what was taken last can be given back. */
export class Input {
  /** What came last. Before `at` it is told, or a block has it. */
  text = "";
  at = 0;
  /** Where `text` begins in the message, and the character before it. */
  #start = 0;
  #last = -1;
  /** Half of a character outside of the basic plane waits for the other half. */
  #half = "";

  /** Where the next character stands in the message. */
  get offset(): number {
    return this.#start + this.at;
  }

  get isEmpty(): boolean {
    return this.at === this.text.length;
  }

  get left(): number {
    return this.text.length - this.at;
  }

  /** Where this place of the text is in the message, and the other way round. */
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

  /** No more will come. */
  end(): void {
    this.#append(this.#half);
    this.#half = "";
  }

  #append(text: string): void {
    if (this.at > 0) this.#last = this.text.charCodeAt(this.at - 1);
    this.text = this.isEmpty ? text : this.text.slice(this.at) + text;
    this.#start += this.at;
    this.at = 0;
  }

  take(count: number): string {
    const from = this.at;
    this.at += count;
    return count === this.text.length ? this.text : this.text.slice(from, this.at);
  }

  /** Makes this text, which was taken last, what comes next. */
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
  }

  /** The character before this place; -1 where nothing is known of it. */
  before(at: number): number {
    return at === 0 ? this.#last : this.text.charCodeAt(at - 1);
  }

  /** Where the first character is that is no white space; -1 if there is none. */
  firstOther(): number {
    for (let at = this.at; at < this.text.length; at++) if (!isSpace(this.text.charCodeAt(at))) return at;
    return -1;
  }
}
