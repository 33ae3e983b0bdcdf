import type { HistoryQuirks } from "../../turn/index.ts";
import { type ProviderQuirks, refusesSealedReasoning } from "../provider-quirks.ts";

/** Signed or encrypted reasoning that some providers send beside a message's text and require back with its calls. */
const details = "reasoning_details";

/** What Chat Completions providers require of a conversation. Their messages have fields for reasoning and signatures. */
export function chatQuirks(provider: ProviderQuirks): HistoryQuirks {
  return {
    wantsReasoning: true,
    takesReasoning: (model) => provider.thinks(model),
    refusesReasoning: refusesSealedReasoning,
    takesCallId: (id, model) => provider.takesCallId(id, model),
    callIdFor: (id, model) => provider.callIdFor(id, model),
    // Some providers refuse a call without the signature in its `extra_content`.
    wantsExtensions: ({ format }) => format === "chat",
    wantedFields: ({ format, fields }) =>
      format === "chat" && fields[details] ? { [details]: fields[details] } : undefined,
    missingFields: (wanted, items) =>
      items.some((item) => item.type === "message" && item.extensions?.fields[details] !== undefined)
        ? undefined
        : { format: "chat", fields: wanted },
  };
}
