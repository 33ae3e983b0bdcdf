import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The provider's key. A client must never see it. */
export const secret = "sk-fuzz-Zq8vT1xLw03NnRbE5yKdHs7u";

const named = "fuzz";

/**
 * What differs between the models of the fuzz: which API their provider speaks, and what the gateway does with what they write. The
 * provider answers all of them by the script of the case.
 */
export const models = {
  "chat-auto": { backend: "chat" },
  "chat-named": { backend: "chat", dialects: "all" },
  "chat-plain": { backend: "chat", dialects: "none" },
  "chat-prompted": { backend: "chat", tools: "prompted" },
  "chat-prompted-named": { backend: "chat", tools: "prompted", dialects: "all" },
  "chat-thinking": { backend: "chat", starts_in_reasoning: true },
  "chat-thinking-named": { backend: "chat", starts_in_reasoning: true, dialects: "all" },
  "chat-again": { backend: "chat", retries: 1, reask: 1 },
  "chat-message": { backend: "chat", strict_failure: "message" },
  "chat-early": { backend: "chat", keep_alive: "40ms", profile: "extended" },
  "chat-unmended": { backend: "chat", repair: false, ids: "sequential" },
  "chat-fallback": { backend: "chat", fallback: ["responses-auto"] },
  "responses-auto": { backend: "responses" },
  "responses-named": { backend: "responses", dialects: "all" },
  "responses-prompted": { backend: "responses", tools: "prompted" },
  "responses-early": { backend: "responses", keep_alive: "40ms", profile: "extended" },
  "responses-again": { backend: "responses", retries: 1, reask: 1, ids: "sequential" },
};

export const modelNames = Object.keys(models);

export function apiOf(model) {
  return models[model].backend;
}

/** The configuration as JSON, which is YAML too. A setting that the build does not know is left out. */
export async function configuration(build, provider, events, dialects) {
  const { createConfig } = await import(pathToFileURL(join(build, "dist", "gateway", "index.js")).href);
  const backend = (kind) => ({
    kind,
    base_url: `${provider}/v1`,
    api_key: secret,
    // Nothing waits long, and no backend is given up: the next case must be answered too.
    timeouts: { connect: "2s", first_content: "1s", idle: "600ms", total: "20s" },
    breaker: { failures: 1_000_000 },
    retries: 0,
  });
  const config = {
    listen: { host: "127.0.0.1", port: 0 },
    default_model: "chat-auto",
    backends: { chat: backend("chat"), responses: backend("responses") },
    models: Object.fromEntries(
      Object.entries(models).map(([name, { dialects: choice = "auto", ...settings }]) => [
        name,
        { ...settings, model: named, dialects: choice === "all" ? dialects : choice },
      ]),
    ),
    limits: { stall: "5s", drain: "2s" },
    telemetry: { events },
  };
  try {
    createConfig(config, { directory: "." });
  } catch {
    for (const model of Object.values(config.models)) delete model.starts_in_reasoning;
  }
  return JSON.stringify(config, null, 1);
}
