import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { kindNames } from "../../src/config/kinds/index.ts";
import { codecs } from "../../src/wire/index.ts";

const source = join(import.meta.dirname, "../../src");

/** Providers and families of models: what each is known to want stands with the backends. */
const providers = [
  ...["openai", "azure", "anthropic", "claude", "google", "gemini", "gemma", "mistral", "deepseek", "qwen", "kimi"],
  ...["moonshot", "glm", "llama", "groq", "grok", "chutes", "openrouter", "codex", "minimax", "cerebras", "fireworks"],
  ...["bedrock", "vllm", "sglang", "perplexity", "nvidia", "gpt-"],
];

const provider = new RegExp(providers.join("|"), "gi");

/** The APIs that clients speak, and the kinds of backends. */
const literal = `["'\`](?:${[...new Set([...codecs.map(({ name }) => name), ...kindNames])].join("|")})["'\`]`;
const comparison = new RegExp(
  [
    `(\\w+)\\)?\\s*[!=]==?\\s*${literal}`,
    `${literal}\\s*[!=]==?\\s*(?:\\w+\\??\\.)*(\\w+)`,
    `\\bcase\\s+${literal}`,
  ].join("|"),
  "g",
);

export interface SourceFile {
  /** Below `src`, with slashes. */
  path: string;
  text: string;
}

export function sourceFiles(): SourceFile[] {
  const entries = readdirSync(source, { recursive: true, encoding: "utf8" });
  return entries
    .filter((path) => path.endsWith(".ts"))
    .map((path) => ({ path: path.replaceAll("\\", "/"), text: readFileSync(join(source, path), "utf8") }));
}

/** Every provider that a file names, as `path: name`. */
export function namedProviders({ path, text }: SourceFile): string[] {
  return [...text.matchAll(provider)].map(([name]) => `${path}: ${name}`);
}

/** Every place where a file compares a value with the name of an API or of a kind, as `path: what it says`. */
export function askedNames({ path, text }: SourceFile): string[] {
  const found = [...text.matchAll(comparison)];
  return found.filter(([, left, right]) => isAsked(path, left ?? right)).map(([words]) => `${path}: ${words}`);
}

/** `format` is another thing: it names the wire format of an opaque item. The engine compares nothing else with such a name. */
function isAsked(path: string, value: string | undefined): boolean {
  if (value === undefined) return true;
  return path.startsWith("engine/") ? value !== "format" : /^(?:api|kind|clientApi|providerApi)$/.test(value);
}
