import { type HistoryQuirks, noQuirks } from "../../turn/index.ts";
import { type ProviderQuirks, refusesSealedReasoning } from "../provider-quirks.ts";

/** What providers of the Responses API want of a conversation: reasoning is an item of its own, which only its maker can read. */
export function responsesQuirks(provider: ProviderQuirks): HistoryQuirks {
  return {
    ...noQuirks,
    takesReasoning: (model) => provider.thinks(model),
    refusesReasoning: refusesSealedReasoning,
    takesCallId: (id, model) => provider.takesCallId(id, model),
    callIdFor: (id, model) => provider.callIdFor(id, model),
  };
}
