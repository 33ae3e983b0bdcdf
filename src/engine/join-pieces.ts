import type { BackendEvent } from "../turn/index.ts";

/** In characters. Longer pieces are not joined with others. */
const longestPiece = 16 * 1024;

/**
 * Joins two consecutive pieces of the same text, for events that wait: one long piece is emitted faster than many short ones.
 * Returns `undefined` if they cannot be joined.
 */
export function joinPieces(one: BackendEvent, next: BackendEvent): BackendEvent | undefined {
  if (one.type === "text.delta" && next.type === "text.delta") {
    const isPlain = one.logprobs === undefined && next.logprobs === undefined;
    return isPlain && one.item === next.item && fits(one.text) ? { ...one, text: one.text + next.text } : undefined;
  }
  if (one.type === "reasoning.delta" && next.type === "reasoning.delta") {
    const isSame = one.item === next.item && one.part === next.part;
    return isSame && fits(one.text) ? { ...one, text: one.text + next.text } : undefined;
  }
  if (one.type === "call.arguments" && next.type === "call.arguments") {
    return one.call === next.call && fits(one.delta) ? { ...one, delta: one.delta + next.delta } : undefined;
  }
  return undefined;
}

function fits(text: string): boolean {
  return text.length < longestPiece;
}
