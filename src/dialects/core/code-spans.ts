const backtick = 0x60;
const tilde = 0x7e;
const newline = 0x0a;
const longestPrefix = 32;
/** The Markdown marker of a list item, and what follows it. */
const listItem = /^(?:[-*+]|\d{1,9}[.)])[ \t]/;
const quoteOrSpace = /[\s>]/;
const letter = /[A-Za-z]/;
const infoCharacter = /[\w+.#-]/;

/**
 * Finds the code in the text: fences, which begin and end at the start of a line, and inline code, which ends at its closing
 * backticks or with the line. The state is kept across chunks.
 */
export class CodeSpans {
  #fence: { mark: number; length: number } | undefined;
  /** How many backticks opened the inline code. */
  #inline = 0;
  /** In a fence: what the line has been so far. */
  #line: "indent" | "run" | "after" | "other" = "other";
  #run = 0;
  /** The line so far, if it is short and has no words. */
  #prefix: string | undefined = "";
  /** The inline code so far may be the language name of a fence. */
  #mayBeFence = false;

  get isOpen(): boolean {
    return this.#fence !== undefined || this.#inline > 0;
  }

  /**
   * Whether index `at` is first on its line, apart from whitespace and the markers of a quote or list item. `from` is where the
   * text begins that was not passed over yet.
   */
  isLineStart(text: string, from: number, at: number): boolean {
    const prefix = from === at ? this.#prefix : this.#prefixAt(text, from, at);
    return prefix !== undefined && isLinePrefix(prefix);
  }

  /** The line up to this index, if that is short. */
  #prefixAt(text: string, from: number, at: number): string | undefined {
    const before = text.slice(Math.max(from, at - longestPrefix), at);
    const newlineAt = before.lastIndexOf("\n");
    if (newlineAt !== -1) return before.slice(newlineAt + 1);
    if (at - from > longestPrefix || this.#prefix === undefined) return undefined;
    const prefix = this.#prefix + before;
    return prefix.length > longestPrefix ? undefined : prefix;
  }

  /** Remembers the beginning of the line that continues after this text. */
  passOver(text: string, from: number, until: number): void {
    const prefix = this.#prefixAt(text, from, until);
    this.#prefix = prefix !== undefined && letter.test(prefix) ? undefined : prefix;
  }

  /** A longer run counts as two. */
  static readonly longestRun = 64;

  /** Length of the run of this character. */
  static runAt(text: string, at: number): number {
    const character = text.charCodeAt(at);
    const most = Math.min(text.length, at + CodeSpans.longestRun);
    let end = at + 1;
    while (end < most && text.charCodeAt(end) === character) end++;
    return end - at;
  }

  /** Handles a run of backticks or tildes outside code; returns which kind of code it opens, if any. */
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
   * Skips code up to `end` and returns where it stopped: after the code, or at `end`. A run of backticks that may continue after
   * `end` is left for the next call.
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
        // A fence that begins after other words on its line is still a fence.
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

  /** True if the line has closed the fence; its newline is not consumed. */
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

  /** Ends code that is still open. */
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

/** Whether this is only whitespace and the markers of quotes and one list item. */
function isLinePrefix(prefix: string): boolean {
  const first = skipQuotes(prefix, 0);
  if (first === prefix.length) return true;
  const [item] = listItem.exec(prefix.slice(first)) ?? [];
  return item !== undefined && skipQuotes(prefix, first + item.length) === prefix.length;
}

function skipQuotes(text: string, from: number): number {
  let at = from;
  while (at < text.length && quoteOrSpace.test(text.charAt(at))) at++;
  return at;
}
