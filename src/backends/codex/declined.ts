import type { JsonObject } from "../../turn/index.ts";

/** How the app-server's requests are turned down, in the words of each; those without words of their own get an error. */
export const declined: Readonly<Record<string, JsonObject>> = {
  "item/commandExecution/requestApproval": { decision: "decline" },
  "item/fileChange/requestApproval": { decision: "decline" },
  "mcpServer/elicitation/request": { action: "decline", content: null },
  applyPatchApproval: { decision: "denied" },
  execCommandApproval: { decision: "denied" },
};

/** What a call of a client's tool comes to: its turn is ended, and this reaches no model. */
export const cancelled: JsonObject = { contentItems: [], success: false };
