/** A pattern in RE2's syntax, and its cost to compile. */
export interface PatternSource {
  text: string;
  /** Upper estimate of the compiled program's instructions. */
  size: number;
}

/** Longer patterns, and larger programs, are not compiled. */
const longest = 1_000;
const largest = 2_500;
/** Estimated size of a Unicode class, which has hundreds of ranges. */
const unicodeClassSize = 30;

/** What `\s` and `.` mean in JSON Schema's regular expressions (ECMA-262); RE2 differs. */
const spaces = "\\s\\v\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const anyCharacter = "[^\\n\\r\\x{2028}\\x{2029}]";

/**
 * Translates a regular expression of ECMA-262. Undefined if RE2 does not support it (lookaround, backreferences), if the two read
 * the same syntax differently, or if the program would be too large.
 */
export function patternSource(pattern: string): PatternSource | undefined {
  if (pattern.length > longest) return undefined;
  const reader = new PatternReader(pattern);
  return reader.read() ? { text: reader.text, size: reader.size } : undefined;
}

class PatternReader {
  text = "";
  /** Size of all open groups together. */
  size = 1;
  readonly #pattern: string;
  #at = 0;
  /** Sizes of the open groups, innermost last; the first is the whole pattern. */
  readonly #sizes = [1];
  /** The size of what a repetition would repeat. */
  #last = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(): boolean {
    while (this.#at < this.#pattern.length) {
      if (!this.#next() || this.size > largest) return false;
    }
    return this.#sizes.length === 1;
  }

  #next(): boolean {
    const character = this.#take();
    switch (character) {
      case "\\":
        return this.#atom(this.#escape(false));
      case "[":
        return this.#atom(this.#class());
      case "(":
        return this.#open();
      case ")":
        return this.#close();
      case "{":
        return this.#count();
      case ".":
        return this.#atom(anyCharacter);
      case "]":
      case "}":
        return this.#atom(`\\${character}`);
      case "*":
      case "+":
      case "?":
      case "|":
      case "^":
      case "$":
        this.text += character;
        this.#grow(1);
        return true;
      default:
        return this.#atom(character);
    }
  }

  #take(): string {
    const code = this.#pattern.codePointAt(this.#at) ?? 0;
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }

  /** Consumes what the expression matches at this position. */
  #takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#pattern);
    if (!match) return undefined;
    this.#at += match[0].length;
    return match;
  }

  #atom(text: string | undefined): boolean {
    if (text === undefined) return false;
    this.text += text;
    this.#last = 1 + unicodeClassSize * (text.match(unicodeClasses)?.length ?? 0);
    this.#grow(this.#last);
    return true;
  }

  #grow(size: number): void {
    this.size += size;
    this.#sizes[this.#sizes.length - 1] = (this.#sizes.at(-1) ?? 0) + size;
  }

  /** Groups become non-capturing: captures are not needed. */
  #open(): boolean {
    if (!this.#takeMatch(groupBeginning)) return false;
    this.text += "(?:";
    this.#sizes.push(0);
    this.#grow(1);
    return true;
  }

  #close(): boolean {
    const size = this.#sizes.pop() ?? 0;
    if (this.#sizes.length === 0) return false;
    this.text += ")";
    this.#last = size;
    // The size already includes the group.
    this.size -= size;
    this.#grow(size);
    return true;
  }

  #count(): boolean {
    const match = this.#takeMatch(repetition);
    if (!match) return this.#atom("\\{");
    const least = Number(match[1]);
    const most = match[2] === undefined ? least : match[3] === "" ? least + 1 : Number(match[3]);
    this.text += `{${match[0]}`;
    const size = Math.max(1, most) * (this.#last + 1);
    this.#grow(size);
    this.#last += size;
    return true;
  }

  #class(): string | undefined {
    const isNegated = this.#takeMatch(negation) !== undefined;
    let text = isNegated ? "[^" : "[";
    // In ECMA-262 an empty class matches nothing, or everything if negated; RE2 takes the bracket as a character.
    if (this.#pattern[this.#at] === "]") return undefined;
    while (this.#at < this.#pattern.length) {
      const character = this.#take();
      if (character === "]") return `${text}]`;
      const part = character === "\\" ? this.#escape(true, isNegated) : character === "[" ? "\\[" : character;
      if (part === undefined) return undefined;
      text += part;
    }
    return undefined;
  }

  #escape(isInClass: boolean, isNegated = false): string | undefined {
    if (this.#at >= this.#pattern.length) return undefined;
    const match = this.#takeMatch(codeEscape);
    if (match) return codeText(match);
    const character = this.#take();
    if (character === "s") return isInClass ? spaces : `[${spaces}]`;
    // Inside a class only RE2's own `\S` is available, which includes the spaces beyond ASCII.
    if (character === "S") return isInClass ? (isNegated ? undefined : "\\S") : `[^${spaces}]`;
    if (character === "b" && isInClass) return "\\x08";
    if ("dDwWnrtfv".includes(character) || ("bB".includes(character) && !isInClass)) return `\\${character}`;
    if (/[A-Za-z0-9]/.test(character)) return undefined;
    return character < "\u0080" ? `\\${character}` : character;
  }
}

const unicodeClasses = /\\[pP]\{/g;
const groupBeginning = /(?:\?:|\?<[A-Za-z_$][\w$]*>|(?!\?))/y;
const repetition = /(\d+)(?:(,)(\d*))?\}/y;
const negation = /\^/y;
/** `\0`, `\x41`, `\u0041`, a pair of surrogates, `\u{41}`, `\cA`, `\p{L}`, `\P{Script=Greek}`. */
const codeEscape =
  /0(?!\d)|x([\da-fA-F]{2})|u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|c([A-Za-z])|([pP])\{(?:(?:Script|sc)=)?(\w+)\}/y;

function codeText([whole, byte, high, low, unit, point, control, kind, name]: RegExpExecArray): string {
  if (whole === "0") return "\\x{0}";
  if (kind !== undefined) return `\\${kind}{${name}}`;
  if (control !== undefined) return `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`;
  if (high !== undefined && low !== undefined) {
    const pair = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
    return `\\x{${pair.codePointAt(0)?.toString(16)}}`;
  }
  return `\\x{${byte ?? unit ?? point}}`;
}
