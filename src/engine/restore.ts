import {
  type Backend,
  type CallItem,
  entriesOfStep,
  giveLoopBack,
  type Item,
  isLoopHeld,
  type Turn,
} from "../turn/index.ts";
import type { Continuity, SoughtCall } from "./continuity.ts";
import { ConversationDigest } from "./conversation-digest.ts";
import type { KeptCall } from "./kept-records.ts";
import { type KnownHistory, RestoredHistory } from "./restored-history.ts";

/** Records are sought for the last calls of a history. No conversation has more. */
const mostSought = 10_000;

/**
 * The turn in the form that this backend accepts: its own calls under its own ids and with the reasoning before them, calls of
 * other backends under ids that it accepts, and no reasoning that only another backend can decrypt. `standsIn`: the backend is a
 * fallback.
 */
export function restoreTurn(
  turn: Turn,
  backend: Backend,
  continuity: Continuity,
  standsIn: boolean,
): Turn | Promise<Turn> {
  return turn.input.some(isOfInterest) ? restore(turn, backend, continuity, standsIn) : turn;
}

async function restore(turn: Turn, backend: Backend, continuity: Continuity, standsIn: boolean): Promise<Turn> {
  const known = await recallHistory(turn.input, backend, continuity);
  const history = new RestoredHistory(turn, backend, known, standsIn);
  for (const [at, item] of turn.input.entries()) {
    history.add(item);
    if (at % entriesOfStep === entriesOfStep - 1 && isLoopHeld()) await giveLoopBack();
  }
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
  let left = input.reduce((calls, { type }) => calls + (type === "call" ? 1 : 0), 0);
  for (const [at, item] of input.entries()) {
    if (at % entriesOfStep === entriesOfStep - 1 && isLoopHeld()) await giveLoopBack();
    if (item.type === "call" && left-- <= mostSought) {
      const ready = digest.prepare(item.callId);
      if (ready) await ready;
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
  const unchecked = encryptedIds(kept.values(), backend).filter((id) => !makers.has(id));
  if (unchecked.length === 0) return { calls: kept, makers };
  // The provider may have refused this reasoning since it was stored.
  const more = await continuity.recall([], unchecked);
  return { calls: kept, makers: new Map([...makers, ...more.makers]) };
}

function encryptedIds(calls: Iterable<KeptCall>, { name, capabilities }: Backend): string[] {
  if (capabilities.quirks.wantsReasoning) return [];
  const ids = new Set<string>();
  for (const { backend, reasoning } of calls) {
    if (backend !== name) continue;
    for (const { id, encrypted } of reasoning) if (id !== undefined && encrypted !== undefined) ids.add(id);
  }
  return [...ids];
}
