import { describe, expect, it } from "vitest";
import { mistakesIn } from "./reading.ts";

const backend = (settings: string) => `backends: { a: { base_url: http://a, ${settings} } }`;
const model = (settings: string) => `${backend("")}\nmodels: { m: { backend: a, ${settings} } }`;

describe("a key whose part is not built yet", () => {
  it.each([
    ["keys: [{ key: k, tools: [t] }]", "keys[0].tools"],
    ["turn: { emit: use_tool }", "turn.emit"],
    [backend("emit: use_tool"), "backends.a.emit"],
    [model("turn: { emit: use_tool }"), "models.m.turn.emit"],
    ["tools: { execution: server }", "tools.execution"],
    ["tools: { modules: [./a.mjs] }", "tools.modules"],
    ["tools: { mcp_servers: { files: { command: files } } }", "tools.mcp_servers"],
    ["tools: { approval: [t] }", "tools.approval"],
    ["use_tool: { hold: 1s }", "use_tool.hold"],
    ["rails: { apply_patch: . }", "rails.apply_patch"],
    ["coordination: { url: redis://r }", "coordination.url"],
    ["telemetry: { otlp: http://o }", "telemetry.otlp"],
  ])("is refused where it asks for something: %s", (text, path) => {
    const [mistake, ...others] = mistakesIn(text);
    expect(others).toEqual([]);
    expect(mistake).toMatch(/ not built yet; leave this key out$/);
    expect(mistake?.slice(0, mistake.indexOf(": "))).toBe(path);
  });

  it("is named", () => {
    expect(mistakesIn("tools: { modules: [./a.mjs] }")).toEqual([
      "tools.modules: tools that the gateway runs are not built yet; leave this key out",
    ]);
  });

  it.each([
    backend("dialects: none"),
    "turn: { repair: false }",
    backend("tools: prompted, reask: 1, ids: sequential, strict_failure: message"),
    "turn: { emit: structured }",
    "tools: { execution: client }",
    "tools: { enabled: false }",
    "tools: { enabled: false, modules: [./a.mjs], execution: server }",
  ])("is accepted where it is off or at its default: %s", (text) => {
    expect(mistakesIn(text)).toEqual([]);
  });

  it("is accepted once its part is there", () => {
    const parts = { dialects: ["hermes-json", "kimi-k2"] };
    expect(mistakesIn("backends: { c: { kind: codex, dialects: [kimi-k2] } }", parts)).toEqual([]);
    expect(mistakesIn("backends: { c: { kind: codex, dialects: [kimi-k3] } }", parts)).toEqual([
      'backends.c.dialects[0]: there is no dialect "kimi-k3"; did you mean kimi-k2?',
    ]);
    expect(mistakesIn("backends: { c: { kind: codex, dialects: [hermes] } }", parts)).toEqual([
      'backends.c.dialects[0]: there is no dialect "hermes"; did you mean hermes-json?',
    ]);
    expect(mistakesIn("backends: { c: { kind: codex, dialects: [] } }", parts)).toEqual([
      "backends.c.dialects: expected at least one dialect; for none of them, write none",
    ]);
  });

  it("is not accepted of the demo, which speaks natively or in a dialect", () => {
    const parts = { dialects: ["hermes-json"] };
    const config = (model: string) =>
      `{ backends: { d: { kind: demo } }, models: { m: { backend: d, model: ${model} } } }`;
    expect(mistakesIn(config("hermes-json"), parts)).toEqual([]);
    expect(mistakesIn(config("native"), parts)).toEqual([]);
    expect(mistakesIn(config("hermes"), parts)).toEqual([
      'models.m.model: the demo has no model "hermes"; expected native, or a dialect; did you mean hermes-json?',
    ]);
  });
});
