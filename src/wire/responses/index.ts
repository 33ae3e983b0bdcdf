import type { Codec } from "../codec.ts";
import { errorEnvelope } from "../envelope.ts";
import { decodeResponsesRequest, type ResponsesRequest, responsesRequestSteps } from "./decode.ts";
import { ResponsesStreamEncoder } from "./encode-stream.ts";
import { ResponsesWholeEncoder } from "./encode-whole.ts";
import { responseResources } from "./resources.ts";
import { responseIdForm } from "./response-id.ts";

/** Headers that Codex sends to its provider: the form of its request, and the session. */
const providerHeader = /^(?:x-codex-[a-z-]+|x-openai-internal-codex-responses-lite|originator|session-id|thread-id)$/;

/** The Responses API. */
export const responsesCodec: Codec<ResponsesRequest> = {
  name: "responses",
  routes: [{ path: "/responses", upgrades: true }],
  isProviderHeader: (name) => providerHeader.test(name),
  answerId: responseIdForm,
  namesAnswers: true,
  decode: decodeResponsesRequest,
  decodeSteps: responsesRequestSteps,
  createEncoder: (request, options) =>
    request.turn.stream ? new ResponsesStreamEncoder(request, options) : new ResponsesWholeEncoder(request, options),
  errorBody: errorEnvelope,
  resources: responseResources,
};
