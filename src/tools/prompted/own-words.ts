import type { Part } from "../../turn/index.ts";

/** The beginning of a record. In any other text a backslash precedes it. */
const beginning = /\[(?=function_call(?:_output)?\s+(?:call_)?id\s*=)/gi;

/** Escapes the beginnings of records in consecutive texts, even one that spans two texts. */
export function disarm(texts: readonly string[]): string[] {
  return atBeginnings(texts, (before) => `${before}\\`);
}

/** Reverses `disarm`. */
export function rearm(texts: readonly string[]): string[] {
  return atBeginnings(texts, (before) => (before.endsWith("\\") ? before.slice(0, -1) : before));
}

export function disarmText(text: string): string {
  return disarm([text]).join("");
}

export function rearmText(text: string): string {
  return rearm([text]).join("");
}

/** Changes the text of a message's parts. */
export function withWords(parts: readonly Part[], change: (texts: readonly string[]) => string[]): Part[] {
  const words = parts.flatMap((part) =>
    part.type === "text" ? part.text : part.type === "refusal" ? part.refusal : [],
  );
  const changed = change(words).values();
  const next = (): string => changed.next().value ?? "";
  return parts.map((part) => {
    if (part.type === "text") return { ...part, text: next() };
    return part.type === "refusal" ? { ...part, refusal: next() } : part;
  });
}

/** Changes what precedes each beginning of a record, in the text that has its bracket. */
function atBeginnings(texts: readonly string[], change: (before: string) => string): string[] {
  const all = texts.join("");
  const positions = Array.from(all.matchAll(beginning), ({ index }) => index);
  if (positions.length === 0) return [...texts];
  let from = 0;
  let end = 0;
  let next = 0;
  return texts.map((text) => {
    end += text.length;
    const pieces: string[] = [];
    for (let position = positions[next]; position !== undefined && position < end; position = positions[++next]) {
      pieces.push(change(all.slice(from, position)));
      from = position;
    }
    pieces.push(all.slice(from, end));
    from = end;
    return pieces.join("");
  });
}
