import type { Codec } from "../codec.ts";
import { errorEnvelope } from "../envelope.ts";
import { type ChatRequest, chatRequestSteps, decodeChatRequest } from "./decode.ts";
import { ChatStreamEncoder } from "./encode-stream.ts";
import { ChatWholeEncoder } from "./encode-whole.ts";
import { completionResources } from "./resources.ts";

/** Chat Completions. */
export const chatCodec: Codec<ChatRequest> = {
  name: "chat",
  routes: [{ path: "/chat/completions" }],
  answerId: { prefix: "chatcmpl", separator: "-" },
  decode: decodeChatRequest,
  decodeSteps: chatRequestSteps,
  createEncoder: (request, options) =>
    request.turn.stream ? new ChatStreamEncoder(request, options) : new ChatWholeEncoder(request, options),
  errorBody: errorEnvelope,
  resources: completionResources,
};
