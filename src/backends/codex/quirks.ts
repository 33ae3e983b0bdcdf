import { type HistoryQuirks, noQuirks } from "../../turn/index.ts";
import { refusesSealedReasoning } from "../provider-quirks.ts";

/** What Codex requires of a conversation. It passes on the refusals of its Responses provider. */
export const codexQuirks: HistoryQuirks = { ...noQuirks, refusesReasoning: refusesSealedReasoning };
