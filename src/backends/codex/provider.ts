import { isObject, type JsonObject } from "../../turn/index.ts";

/** Where Codex asks, as far as a thread has to be told. */
export interface Provider {
  /** Nothing where the home's own is taken as it is. */
  id: string | undefined;
  /** Settings of each thread. */
  settings: JsonObject;
}

/**
 * OpenAI, as Codex has it built in, tries for half a minute before it says that something failed, and cannot be told otherwise. So
 * there is another of the same: the same login, the same addresses, without second attempts. Those are made here.
 */
const mirror = "toolwire-openai";

export const mirrorSetting = `model_providers.${mirror}={name="OpenAI",requires_openai_auth=true,wire_api="responses",request_max_retries=0,stream_max_retries=0,supports_websockets=false,env_http_headers={"OpenAI-Organization"="OPENAI_ORGANIZATION","OpenAI-Project"="OPENAI_PROJECT"}}`;

/** The provider of the home's configuration, which keeps everything but its second attempts. */
export function mirrorOf({
  model_provider: named,
  openai_base_url: baseUrl,
  model_providers: all,
}: JsonObject): Provider {
  if (typeof named === "string" && named !== "openai") {
    if (!isObject(all) || !isObject(all[named])) return { id: undefined, settings: {} };
    return {
      id: undefined,
      settings: { model_providers: { [named]: { request_max_retries: 0, stream_max_retries: 0 } } },
    };
  }
  const moved = typeof baseUrl === "string" ? { model_providers: { [mirror]: { base_url: baseUrl } } } : {};
  return { id: mirror, settings: moved };
}
