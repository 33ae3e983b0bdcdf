import { describe, expect, it } from "vitest";
import { type BackendConfig, backendKinds, isService, kindOf } from "../../src/config/index.ts";
import { mistakesIn, read } from "./reading.ts";

const written = `
backends:
  chat: { base_url: http://c/v1/, api_key: sk-c, headers: { x-api-token: t, x-region: eu } }
  responses: { kind: responses, base_url: http://r }
  codex: { kind: codex, command: [my-codex, app-server], home: /srv/codex }
  demo: { kind: demo, pace: 1s }
`;

function settings(name: string, text = written): BackendConfig {
  const { backends, models } = read(text);
  const found = models[name]?.settings ?? backends[name];
  if (!found) throw new Error(`there is no backend or model ${name}`);
  return found;
}

/** A model of the backend that overrides something. */
function overridden(backend: string, overrides: string): BackendConfig {
  return settings("own", `${written}models: { own: { backend: ${backend}, ${overrides} } }`);
}

const secrets = (config: BackendConfig) => kindOf(config).secrets(config);
const service = (config: BackendConfig) => kindOf(config).service(config);
const described = (config: BackendConfig) => kindOf(config).describe(config);

describe("every kind of backend", () => {
  it("is registered under its own name", () => {
    for (const [name, kind] of Object.entries(backendKinds)) expect(kind.name).toBe(name);
  });

  it("keeps its settings in a model that overrides none", () => {
    for (const name of Object.keys(backendKinds)) {
      expect(overridden(name, "retries: 2")).toEqual(settings(name));
    }
  });

  it("takes no keys of other kinds, though a model may have any of them", () => {
    expect(mistakesIn("backends: { d: { kind: demo, home: /h } }")).toEqual([
      expect.stringMatching(/^backends\.d\.home: unknown key/),
    ]);
    expect(overridden("demo", "home: /h, base_url: http://b")).toEqual(settings("demo"));
  });

  it("never shows the values of its secret keys", () => {
    for (const { name, secretKeys } of Object.values(backendKinds)) {
      for (const key of secretKeys) {
        const mistakes = mistakesIn(`backends: { b: { kind: ${name}, ${key}: "my secret" } }`);
        expect(mistakes.join()).toContain(key);
        expect(mistakes.join()).not.toContain("my secret");
      }
    }
  });
});

describe("a provider on the network", () => {
  it("has a key and headers that are secret", () => {
    expect(secrets(settings("chat"))).toEqual(["sk-c", "t"]);
    expect(secrets(settings("responses"))).toEqual([]);
    expect(described(settings("chat"))).toEqual([
      "http://c/v1",
      "key ********, x-api-token ********, x-region ********",
    ]);
    expect(described(settings("responses"))).toEqual(["http://r", "no key"]);
  });

  it("is the same service at the same address with the same key", () => {
    expect(service(overridden("chat", "headers: { x-region: us }"))).toEqual(service(settings("chat")));
    expect(service(overridden("chat", "api_key: sk-d"))).not.toEqual(service(settings("chat")));
    expect(service(overridden("chat", "base_url: http://d"))).not.toEqual(service(settings("chat")));
  });

  it("takes any model's name, and its own is none", () => {
    expect(isService(settings("chat"))).toBe(true);
    expect(kindOf(settings("responses")).ownName).toBeUndefined();
  });
});

describe("Codex", () => {
  it("is described by its command and its home", () => {
    expect(described(settings("codex"))).toEqual(["my-codex app-server", "home /srv/codex"]);
    expect(secrets(settings("codex"))).toEqual([]);
  });

  it("is the same service with the same command and home", () => {
    expect(service(overridden("codex", "fetch_images: true"))).toEqual(service(settings("codex")));
    expect(service(overridden("codex", "home: other"))).toEqual([["my-codex", "app-server"], "/etc/toolwire/other"]);
  });

  it("takes any model's name, and its own means the model of its home", () => {
    expect(isService(settings("codex"))).toBe(true);
    expect(kindOf(settings("codex")).ownName?.model("codex")).toBe("codex");
  });
});

describe("the demo", () => {
  it("has a native model and one for each dialect", () => {
    const { fixedModels, ownName } = backendKinds.demo;
    expect(isService(settings("demo"))).toBe(false);
    expect(fixedModels?.main).toBe("native");
    expect(ownName?.model("demo")).toBe("native");
    expect(fixedModels?.variants(["hermes-json"])).toEqual(["hermes-json"]);
    expect(fixedModels?.dialectOf("hermes-json", ["hermes-json"])).toBe("hermes-json");
    expect(fixedModels?.dialectOf("native", ["hermes-json"])).toBeUndefined();
  });

  it("is the same whatever its pace", () => {
    expect(service(overridden("demo", "pace: 2s"))).toEqual(service(settings("demo")));
    expect(described(overridden("demo", "pace: 2s"))).toEqual(["built in, 2s a piece"]);
  });
});
