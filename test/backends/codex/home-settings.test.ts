import { describe, expect, it } from "vitest";
import { homeSettings } from "../../../src/backends/codex/home-settings.ts";
import type { JsonObject } from "../../../src/turn/index.ts";

/** A configuration of which everything is written in the home. */
const said = (config: JsonObject, written: string[] = []) => homeSettings({ config, written });

describe("what is said against the configuration of a home", () => {
  it("is every feature that somebody has switched on for Codex", () => {
    const features = { deferred_executor: true, something_of_tomorrow: true, goals: false, memories: true };
    const written = ["features.deferred_executor", "features.something_of_tomorrow", "features.goals", "model"];
    const told = said({ features }, written).filter((setting) => setting.startsWith("features."));
    // Those that are only on by Codex's own default are told elsewhere, where they matter.
    expect(told).toEqual(["features.deferred_executor=false", "features.something_of_tomorrow=false"]);
  });

  it("is no feature of the way to the service", () => {
    const names = ["api_key_model_discovery", "fast_mode", "network_proxy", "use_agent_identity", "auth_elicitation"];
    const features = Object.fromEntries(names.map((name) => [name, true]));
    const written = names.map((name) => `features.${name}`);
    expect(said({ features }, written).join()).not.toContain("features.");
  });

  it("is every MCP server, whatever its name is", () => {
    const servers = { files: { command: "x" }, "dotted.name": { url: "y" }, 'quoted"': {} };
    expect(said({ mcp_servers: servers })).toContain(
      'mcp_servers={"files"={enabled=false},"dotted.name"={enabled=false},"quoted\\""={enabled=false}}',
    );
  });
});

describe("the provider of a home", () => {
  const once = "request_max_retries=0,stream_max_retries=0";

  it("stays, but makes no second attempts", () => {
    const providers = { "my-llm": { name: "Mine" }, other: { name: "Other" } };
    expect(said({ model_provider: "my-llm", model_providers: providers })).toEqual([
      `model_providers={"my-llm"={${once}}}`,
    ]);
  });

  it("is not made another where it is misspelled", () => {
    const told = said({ model_provider: "my-lmm", model_providers: { "my-llm": { name: "Mine" } } });
    expect(told).toEqual([]);
  });

  it("is not touched where it is one that Codex has built in", () => {
    expect(said({ model_provider: "ollama", model_providers: {} })).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ["unless said", {}],
    ["by name", { model_provider: "openai" }],
  ])("is OpenAI with the login of the home, %s", (_, config) => {
    const [table, choice, ...more] = said(config);
    expect(more).toEqual([]);
    expect(choice).toBe('model_provider="toolwire-openai"');
    expect(table).toContain("requires_openai_auth=true");
    expect(table).toContain(once);
    expect(table).not.toContain("base_url");
  });

  it("is OpenAI at the address that the home has for it", () => {
    const [table] = said({ openai_base_url: "https://eu.api.openai.com/v1" });
    expect(table).toContain('base_url="https://eu.api.openai.com/v1"');
  });
});
