const backtick = 0x60;
const tilde = 0x7e;
const newline = 0x0a;
const longestPrefix = 32;
/** White space, and the marks of quotes and list items. */
const linePrefix = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?[\s>]*$/;
const letter = /[A-Za-z]/;
const infoCharacter = /[\w+.#-]/;

/**
 * Which parts of the text are code: fences, which begin and end at the beginning of a line, and inline code, which ends at its
 * closing backticks or with the line. The state lasts for the whole message, however it is cut.
 */
export class CodeSpans {
  #fence: { mark: number; length: number } | undefined;
  /** How many backticks opened the inline code. */
  #inline = 0;
  /** In a fence: what has come of the line. */
  #line: "indent" | "run" | "after" | "other" = "other";
  #run = 0;
  /** What has come of the line, if it is short and has no words in it. */
  #prefix: string | undefined = "";
  /** The inline code has nothing in it so far but what may name the language of a fence. */
  #mayBeFence = false;

  get isOpen(): boolean {
    return this.#fence !== undefined || this.#inline > 0;
  }

  /**
   * Whether the place `at` is first on its line, but for white space and the marks of a quote or a list item; `from` is where the
   * text begins that was not passed over yet.
   */
  isLineStart(text: string, from: number, at: number): boolean {
    const prefix = from === at ? this.#prefix : this.#prefixAt(text, from, at);
    return prefix !== undefined && linePrefix.test(prefix);
  }

  /** What stands before this place on its line, if it is short. */
  #prefixAt(text: string, from: number, at: number): string | undefined {
    const before = text.slice(Math.max(from, at - longestPrefix), at);
    const newlineAt = before.lastIndexOf("\n");
    if (newlineAt !== -1) return before.slice(newlineAt + 1);
    if (at - from > longestPrefix || this.#prefix === undefined) return undefined;
    const prefix = this.#prefix + before;
    return prefix.length > longestPrefix ? undefined : prefix;
  }

  /** Remembers how the line begins that goes on behind this text. */
  passOver(text: string, from: number, until: number): void {
    const prefix = this.#prefixAt(text, from, until);
    this.#prefix = prefix !== undefined && letter.test(prefix) ? undefined : prefix;
  }

  /** A longer run is two. */
  static readonly longestRun = 64;

  /** How long the run of this character is. */
  static runAt(text: string, at: number): number {
    const character = text.charCodeAt(at);
    const most = Math.min(text.length, at + CodeSpans.longestRun);
    let end = at + 1;
    while (end < most && text.charCodeAt(end) === character) end++;
    return end - at;
  }

  /** A run of backticks or tildes outside of code; tells whether code begins with it. */
  open(mark: number, length: number, isLineStart: boolean): "fence" | "inline" | undefined {
    if (length >= 3 && isLineStart) {
      this.#fence = { mark, length };
      this.#line = "other";
      return "fence";
    }
    if (mark !== backtick) return undefined;
    this.#inline = length;
    this.#mayBeFence = length >= 3;
    return "inline";
  }

  /**
   * Passes over code up to `end` and tells where it stopped: behind the code, or at the end. A run of backticks that may go on
   * beyond it is left for the next time.
   */
  skip(text: string, from: number, end: number, isEnd: boolean): number {
    return this.#fence ? this.#skipFence(text, from, end) : this.#skipInline(text, from, end, isEnd);
  }

  #skipInline(text: string, from: number, end: number, isEnd: boolean): number {
    for (let at = from; at < end; at++) {
      const character = text.charCodeAt(at);
      if (character === newline) {
        const length = this.#inline;
        this.#inline = 0;
        if (!this.#mayBeFence) return at;
        // A fence that begins behind some words is meant as one all the same.
        this.#fence = { mark: backtick, length };
        this.#line = "other";
        return this.#skipFence(text, at, end);
      }
      if (character !== backtick) {
        if (this.#mayBeFence && !infoCharacter.test(text.charAt(at)) && character !== 0x0d) this.#mayBeFence = false;
        continue;
      }
      this.#mayBeFence = false;
      const run = CodeSpans.runAt(text, at);
      if (at + run === end && run < CodeSpans.longestRun && !isEnd) return at;
      at += run - 1;
      if (run === this.#inline) {
        this.#inline = 0;
        return at + 1;
      }
    }
    return end;
  }

  #skipFence(text: string, from: number, end: number): number {
    for (let at = from; at < end; at++) {
      if (this.#line === "other") {
        const newlineAt = text.indexOf("\n", at);
        if (newlineAt === -1 || newlineAt >= end) return end;
        at = newlineAt;
        this.#line = "indent";
        this.#run = 0;
      } else if (this.#readFenceLine(text.charCodeAt(at))) return at;
    }
    return end;
  }

  /** True when the line has closed the fence; its newline stays. */
  #readFenceLine(character: number): boolean {
    const isQuote = character === 0x3e && this.#line === "indent";
    const isBlank = character === 0x20 || character === 0x09 || character === 0x0d || isQuote;
    if (character === this.#fence?.mark && this.#line !== "after") {
      this.#line = "run";
      this.#run++;
    } else if (character === newline) {
      if (this.#run >= (this.#fence?.length ?? 0)) {
        this.#fence = undefined;
        return true;
      }
      this.#line = "indent";
      this.#run = 0;
    } else if (isBlank) {
      if (this.#line === "run") this.#line = "after";
    } else {
      this.#line = "other";
      this.#run = 0;
    }
    return false;
  }

  /** What is left open ends here. */
  close(): void {
    this.#fence = undefined;
    this.#inline = 0;
  }

  static hasMark(text: string): boolean {
    return text.includes("`") || text.includes("~");
  }

  static isMark(character: number): boolean {
    return character === backtick || character === tilde;
  }
}
