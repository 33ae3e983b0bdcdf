import type { Environment } from "../environment.ts";
import { defineHttpKind } from "./http.ts";
import type { FoundBackend } from "./kind.ts";

/** A provider with the Responses API. */
export const responses = defineHttpKind("responses", findOpenAI);

const openaiAddress = "https://api.openai.com/v1";

/** OpenAI, if the environment has a key for it. */
function findOpenAI({ OPENAI_API_KEY, OPENAI_BASE_URL }: Environment): FoundBackend | undefined {
  const api_key = OPENAI_API_KEY?.trim();
  if (!api_key) return undefined;
  return {
    name: "openai",
    settings: { base_url: OPENAI_BASE_URL?.trim() || openaiAddress, api_key },
    sources: { base_url: "OPENAI_BASE_URL", api_key: "OPENAI_API_KEY" },
  };
}
