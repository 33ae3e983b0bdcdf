import type { JsonObject } from "../../turn/index.ts";

/** How to decline the app-server's requests, each in its own result format. Requests not listed here get an error. */
export const declined: Readonly<Record<string, JsonObject>> = {
  "item/commandExecution/requestApproval": { decision: "decline" },
  "item/fileChange/requestApproval": { decision: "decline" },
  "mcpServer/elicitation/request": { action: "decline", content: null },
  applyPatchApproval: { decision: "denied" },
  execCommandApproval: { decision: "denied" },
};

/** The result of a client's tool call. Its turn is interrupted, so no model sees this. */
export const cancelled: JsonObject = { contentItems: [], success: false };
