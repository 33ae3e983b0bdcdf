import type { Reading } from "../dialect.ts";

/** Thrown by a reading whose block turns out to be text. It carries nothing: the block keeps the reason. */
export const isText = Symbol("is text");

/** Streamed characters. Each reading method waits for more text if it needs it. */
export class Characters {
  /** Buffered text; what was not read yet begins at `at`. */
  text: string;
  at = 0;
  /** No more text will arrive: the model has stopped. */
  ended = false;
  /** Why the reading failed. */
  reason = "";

  constructor(text: string) {
    this.text = text;
  }

  fail(reason: string): never {
    this.reason = reason;
    throw isText;
  }

  /** The next character, which is not consumed; -1 at the end of the message. */
  *peek(): Reading<number> {
    while (this.at >= this.text.length) {
      if (this.ended) return -1;
      yield;
    }
    return this.text.charCodeAt(this.at);
  }

  /** Waits until this many characters are buffered; fewer only at the end. */
  *need(count: number): Reading {
    while (this.text.length - this.at < count && !this.ended) yield;
  }

  /** Consumes whitespace and returns its length. */
  *space(): Reading<number> {
    let count = 0;
    for (;;) {
      const character = yield* this.peek();
      if (!isSpace(character)) return count;
      this.at++;
      count++;
    }
  }

  /** Consumes the marker if it comes next; otherwise consumes nothing. */
  *maybe(mark: string): Reading<boolean> {
    for (let count = 1; ; count = Math.min(mark.length, this.text.length - this.at + 1)) {
      yield* this.need(count);
      const have = Math.min(mark.length, this.text.length - this.at);
      if (!this.text.startsWith(mark.slice(0, have), this.at)) return false;
      if (have === mark.length) {
        this.at += have;
        return true;
      }
      if (this.ended) return false;
    }
  }

  /** Consumes the marker, or fails. */
  *expect(mark: string): Reading {
    if (!(yield* this.maybe(mark))) this.fail(`"${mark}" is missing`);
  }

  /** Consumes the first of the markers that comes next; "" if none does. Longer markers must precede their prefixes. */
  *oneOf(marks: readonly string[]): Reading<string> {
    for (const mark of marks) if (yield* this.maybe(mark)) return mark;
    return "";
  }

  /** Whether one of the markers comes next; consumes nothing. */
  *sees(...marks: readonly string[]): Reading<boolean> {
    for (const mark of marks) {
      if (yield* this.maybe(mark)) {
        this.at -= mark.length;
        return true;
      }
    }
    return false;
  }

  /** Consumes text up to and including the first of the markers. For short text only: names, attributes. */
  *until(marks: readonly string[], most = 256): Reading<{ text: string; mark: string }> {
    const starts = marks.map((mark) => mark.charCodeAt(0));
    let text = "";
    for (;;) {
      const character = yield* this.peek();
      if (character === -1) this.fail("the message ends in the middle");
      if (starts.includes(character)) {
        const mark = yield* this.oneOf(marks);
        if (mark !== "") return { text, mark };
      }
      if (text.length >= most) this.fail("too long");
      text += this.text.charAt(this.at++);
    }
  }

  /** Consumes as many of these characters as come next. */
  *run(allowed: RegExp, most = 256): Reading<string> {
    let text = "";
    for (;;) {
      const character = yield* this.peek();
      if (character === -1 || !allowed.test(this.text.charAt(this.at))) return text;
      if (text.length >= most) this.fail("too long");
      text += this.text.charAt(this.at++);
    }
  }
}

export function isSpace(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}
