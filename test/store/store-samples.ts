import type { UsageRow } from "../../src/store/store.ts";
import type { KeptTurn } from "../../src/turn/index.ts";

/** One request of Ann. */
export function usageRow(changes: Partial<UsageRow> = {}): UsageRow {
  return {
    owner: "ann",
    key: "ann's key",
    model: "small",
    day: "2026-11-18",
    requests: 1,
    inputTokens: 10,
    cachedTokens: 0,
    outputTokens: 5,
    ...changes,
  };
}

/** A short answer to Ann. */
export function keptTurn(changes: Partial<KeptTurn> & { id: string }): KeptTurn {
  return {
    owner: "ann",
    api: "responses",
    model: "small",
    status: "completed",
    createdAt: Date.UTC(2026, 10, 18),
    input: [{ type: "message", id: `msg_in_${changes.id}`, role: "user", content: [{ type: "text", text: "Hello" }] }],
    output: [
      { type: "message", id: `msg_out_${changes.id}`, role: "assistant", content: [{ type: "text", text: "Hi" }] },
    ],
    body: "{}",
    ...changes,
  };
}
