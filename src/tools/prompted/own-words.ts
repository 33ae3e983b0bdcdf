import type { Part } from "../../turn/index.ts";

/** Only a record begins so: in anybody's words a backslash stands before it. */
const beginning = /\[(?=function_call(?:_output)?\s+(?:call_)?id\s*=)/gi;

/** Texts that follow one another, in which nothing begins a record: not even where one text ends and the next goes on. */
export function disarm(texts: readonly string[]): string[] {
  return atBeginnings(texts, (before) => `${before}\\`);
}

/** The texts as they were before `disarm`. */
export function rearm(texts: readonly string[]): string[] {
  return atBeginnings(texts, (before) => (before.endsWith("\\") ? before.slice(0, -1) : before));
}

export function disarmText(text: string): string {
  return disarm([text]).join("");
}

export function rearmText(text: string): string {
  return rearm([text]).join("");
}

/** The content of a message with other words. */
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

/** Changes what stands before each beginning of a record, in the text in which its bracket is. */
function atBeginnings(texts: readonly string[], change: (before: string) => string): string[] {
  const all = texts.join("");
  const places = Array.from(all.matchAll(beginning), ({ index }) => index);
  if (places.length === 0) return [...texts];
  let from = 0;
  let end = 0;
  let next = 0;
  return texts.map((text) => {
    end += text.length;
    const pieces: string[] = [];
    for (let place = places[next]; place !== undefined && place < end; place = places[++next]) {
      pieces.push(change(all.slice(from, place)));
      from = place;
    }
    pieces.push(all.slice(from, end));
    from = end;
    return pieces.join("");
  });
}
