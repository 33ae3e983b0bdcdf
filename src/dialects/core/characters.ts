import type { Reading } from "../dialect.ts";

/** Thrown by a reading that finds that its block is text. It carries nothing: the block keeps the reason. */
export const isText = Symbol("is text");

/** Characters that come bit by bit. Each way to take some waits for more text where it needs it. */
export class Characters {
  /** The text that has come and is not read yet begins at `at`. */
  text: string;
  at = 0;
  /** No more will come: the model has stopped. */
  ended = false;
  /** Why it is not what it was read as. */
  reason = "";

  constructor(text: string) {
    this.text = text;
  }

  fail(reason: string): never {
    this.reason = reason;
    throw isText;
  }

  /** The next character, which stays; -1 at the end of the message. */
  *peek(): Reading<number> {
    while (this.at >= this.text.length) {
      if (this.ended) return -1;
      yield;
    }
    return this.text.charCodeAt(this.at);
  }

  /** Makes sure that so many characters have come; fewer only at the end. */
  *need(count: number): Reading {
    while (this.text.length - this.at < count && !this.ended) yield;
  }

  /** White space; tells how much. */
  *space(): Reading<number> {
    let count = 0;
    for (;;) {
      const character = yield* this.peek();
      if (!isSpace(character)) return count;
      this.at++;
      count++;
    }
  }

  /** The mark, if it comes next; else nothing is taken. */
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

  /** The mark, or it is text. */
  *expect(mark: string): Reading {
    if (!(yield* this.maybe(mark))) this.fail(`"${mark}" is missing`);
  }

  /** The first of the marks that comes next, longer ones before their beginnings; "" if none does. */
  *oneOf(marks: readonly string[]): Reading<string> {
    for (const mark of marks) if (yield* this.maybe(mark)) return mark;
    return "";
  }

  /** Whether one of the marks comes next; nothing is taken. */
  *sees(...marks: readonly string[]): Reading<boolean> {
    for (const mark of marks) {
      if (yield* this.maybe(mark)) {
        this.at -= mark.length;
        return true;
      }
    }
    return false;
  }

  /** What stands before the first of the marks, which is taken too. Short things only: names, attributes. */
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

  /** As many of these characters as come. */
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
