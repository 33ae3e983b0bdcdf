import type { Backend, CallItem, Item, Turn } from "../turn/index.ts";
import type { Continuity, SoughtCall } from "./continuity.ts";
import { ConversationDigest } from "./conversation-digest.ts";
import type { KeptCall } from "./kept-records.ts";
import { type KnownHistory, RestoredHistory } from "./restored-history.ts";

/**
 * The turn as this backend can take it: its own calls under its own names and with what it thought before them, the calls of
 * others under ids that it accepts, and no reasoning that only another can read. `standsIn`: another backend was asked for.
 */
export async function restoreTurn(
  turn: Turn,
  backend: Backend,
  continuity: Continuity,
  standsIn: boolean,
): Promise<Turn> {
  if (!turn.input.some(isOfInterest)) return turn;
  const known = await recallHistory(turn.input, backend, continuity);
  const history = new RestoredHistory(turn, backend, known, standsIn);
  for (const item of turn.input) history.add(item);
  return { ...turn, input: history.finish() };
}

function isOfInterest({ type }: Item): boolean {
  return type === "call" || type === "output" || type === "reasoning";
}

async function recallHistory(input: readonly Item[], backend: Backend, continuity: Continuity): Promise<KnownHistory> {
  const digest = new ConversationDigest();
  const items: CallItem[] = [];
  const sought: SoughtCall[] = [];
  const reasoningIds: string[] = [];
  for (const item of input) {
    if (item.type === "call") {
      items.push(item);
      sought.push({ call: item, before: digest.candidates(item.callId) });
    } else if (item.type === "reasoning" && item.id !== undefined) reasoningIds.push(item.id);
    digest.add(item);
  }
  const { calls, makers } = await continuity.recall(sought, reasoningIds);
  const kept = new Map<CallItem, KeptCall>();
  items.forEach((item, at) => {
    const call = calls[at];
    if (call) kept.set(item, call);
  });
  const sealed = sealedIds(kept.values(), backend).filter((id) => !makers.has(id));
  if (sealed.length === 0) return { calls: kept, makers };
  // Reasoning that is about to be put back may have been refused since.
  const more = await continuity.recall([], sealed);
  return { calls: kept, makers: new Map([...makers, ...more.makers]) };
}

function sealedIds(calls: Iterable<KeptCall>, { name, capabilities }: Backend): string[] {
  if (capabilities.quirks.wantsReasoning) return [];
  const own = [...calls].filter((call) => call.backend === name).flatMap(({ reasoning }) => reasoning);
  return own.flatMap(({ id, encrypted }) => (id !== undefined && encrypted !== undefined ? [id] : []));
}
