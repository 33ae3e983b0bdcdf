import { describe, expect, it } from "vitest";
import { askedNames, namedProviders, sourceFiles } from "./provider-names.ts";

const files = sourceFiles();
const engine = files.filter(({ path }) => path.startsWith("engine/"));
/** One API in or out, one kind of backend, and the two registries of kinds: these know their own name. */
const ownPlace = /^(?:wire\/[\w-]+\/|backends\/[\w-]+\/|config\/kinds\/|gateway\/kinds\/)/;
const elsewhere = files.filter(({ path }) => !ownPlace.test(path));

const plant = (text: string, room = "http") => ({ path: `${room}/planted.ts`, text });

describe("the engine", () => {
  it("names no provider and no family of models", () => {
    expect(engine.length).toBeGreaterThan(20);
    expect(engine.flatMap(namedProviders)).toEqual([]);
  });

  it("does not ask which API a client speaks, nor of which kind a backend is", () => {
    expect(engine.flatMap(askedNames)).toEqual([]);
  });
});

describe("the rest of the house", () => {
  it("asks for the name of an API or of a kind only where that API or kind lives", () => {
    expect(elsewhere.length).toBeGreaterThan(engine.length);
    expect(elsewhere.flatMap(askedNames)).toEqual([]);
  });
});

describe("the check", () => {
  it.each([
    "// Mistral wants nine letters",
    'if (name.startsWith("gpt-")) return;',
    "const isDeepSeek = true;",
    "export function forOpenAI() {}",
  ])("sees a provider in %j", (text) => {
    expect(namedProviders(plant(text))).toHaveLength(1);
  });

  it.each([
    'if (turn.api === "chat") return;',
    "if (turn.api !== 'responses') return;",
    'const same = "chat" === turn.api;',
    'if (backend?.kind == "codex") return;',
    'if (clientApi\n  === "responses") return;',
    "return settings.providerApi === `chat`;",
    'switch (api) { case "responses": return; }',
    'case "demo":',
  ])("sees a question for a name in %j", (text) => {
    expect(askedNames(plant(text))).toHaveLength(1);
  });

  it("sees it under any other name in the engine", () => {
    const text = 'if (spoken === "chat" || "responses" !== plan.style) return;';
    expect(askedNames(plant(text, "engine"))).toHaveLength(2);
    expect(askedNames(plant('return item.format === "responses";', "engine"))).toEqual([]);
  });

  it.each([
    'return item.format === "responses" ? item.fields : undefined;',
    'if (call.kind === "custom") return;',
    'switch (event.type) { case "text.delta": return; }',
    'const api: ServiceApi = { name: "chat" };',
    "const { chat } = apis;",
  ])("lets %j be", (text) => {
    expect([...askedNames(plant(text)), ...namedProviders(plant(text))]).toEqual([]);
  });
});
