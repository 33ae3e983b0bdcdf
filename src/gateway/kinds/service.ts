import { type ServiceApi, ServiceBackend } from "../../backends/service.ts";
import type { BackendContext, CreateBackend } from "./kind.ts";

/** Creates backends for providers on the network that use this API. */
export function serviceBackends(api: ServiceApi, { redact }: BackendContext): CreateBackend<"chat" | "responses"> {
  return (name, { base_url: baseUrl, api_key: apiKey, headers, timeouts }) =>
    new ServiceBackend(api, { name, baseUrl, apiKey, headers, timeouts, redact });
}
