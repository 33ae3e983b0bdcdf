import { type HistoryQuirks, noQuirks } from "../../turn/index.ts";
import { refusesSealedReasoning } from "../provider-quirks.ts";

/** What Codex wants of a conversation: it asks a Responses provider, whose refusals it passes on. */
export const codexQuirks: HistoryQuirks = { ...noQuirks, refusesReasoning: refusesSealedReasoning };
