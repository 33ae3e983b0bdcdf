import type { Environment } from "./environment.ts";
import type { Mapping } from "./mapping.ts";

const openaiAddress = "https://api.openai.com/v1";

/**
 * What stands in for `backends` where a configuration has none, so that the gateway works before anything is set up: the demo,
 * and OpenAI where the environment has a key for it.
 */
export function defaultBackends(environment: Environment): Mapping {
  const api_key = environment.OPENAI_API_KEY?.trim();
  const base_url = environment.OPENAI_BASE_URL?.trim() || openaiAddress;
  return {
    demo: { kind: "demo" },
    ...(api_key && { openai: { kind: "responses", base_url, api_key } }),
  };
}

export const defaultModel = "demo";

/** Where a value of the default backends really comes from, for messages. */
export const defaultSources: ReadonlyMap<string, string> = new Map([
  ["backends.openai.base_url", "OPENAI_BASE_URL"],
  ["backends.openai.api_key", "OPENAI_API_KEY"],
]);
