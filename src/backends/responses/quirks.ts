import { type HistoryQuirks, noQuirks } from "../../turn/index.ts";
import { type ProviderQuirks, refusesSealedReasoning } from "../provider-quirks.ts";

/** What Responses providers require of a conversation. Reasoning is a separate item that only its provider can read. */
export function responsesQuirks(provider: ProviderQuirks): HistoryQuirks {
  return {
    ...noQuirks,
    takesReasoning: (model) => provider.thinks(model),
    refusesReasoning: refusesSealedReasoning,
    takesCallId: (id, model) => provider.takesCallId(id, model),
    callIdFor: (id, model) => provider.callIdFor(id, model),
  };
}
