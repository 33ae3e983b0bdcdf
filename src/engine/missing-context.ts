import type { HistoryQuirks, Item, ReasoningItem } from "../turn/index.ts";
import type { KeptCall, KeptReasoning } from "./kept-records.ts";

/**
 * What the client has dropped from before its calls, in the form that the provider wants. `group` is what the client sent. `own` is
 * what is stored about those of its calls that the provider itself made.
 */
export function missingBefore(group: readonly Item[], own: readonly KeptCall[], quirks: HistoryQuirks): Item[] {
  const missing: Item[] = quirks.wantsReasoning ? missingText(group, own) : missingEncrypted(group, own);
  const fields = own.find((call) => call.fields !== undefined)?.fields;
  const extensions = fields && quirks.missingFields(fields, group);
  if (extensions) missing.push({ type: "message", role: "assistant", content: [], extensions });
  return missing;
}

function missingText(group: readonly Item[], own: readonly KeptCall[]): ReasoningItem[] {
  if (group.some(({ type }) => type === "reasoning")) return [];
  for (const { reasoning } of own) {
    const texts = reasoning.flatMap(({ text }) => text ?? []);
    if (texts.length > 0) return [{ type: "reasoning", summary: [texts.join("")] }];
  }
  return [];
}

/** A chat client sends back only the text of the reasoning, which the provider cannot read. */
function missingEncrypted(group: readonly Item[], own: readonly KeptCall[]): ReasoningItem[] {
  if (group.some((item) => item.type === "reasoning" && item.encrypted !== undefined)) return [];
  const known = own.find(hasSealed)?.reasoning.filter(hasId) ?? [];
  // Without encrypted content only the provider has the reasoning: the client did not request it.
  if (!known.every(({ encrypted }) => encrypted !== undefined)) return [];
  return known.map(({ id, encrypted }) => ({ type: "reasoning", id, summary: [], encrypted }));
}

/** Whether the reasoning before the call came as items that the provider knows by id, encrypted or not. */
export function hasSealed({ reasoning }: KeptCall): boolean {
  return reasoning.some(hasId);
}

function hasId({ id }: KeptReasoning): boolean {
  return id !== undefined;
}
