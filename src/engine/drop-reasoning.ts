import type { HistoryQuirks, Turn, TurnError } from "../turn/index.ts";
import { type Continuity, unreadable } from "./continuity.ts";

/** No conversation has more, and what others need remembered must not be forgotten over one. */
const mostDropped = 5_000;

/**
 * Whether a provider refuses reasoning that it cannot decrypt, and which of the turn's it may be: from now on none of it is given to
 * anybody. False where there is nothing left that could be dropped.
 */
export async function dropReasoning(
  error: TurnError,
  { input }: Turn,
  quirks: HistoryQuirks,
  continuity: Continuity,
): Promise<boolean> {
  if (!quirks.refusesReasoning(error)) return false;
  const sealed = input.flatMap((item) => (item.type === "reasoning" && item.encrypted && item.id ? [item.id] : []));
  const { makers } = await continuity.recall([], sealed);
  const readable = sealed.filter((id) => makers.get(id) !== unreadable);
  if (readable.length > mostDropped) return false;
  await continuity.keepMaker(readable, unreadable);
  return readable.length > 0;
}
