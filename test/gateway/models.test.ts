import { describe, expect, it } from "vitest";
import { createConfig } from "../../src/gateway/index.ts";
import { Models } from "../../src/gateway/models.ts";
import { parts } from "../../src/gateway/parts.ts";
import { codexModel } from "../../src/http/codex-models.ts";

const local = { base_url: "http://127.0.0.1:9" };

/** Nothing is asked, and no program is started. */
function models(values: unknown): Models {
  return new Models(createConfig(values), (text) => text, {
    onListFailure: () => {},
    onBreaker: () => {},
    onSecrets: () => {},
    onNotice: () => {},
  });
}

const every = {
  backends: {
    demo: { kind: "demo" },
    chat: { kind: "chat", ...local },
    responses: { kind: "responses", ...local },
    codex: { kind: "codex", command: ["no-such-program"] },
  },
  models: {
    fast: { backend: "chat", model: "org/fast", fallback: ["demo"] },
    slow: { backend: "chat", timeouts: { idle: "1s" } },
    other: { backend: "chat", api_key: "another" },
  },
};

const find = (values: unknown, name: string) => models(values).find(name, () => true);

describe("the list of models", () => {
  const list = models(every).list();

  it("has aliases, then backends that are models by their names, and last what few look for", () => {
    const dialects = parts.dialects.map((dialect) => `demo/${dialect}`);
    expect(list.map(({ id }) => id)).toEqual(["fast", "slow", "other", "demo", "demo/native", "codex", ...dialects]);
  });

  it("shows Codex no forms of a model that has a shorter name", () => {
    const shown = list.map(codexModel).filter(({ visibility }) => visibility === "list");
    expect(shown.map(({ slug }) => slug)).toEqual(["fast", "slow", "other", "demo", "codex"]);
  });
});

describe("the name of a model", () => {
  it.each([
    ["fast", "chat", "org/fast"],
    ["slow", "chat", "slow"],
    ["demo", "demo", "native"],
    ["demo/native", "demo", "native"],
    ["demo/hermes-json", "demo", "hermes-json"],
    ["codex", "codex", "codex"],
    ["codex/gpt-x", "codex", "gpt-x"],
    ["responses/a/b", "responses", "a/b"],
  ])("%s leads to the backend %s as %s", (name, backend, model) => {
    expect(find(every, name)).toMatchObject({ backend: { name: backend }, model });
  });

  it("of a dialect makes that dialect read, unless the configuration names others", () => {
    expect(find(every, "demo/hermes-json").settings.dialects).toEqual(["hermes-json"]);
    expect(find(every, "demo").settings.dialects).toBe("auto");
    const none = { backends: { demo: { kind: "demo", dialects: "none" } } };
    expect(find(none, "demo/hermes-json").settings.dialects).toBe("none");
    expect(find(every, "chat/hermes-json").settings.dialects).toBe("auto");
  });

  it("is passed on to the only service that there is", () => {
    const { demo, codex, chat } = every.backends;
    expect(find({ backends: { demo, chat } }, "gpt-x")).toMatchObject({ backend: { name: "chat" }, model: "gpt-x" });
    expect(find({ backends: { demo, codex } }, "gpt-x")).toMatchObject({ backend: { name: "codex" } });
    expect(() => find(every, "gpt-x")).toThrow('There is no model "gpt-x".');
    expect(() => find({ backends: { demo } }, "gpt-x")).toThrow("Known here: demo, demo/native.");
  });

  it("is unknown where a kind has no such model", () => {
    expect(() => find(every, "demo/hermes-jso")).toThrow('Did you mean "demo/hermes-json"?');
    expect(() => find(every, "chat")).toThrow('There is no model "chat".');
  });
});

describe("an alias", () => {
  it("shares its backend, and its failures, as far as its settings allow", () => {
    const all = models(every);
    const [plain, fast, slow, other] = ["chat/m", "fast", "slow", "other"].map((name) => all.find(name, () => true));
    expect(fast?.backend).toBe(plain?.backend);
    expect(slow?.backend).not.toBe(plain?.backend);
    expect(slow?.breaker).toBe(plain?.breaker);
    expect(other?.breaker).not.toBe(plain?.breaker);
  });
});

describe("a backend's capabilities", () => {
  it.each([
    ["chat/m", {}],
    ["responses/m", { keepsResponses: true, knowsOtherTools: true }],
    ["codex", { refusesHostedChoice: true, asksCodex: true }],
    ["demo", {}],
  ])("follow from its kind: %s", (name, expected) => {
    const { keepsResponses, knowsOtherTools, refusesHostedChoice, asksCodex } = find(every, name).backend.capabilities;
    const facts = Object.entries({ keepsResponses, knowsOtherTools, refusesHostedChoice, asksCodex });
    expect(Object.fromEntries(facts.filter(([, holds]) => holds))).toEqual(expected);
  });
});
