import type { BackendEvent } from "../turn/index.ts";

/** The stages get the text of one event in pieces of at most this many characters. */
export const longestPiece = 16 * 1024;

/** What the model says in this event: text, reasoning, a refusal, or arguments. */
export function wordsOf(event: BackendEvent): string | undefined {
  switch (event.type) {
    case "text.delta":
    case "reasoning.delta":
    case "refusal.delta":
      return event.text;
    case "call.arguments":
      return event.delta;
    default:
      return undefined;
  }
}

/** The piece that begins at this offset: the event itself if it is short. The first piece carries the log probabilities. */
export function pieceOf(event: BackendEvent, offset: number): BackendEvent {
  const words = wordsOf(event) ?? "";
  if (words.length <= longestPiece) return event;
  const piece = words.slice(offset, pieceEnd(words, offset));
  switch (event.type) {
    case "text.delta":
      return { ...event, text: piece, logprobs: offset === 0 ? event.logprobs : undefined };
    case "reasoning.delta":
    case "refusal.delta":
      return { ...event, text: piece };
    case "call.arguments":
      return { ...event, delta: piece };
    default:
      return event;
  }
}

/** Never between the halves of a surrogate pair. */
function pieceEnd(words: string, offset: number): number {
  const end = offset + longestPiece;
  if (end >= words.length) return words.length;
  const last = words.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}
