import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadConfig, parseConfig } from "../../src/config/index.ts";
import { parts } from "../../src/gateway/parts.ts";
import { codeBlocks } from "./code-blocks.ts";

const environment = { TOOLWIRE_KEY: "tw-1", CHUTES_API_KEY: "chutes-1", OPENAI_API_KEY: "openai-1" };
const example = fileURLToPath(new URL("../../examples/toolwire.yaml", import.meta.url));

describe("examples/toolwire.yaml", () => {
  it("is a valid configuration with both kinds of provider, aliases and keys", async () => {
    const { config } = await loadConfig({ ...parts, file: example, environment });
    expect(config.backends).toMatchObject({
      chutes: { kind: "chat", api_key: "chutes-1" },
      openai: { kind: "responses", api_key: "openai-1" },
      local: { kind: "chat", tools: "prompted" },
      demo: { kind: "demo" },
    });
    expect(config.models).toMatchObject({
      fast: { backend: "chutes" },
      smart: { settings: { turn: { profile: "extended" } } },
    });
    expect(config.keys).toMatchObject([{ name: "laptop", key: "tw-1" }, { name: "colleague" }]);
  });

  it("needs the variables that it names, and says so", async () => {
    const loading = loadConfig({ ...parts, file: example, environment: {} });
    await expect(loading).rejects.toMatchObject({
      mistakes: ["TOOLWIRE_KEY", "CHUTES_API_KEY", "OPENAI_API_KEY"].map((name) => ({
        message: `needs the environment variable ${name}, which is not set`,
      })),
    });
  });
});

describe.each(["README.md", "docs/models.md"])("the configuration in %s", (page) => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");

  it("is valid", () => {
    const blocks = codeBlocks(text, "yaml");
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      expect(parseConfig(block, { ...parts, environment, directory: "/" }).models).toHaveProperty("fast");
    }
  });
});
