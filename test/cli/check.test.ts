import { describe, expect, it } from "vitest";
import { run } from "./program.ts";

const files = {
  "toolwire.yaml": `
keys: [{ name: laptop, key: gateway-secret }]
default_model: fast
backends:
  chutes:
    base_url: https://llm.example/v1/
    api_key: \${CHUTES_API_KEY}
    headers: { x-team: header-secret }
    dialects: [hermes-json, kimi-k2]
  demo: { kind: demo, pace: 0ms }
models:
  fast: { backend: chutes, model: org/large, fallback: [chutes/org/small, demo] }
  plain: { backend: chutes, model: org/large, dialects: none }
`,
};

describe("toolwire check", () => {
  it("shows what the configuration comes to, with its secrets masked", async () => {
    const { code, stdout, stderr } = await run(["check"], { files, environment: { CHUTES_API_KEY: "sk-secret" } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`toolwire.yaml is fine.

gateway
  listen          http://127.0.0.1:8787
  keys            laptop
  store           sqlite toolwire.db, kept for 30d
  default model   fast
  limits          600 requests a key in 1m, 1024 turns at once

backends
  chutes   chat   https://llm.example/v1   key ********, x-team ********, dialects hermes-json kimi-k2
  demo     demo   built in, 0ms a piece

models
  fast             chutes/org/large, then chutes/org/small, then demo
  plain            chutes/org/large with dialects none
  chutes/…         any model of chutes
  demo             demo/native
  demo/DIALECT     the same, with calls written as text
  any other name   passed on to chutes

tools
  the client's own   passed to the model
  the gateway's      none
`);
  });

  it("works without a file", async () => {
    const { code, stdout } = await run(["check"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^No file: the defaults are used\.\n/);
    expect(stdout).toMatch(/^ {2}default model +demo$/m);
  });

  it("answers a mistaken configuration with a line for each mistake", async () => {
    const text = `listen: { port: x }
backends: { a: { base_url: http://a, api_key: "\${NONE}", idel: 1s } }`;
    const { code, stdout, stderr } = await run(["check", "--config", "mine.yaml"], { files: { "mine.yaml": text } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([
      'mine.yaml: listen.port: expected a whole number from 0 to 65535, found "x"',
      "mine.yaml: backends.a.api_key: needs the environment variable NONE, which is not set",
      expect.stringMatching(/^mine\.yaml: backends\.a\.idel: unknown key/),
    ]);
  });

  it("reads the file that TOOLWIRE_CONFIG names", async () => {
    const environment = { TOOLWIRE_CONFIG: "absent.yaml" };
    expect(await run(["check"], { environment })).toEqual({
      code: 1,
      stdout: "",
      stderr: "absent.yaml: cannot read the configuration: there is no such file\n",
    });
  });
});
