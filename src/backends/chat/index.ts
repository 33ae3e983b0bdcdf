import type { ServiceApi } from "../service.ts";
import { ChatReader } from "./reader.ts";
import { chatRequest } from "./request.ts";

/** Chat Completions, as a provider speaks it. */
export const chatApi: ServiceApi = {
  path: "/chat/completions",
  wantsReasoning: true,
  // Few providers have custom tools; a chat client that sends one knows that its provider has them.
  carries: (tool, turn) => tool.type === "function" || (tool.type === "custom" && turn.api === "chat"),
  writeRequest: chatRequest,
  createReader: (backend, redact, emit, turn) => new ChatReader(backend, redact, emit, turn),
};
