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

  /** Consumes whitespace. */
  *space(): Reading {
    for (;;) {
      while (this.at < this.text.length && isSpace(this.text.charCodeAt(this.at))) this.at++;
      if (this.at < this.text.length || this.ended) return;
      yield;
    }
  }

  /** Consumes the marker if it comes next; otherwise consumes nothing. */
  *maybe(mark: string): Reading<boolean> {
    for (;;) {
      const isNext = this.#isNext(mark);
      if (isNext === true) this.at += mark.length;
      if (isNext !== "more") return isNext;
      yield;
    }
  }

  /** Consumes the marker, or fails. */
  *expect(mark: string): Reading {
    if (!(yield* this.maybe(mark))) this.fail(`"${mark}" is missing`);
  }

  /** Consumes the first of the markers that comes next; "" if none does. Longer markers must precede their prefixes. */
  *oneOf(marks: readonly string[]): Reading<string> {
    const mark = yield* this.#nextOf(marks);
    this.at += mark.length;
    return mark;
  }

  /** Whether one of the markers comes next; consumes nothing. */
  *sees(...marks: readonly string[]): Reading<boolean> {
    return (yield* this.#nextOf(marks)) !== "";
  }

  *#nextOf(marks: readonly string[]): Reading<string> {
    for (const mark of marks) {
      let isNext = this.#isNext(mark);
      while (isNext === "more") {
        yield;
        isNext = this.#isNext(mark);
      }
      if (isNext) return mark;
    }
    return "";
  }

  #isNext(mark: string): boolean | "more" {
    const { text, at } = this;
    if (text.startsWith(mark, at)) return true;
    if (this.ended || text.length - at >= mark.length) return false;
    return mark.startsWith(text.slice(at)) && "more";
  }

  /** Consumes text up to and including the first of the markers. For short text only: names, attributes. */
  *until(marks: readonly string[], most = 256): Reading<{ text: string; mark: string }> {
    const starts = marks.map((mark) => mark.charCodeAt(0));
    let text = "";
    for (;;) {
      const from = this.at;
      const end = Math.min(this.text.length, from + most - text.length);
      while (this.at < end && !starts.includes(this.text.charCodeAt(this.at))) this.at++;
      text += this.text.slice(from, this.at);
      if (this.at === this.text.length) {
        if (this.ended) this.fail("the message ends in the middle");
        yield;
      } else {
        const mark = yield* this.oneOf(marks);
        if (mark !== "") return { text, mark };
        if (text.length >= most) this.fail("too long");
        text += this.text.charAt(this.at++);
      }
    }
  }

  /** Consumes as many of these characters as come next. */
  *run(allowed: RegExp, most = 256): Reading<string> {
    let text = "";
    for (;;) {
      const from = this.at;
      const end = Math.min(this.text.length, from + most - text.length);
      while (this.at < end && allowed.test(this.text.charAt(this.at))) this.at++;
      text += this.text.slice(from, this.at);
      if (this.at < this.text.length) {
        if (text.length >= most && allowed.test(this.text.charAt(this.at))) this.fail("too long");
        return text;
      }
      if (this.ended) return text;
      yield;
    }
  }
}

export function isSpace(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}
