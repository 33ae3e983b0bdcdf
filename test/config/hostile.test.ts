import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { ConfigError, toConfig } from "../../src/config/index.ts";
import { mistakesIn } from "./reading.ts";

const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"]
  .concat(["b", "c", "d", "e", "f"].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcde"[at]}`)}]`))
  .join("\n");

describe("a hostile file is answered, not obeyed", () => {
  it.each([
    ["aliases of aliases", bomb, /aliases \(\*name\) repeat too much/],
    [
      "an anchor and an alias a line",
      Array.from({ length: 30_000 }, (_, at) => `a${at}: &a${at} 1\nb${at}: *a${at}`).join("\n"),
      /aliases \(\*name\) repeat too much/,
    ],
    ["a value that contains itself", "log: &a { level: *a }", /nested too deeply/],
    ["lists in lists", "[".repeat(20_000), /nested too deeply/],
    ["mappings in mappings", `${"{a: ".repeat(100)}1${"}".repeat(100)}`, /nested too deeply/],
    ["a prototype", "__proto__: { keys: [] }", /^__proto__: unknown key/],
    ["a prototype deeper down", "backends: { a: { kind: demo, __proto__: { pace: 0 } } }", /__proto__: unknown key/],
    ["a tag that makes no plain value", "log: { level: !!set { info } }", /^log/],
    [
      "an older YAML",
      "%YAML 1.1\n---\nkeys: [{ key: a, expires: 2030-01-01 }]",
      /^keys\[0\]\.expires: expected a plain/,
    ],
    ["a second document", "log: {}\n---\nlog: {}", /a second document/],
    ["keys that are no text", "? [a, b]\n: 1", /unknown key/],
  ])("%s", (_, text, line) => {
    expect(mistakesIn(text)[0]).toMatch(line);
    expect(Object.prototype).not.toHaveProperty("keys");
  });

  it("many keys take no long time", () => {
    const text = Array.from({ length: 10_000 }, (_, at) => `key${at}: 1`).join("\n");
    const started = performance.now();
    expect(mistakesIn(text).length).toBeGreaterThan(1_000);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe("whatever the text is, it is a configuration or a ConfigError", () => {
  const name = fc.constantFrom(
    ..."listen host port keys name key hash models expires cors origins hosts log level default_model backends kind base_url api_key headers timeouts idle retries turn profile tools modules mcp_servers store url limits body per_key telemetry events __proto__ constructor toString".split(
      " ",
    ),
  );
  const scalar = fc.oneof(
    fc.constantFrom(
      "demo",
      "chat",
      "codex",
      "10s",
      "4mb",
      `\${A}`,
      `\${`,
      `$\${A}`,
      "http://a/v1",
      "sha256:0",
      "memory:",
      "",
    ),
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      scalar,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.oneof(name, fc.string()), tie("value"), { maxKeys: 6 }),
    ),
  }));
  const options = {
    dialects: ["d"],
    environment: { A: "a" },
    directory: "/",
  };

  it("for any values", () => {
    fc.assert(
      fc.property(fc.dictionary(name, value), (written) => {
        try {
          toConfig(written, options);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("for any YAML, and for YAML with something cut out or put in", () => {
    const edited = fc
      .tuple(fc.dictionary(name, value), fc.nat(), fc.nat(5), fc.string())
      .map(([written, at, length, put]) => {
        const text = stringify(written);
        const from = at % (text.length + 1);
        return text.slice(0, from) + put + text.slice(from + length);
      });
    fc.assert(
      fc.property(fc.oneof(edited, fc.string(), fc.json(), fc.string({ unit: "binary" })), (text) => {
        for (const line of mistakesIn(text)) expect(line).not.toMatch(/[\r\n]/);
      }),
      { numRuns: 1_000 },
    );
  });
});
