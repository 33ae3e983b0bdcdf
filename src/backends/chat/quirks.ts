import type { HistoryQuirks } from "../../turn/index.ts";
import { type ProviderQuirks, refusesSealedReasoning } from "../provider-quirks.ts";

/** The signed or encrypted reasoning that some providers give beside the text of a message, and want back with its calls. */
const details = "reasoning_details";

/** What providers of Chat Completions want of a conversation: reasoning and signatures have a place in their messages. */
export function chatQuirks(provider: ProviderQuirks): HistoryQuirks {
  return {
    wantsReasoning: true,
    takesReasoning: (model) => provider.thinks(model),
    refusesReasoning: refusesSealedReasoning,
    takesCallId: (id, model) => provider.takesCallId(id, model),
    callIdFor: (id, model) => provider.callIdFor(id, model),
    // `extra_content` of a call has a signature without which some providers refuse it.
    wantsExtensions: ({ format }) => format === "chat",
    wantedFields: ({ format, fields }) =>
      format === "chat" && fields[details] ? { [details]: fields[details] } : undefined,
    missingFields: (wanted, items) =>
      items.some((item) => item.type === "message" && item.extensions?.fields[details] !== undefined)
        ? undefined
        : { format: "chat", fields: wanted },
  };
}
