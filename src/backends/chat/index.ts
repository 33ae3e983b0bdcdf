import type { ServiceApi } from "../service.ts";
import { chatQuirks } from "./quirks.ts";
import { ChatReader } from "./reader.ts";
import { chatRequest } from "./request.ts";

/** The Chat Completions API of a provider. */
export const chatApi: ServiceApi = {
  name: "chat",
  path: "/chat/completions",
  keepsResponses: false,
  knowsOtherTools: false,
  ordersMessages: true,
  quirks: chatQuirks,
  carries: (tool, { takesCustomTools }) => tool.type === "function" || (tool.type === "custom" && takesCustomTools),
  writeRequest: chatRequest,
  createReader: (backend, redact, emit, turn) => new ChatReader(backend, redact, emit, turn),
};
