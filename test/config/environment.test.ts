import { describe, expect, it } from "vitest";
import { mistakesIn, read } from "./reading.ts";

const local = (key: string) => `backends: { a: { base_url: "http://\${HOST}/v1", api_key: "${key}" } }`;

describe("the environment", () => {
  it("is read where a value says so", () => {
    const environment = { HOST: "localhost:1234", KEY: "sk-1" };
    expect(read(local(`\${KEY}`), { environment }).backends.a).toMatchObject({
      base_url: "http://localhost:1234/v1",
      api_key: "sk-1",
    });
  });

  it("is text that is read as the key needs it", () => {
    const environment = { PORT: "9000", REDACT: "false", WAIT: "5s" };
    const text = `listen: { port: \${PORT} }\ntelemetry: { redact: \${REDACT} }\nlimits: { drain: \${WAIT} }`;
    const { listen, telemetry, limits } = read(text.replaceAll(/(\$\{\w+\})/g, '"$1"'), { environment });
    expect([listen.port, telemetry.redact, limits.drain]).toEqual([9_000, false, 5_000]);
  });

  it("cannot add keys, whatever a variable holds", () => {
    const environment = { MODEL: "a\nkeys: [b]\nlisten: { host: 0.0.0.0 }" };
    expect(mistakesIn(`default_model: \${MODEL}`, { environment })).toHaveLength(1);
    expect(
      read(`backends: { a: { base_url: http://a, api_key: '\${K}' } }`, { environment: { K: `\${HOME}` } }),
    ).toMatchObject({ backends: { a: { api_key: `\${HOME}` } } });
  });

  it("that lacks a name is answered with the key that needs it", () => {
    expect(mistakesIn(local(`\${KEY}`), { environment: { HOST: "h" } })).toEqual([
      "backends.a.api_key: needs the environment variable KEY, which is not set",
    ]);
    expect(mistakesIn(`keys: ['\${A}', '\${B}']\nlisten: { host: 0.0.0.0 }`)).toEqual([
      "keys[0]: needs the environment variable A, which is not set",
      "keys[1]: needs the environment variable B, which is not set",
    ]);
  });

  it("that holds an empty key is a mistake too", () => {
    expect(mistakesIn(local(`\${KEY}`), { environment: { HOST: "h", KEY: "" } })).toEqual([
      expect.stringMatching(/^backends\.a\.api_key: expected a key: .*, found an empty text$/),
    ]);
  });

  it.each([`\${KEY:-x}`, `\${}`, `\${my-key}`, `\${KEY`])("is named plainly, not as in %s", (written) => {
    expect(mistakesIn(local(written), { environment: { HOST: "h", KEY: "k" } })).toEqual([
      expect.stringMatching(/^backends\.a\.api_key: expected the name of an environment variable between \$\{ and \}/),
    ]);
  });

  it(`is left alone by $\${`, () => {
    expect(read(local(`$\${KEY}`), { environment: { HOST: "h" } }).backends.a).toMatchObject({ api_key: `\${KEY}` });
  });

  it.each(["false", "0"])("turns the gateway's tools off with ENABLE_TOOLS=%s", (ENABLE_TOOLS) => {
    expect(read("", { environment: { ENABLE_TOOLS } }).tools.enabled).toBe(false);
  });
});
