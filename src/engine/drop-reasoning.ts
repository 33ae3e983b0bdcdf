import type { HistoryQuirks, Turn, TurnError } from "../turn/index.ts";
import { type Continuity, unreadable } from "./continuity.ts";

/** No conversation has more. The limit keeps one conversation from displacing the records of others. */
const mostDropped = 5_000;

/**
 * If the provider refuses reasoning that it cannot decrypt, marks the turn's encrypted reasoning as unreadable, so that it is not
 * sent to any backend again. Returns false if there is nothing left to drop.
 */
export async function dropReasoning(
  error: TurnError,
  { input }: Turn,
  quirks: HistoryQuirks,
  continuity: Continuity,
): Promise<boolean> {
  if (!quirks.refusesReasoning(error)) return false;
  const ids = input.flatMap((item) => (item.type === "reasoning" && item.encrypted && item.id ? [item.id] : []));
  const { makers } = await continuity.recall([], ids);
  const readable = ids.filter((id) => makers.get(id) !== unreadable);
  if (readable.length > mostDropped) return false;
  await continuity.keepMaker(readable, unreadable);
  return readable.length > 0;
}
