/** A regular expression as a tree. What matches one character is kept as it is written: the engine itself tells what it matches. */
export type Part =
  | { kind: "character"; raw: string }
  | { kind: "sequence"; parts: Part[] }
  | { kind: "choice"; options: Part[] }
  | { kind: "repeat"; part: Part; min: number; max: number }
  | { kind: "lookahead"; part: Part }
  | { kind: "lookbehind"; part: Part }
  | { kind: "assertion"; which: "start" | "end" | "word" };

/** Reads the notation of JavaScript without the flag `v`. A reference to a group is read as the group once more. */
export function parseExpression(source: string): Part {
  const groups = new Map<string, Part>();
  let groupCount = 0;
  let at = 0;

  function choice(): Part {
    const options = [sequence()];
    while (take("|")) options.push(sequence());
    return options.length === 1 && options[0] ? options[0] : { kind: "choice", options };
  }

  function sequence(): Part {
    const parts: Part[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(repeated(one()));
    return { kind: "sequence", parts };
  }

  function repeated(part: Part): Part {
    const [text, open, , low, comma, high] = match(/([*+?])|\{(\d+)(?:(,)(\d*))?\}/y, [0, 1, 0, 2, 3, 4]);
    if (text === undefined) return part;
    take("?");
    const [min, max] =
      open !== undefined
        ? [open === "+" ? 1 : 0, open === "?" ? 1 : Number.POSITIVE_INFINITY]
        : [Number(low), comma === undefined ? Number(low) : high ? Number(high) : Number.POSITIVE_INFINITY];
    return { kind: "repeat", part, min, max };
  }

  function one(): Part {
    if (take("^")) return { kind: "assertion", which: "start" };
    if (take("$")) return { kind: "assertion", which: "end" };
    if (match(/\\[bB]/y)[0]) return { kind: "assertion", which: "word" };
    if (take("(")) return group();
    const [reference, number, name] = match(/\\(?:([1-9]\d*)|k<(\w+)>)/y, [0, 1, 2]);
    if (reference) return groups.get(number ?? name ?? "") ?? fail("a reference to a later group");
    const [raw] = match(
      /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|c[A-Za-z]|[\s\S])|[\s\S]/uy,
    );
    return raw === undefined ? fail("nothing to read") : { kind: "character", raw };
  }

  function group(): Part {
    const [look] = match(/\?<?[=!]/y);
    const [named, name] = match(/\?<(\w+)>/y, [0, 1]);
    const plain = look === undefined && named === undefined && take("?:");
    const number = look === undefined && !plain ? String(++groupCount) : undefined;
    if (source[at] === "?") fail("an unknown kind of group");
    const part = choice();
    if (!take(")")) fail("a group without an end");
    if (number) groups.set(number, part);
    if (name) groups.set(name, part);
    if (look === undefined) return part;
    return look.startsWith("?<") ? { kind: "lookbehind", part } : { kind: "lookahead", part };
  }

  function take(text: string): boolean {
    if (!source.startsWith(text, at)) return false;
    at += text.length;
    return true;
  }

  function match(expression: RegExp, wanted: readonly number[] = [0]): (string | undefined)[] {
    expression.lastIndex = at;
    const found = expression.exec(source);
    if (found === null) return [];
    at = expression.lastIndex;
    return wanted.map((index) => found[index]);
  }

  function fail(what: string): never {
    throw new Error(`/${source}/ cannot be read at ${at}: ${what}`);
  }

  const whole = choice();
  return at === source.length ? whole : fail("a bracket too many");
}
