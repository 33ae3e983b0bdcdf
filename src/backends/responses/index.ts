import { isResponsesTool } from "../../wire/responses/tools.ts";
import type { ServiceApi } from "../service.ts";
import { responsesQuirks } from "./quirks.ts";
import { ResponsesReader } from "./reader.ts";
import { responsesRequest } from "./request.ts";

/** The Responses API of a provider. */
export const responsesApi: ServiceApi = {
  name: "responses",
  path: "/responses",
  keepsResponses: true,
  knowsOtherTools: true,
  ordersMessages: false,
  quirks: responsesQuirks,
  carries: isResponsesTool,
  writeRequest: responsesRequest,
  createReader: (backend, redact, emit) => new ResponsesReader(backend, redact, emit),
};
