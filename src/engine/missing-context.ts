import type { HistoryQuirks, Item, ReasoningItem } from "../turn/index.ts";
import type { KeptCall, KeptReasoning } from "./kept-records.ts";

/**
 * What the client has dropped of what came before its calls, in the form that the service wants. `group` is what the client has
 * brought, `own` what is remembered of those of its calls that the service itself has made.
 */
export function missingBefore(group: readonly Item[], own: readonly KeptCall[], quirks: HistoryQuirks): Item[] {
  const missing: Item[] = quirks.wantsReasoning ? missingText(group, own) : missingSeals(group, own);
  const fields = own.find((call) => call.fields !== undefined)?.fields;
  const extensions = fields && quirks.missingFields(fields, group);
  if (extensions) missing.push({ type: "message", role: "assistant", content: [], extensions });
  return missing;
}

function missingText(group: readonly Item[], own: readonly KeptCall[]): ReasoningItem[] {
  if (group.some(({ type }) => type === "reasoning")) return [];
  for (const { reasoning } of own) {
    const texts = reasoning.flatMap(({ text }) => text ?? []);
    if (texts.length > 0) return [{ type: "reasoning", summary: [texts.join("\n\n")] }];
  }
  return [];
}

/** A chat client brings the words of it alone, which the service cannot read. */
function missingSeals(group: readonly Item[], own: readonly KeptCall[]): ReasoningItem[] {
  if (group.some((item) => item.type === "reasoning" && item.encrypted !== undefined)) return [];
  const sealed = own.find(hasSealed)?.reasoning.filter(isSealable) ?? [];
  // Where a seal is missing, only the service has the reasoning: the client did not ask for it.
  if (!sealed.every(({ encrypted }) => encrypted !== undefined)) return [];
  return sealed.map(({ id, encrypted }) => ({ type: "reasoning", id, summary: [], encrypted }));
}

/** Whether reasoning came before the call as items that the service knows by their ids, encrypted or not. */
export function hasSealed({ reasoning }: KeptCall): boolean {
  return reasoning.some(isSealable);
}

function isSealable({ id }: KeptReasoning): boolean {
  return id !== undefined;
}
