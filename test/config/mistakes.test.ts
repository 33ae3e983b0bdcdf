import { describe, expect, it } from "vitest";
import { mistakesIn, read } from "./reading.ts";

const chutes = "backends: { chutes: { base_url: https://llm.example/v1 } }";

describe("a mistake", () => {
  it.each([
    ["lisen: {}", "lisen: unknown key; did you mean listen?"],
    ["listen: { prot: 1 }", "listen.prot: unknown key; did you mean port?"],
    ["log: { zebra: 1 }", "log.zebra: unknown key; known here: level"],
    ["turn: { profile: opnai }", 'turn.profile: expected one of openai, extended, found "opnai"; did you mean openai?'],
    ["listen: { port: 99999 }", "listen.port: expected a whole number from 0 to 65535, found 99999"],
    ["listen: 8787", "listen: expected a mapping, found a number"],
    ["hosts: gateway.lan", "hosts: expected a list, found a text"],
    ["log: { level: }", /^log\.level: expected one of .*, found nothing$/],
    ["telemetry: { redact: maybe }", 'telemetry.redact: expected true or false, found "maybe"'],
    [
      "turn: { keep_alive: 10 }",
      "turn.keep_alive: expected a duration such as 250ms, 10s or 5m (1ms to 24d), found 10; did you mean 10s?",
    ],
    ["turn: { keep_alive: 60d }", /^turn\.keep_alive: expected a duration .* found "60d"$/],
    ["limits: { body: big }", 'limits.body: expected a size such as 64kb or 4mb (at most 256mb), found "big"'],
    ["limits: { memory: 16mb }", "limits.memory: 16mb is less than limits.body (32mb)"],
    ["hosts: ['https://gateway.lan']", /^hosts\[0\]: expected a host name such as gateway\.lan/],
    ["cors: { origins: ['http://a.example/path'] }", /^cors\.origins\[0\]: expected an origin such as/],
    ["backends: { 'a/b': { kind: demo } }", /^backends\.a\/b: expected a name of letters, digits/],
    ["backends: { a: { kind: chta } }", /^backends\.a\.kind: expected one of .*, found "chta"; did you mean chat\?$/],
    ["backends: { a: { kind: chat } }", /^backends\.a\.base_url: missing; expected an address such as https/],
    ["backends: { a: { base_url: ftp://a } }", /^backends\.a\.base_url: expected an address .*, found "ftp:\/\/a"$/],
    ["backends: { a: { kind: demo, base_url: http://a } }", /^backends\.a\.base_url: unknown key/],
    [
      `${chutes}\nmodels: { a: { backend: chutes, fallback: [a] } }`,
      "models.a.fallback[0]: a model cannot stand in for itself",
    ],
    [
      "backends: { c: { base_url: http://c }, d: { base_url: http://d } }\nmodels: { fast: { backend: c, fallback: [dd/x] } }",
      /^models\.fast\.fallback\[0\]: there is no model "dd\/x"; expected one of models, or backend\/model/,
    ],
    ["models: { a: {} }", "models.a.backend: missing; expected the name of a backend"],
    ["- a list", "expected a mapping of keys to values at the top of the file"],
  ])("is one line with the key's path, what was expected and what was found: %s", (text, line) => {
    const mistakes = mistakesIn(text);
    expect(mistakes).toHaveLength(1);
    if (typeof line === "string") expect(mistakes[0]).toBe(line);
    else expect(mistakes[0]).toMatch(line);
  });

  it("does not hide the others, in whichever check they show", () => {
    const text = `
      listen: { port: x, host: 0.0.0.0 }
      backends:
        chutes:
          base_url: https://llm.example/v1
          api_key: \${CHUTES_API_KEY}
          timeouts: { conect: 5s }
          emit: use_tool
        other: { kind: chta }
      models:
        fast: { backend: chuts }
        slow: { backend: other }
      turn: { emit: use_tool }
      store: { url: "memory:" }
    `;
    expect(mistakesIn(text).map((line) => line.slice(0, line.indexOf(":")))).toEqual([
      "listen.port",
      "listen.host",
      "backends.chutes.api_key",
      "backends.chutes.timeouts.conect",
      "backends.other.kind",
      "backends.chutes.emit",
      "models.fast.backend",
      "turn.emit",
    ]);
  });

  it.each([
    "backends: { a: { base_url: http://a, api_key: [hunter2] } }",
    "backends: { a: { base_url: http://a, api_key: 'hunter2 ' } }",
    "backends: { a: { base_url: 'http://me:hunter2@a' } }",
    "backends: { a: { base_url: 'http://a/?key=hunter2' } }",
    'backends: { a: { base_url: http://a, headers: { x-key: "hunter2\\n" } } }',
    "backends: { a: hunter2 }",
    "keys: ['hunter2 ']",
    "keys: [{ name: a, hash: hunter2 }]",
    "keys: [{ name: a, key: 'hunter2 ' }]",
    "keys: hunter2",
    "store: { url: 'postgres://me:hunter2@db/x y' }",
    "store: { url: 'postgresq://me:hunter2@db/x' }",
    "store: { url: 'mysql://me:hunter2@db/x' }",
    "keys: [hunter2\nlog: { level: [",
    "keys: *hunter2",
    "keys: !hunter2 x",
    "keys: @hunter2",
    'keys: ["\\hunter2"]',
    "keys: 'a' hunter2",
  ])("never shows a secret: %j", (text) => {
    const mistakes = mistakesIn(text);
    expect(mistakes).not.toEqual([]);
    expect(mistakes.join()).not.toContain("hunter2");
  });
});

describe("a file that is not YAML", () => {
  it("is answered with the line and the column", () => {
    expect(mistakesIn("log:\n\tlevel: info")).toEqual([
      "not valid YAML at line 2, column 1: a tab indents this line; YAML wants spaces",
    ]);
  });

  it("may have a variable without quotes where YAML takes it for a mapping", () => {
    expect(mistakesIn(`backends:\n  a: { api_key: \${KEY} }`)[0]).toMatch(
      /^not valid YAML at line 2, column \d+: .*; between \{ \} or \[ \], \$\{NAME\} needs quotes$/,
    );
  });

  it("has a key only once", () => {
    expect(mistakesIn("log: {}\nhosts: []\nlog: {}")).toEqual([
      "not valid YAML at line 3, column 1: this key is there twice",
    ]);
  });
});

describe("keys that belong together", () => {
  it("a model's backend is one that is there", () => {
    expect(mistakesIn(`${chutes}\nmodels: { fast: { backend: chuts } }`)).toEqual([
      'models.fast.backend: there is no backend "chuts"; did you mean chutes?',
    ]);
  });

  it.each(["fast", "chutes/some/model", "demo", "demo/native", "bare-name"])("the default model may be %s", (name) => {
    const text = `
      backends: { chutes: { base_url: https://llm.example/v1 }, demo: { kind: demo } }
      models: { fast: { backend: chutes, model: m } }
      default_model: ${name}
    `;
    expect(read(text).default_model).toBe(name);
  });

  it("a bare name is nobody's when there are several services, or none", () => {
    const two = "backends: { a: { base_url: http://a }, b: { base_url: http://b } }\nmodels: { fast: { backend: a } }";
    expect(mistakesIn(`${two}\ndefault_model: fats`)).toEqual([
      'default_model: there is no model "fats"; expected one of models, or backend/model; did you mean fast?',
    ]);
    expect(mistakesIn("default_model: gpt")).toHaveLength(1);
    expect(mistakesIn("default_model: nobody/gpt")).toHaveLength(1);
  });

  it.each(["0.0.0.0", "'::'", "192.168.1.5", "gateway.lan"])("listening on %s needs keys", (host) => {
    const memory = "store: { url: 'memory:' }";
    expect(mistakesIn(`listen: { host: ${host} }\n${memory}`)).toEqual([
      expect.stringMatching(/^listen\.host: .* keys are needed; set keys, or listen on 127\.0\.0\.1$/),
    ]);
    expect(mistakesIn(`listen: { host: ${host} }\n${memory}\nkeys: [secret]`)).toEqual([]);
  });

  it.each(["127.0.0.1", "127.8.8.8", "localhost", "'::1'", "'[::1]'"])("listening on %s does not", (host) => {
    expect(mistakesIn(`listen: { host: ${host} }`)).toEqual([]);
  });

  it("the command line's host is held to the same rule", () => {
    expect(mistakesIn("store: { url: 'memory:' }", { listen: { host: "0.0.0.0" } })).toHaveLength(1);
    expect(read("listen: { port: 1 }", { listen: { port: 2 } }).listen).toEqual({ host: "127.0.0.1", port: 2 });
  });

  it("hosts are names or addresses, with or without a port", () => {
    const good = ["gateway.lan", "gateway.lan:8443", "10.0.0.1", "::1", "[fd00::1]:80", "my_host."];
    expect(read(`hosts: ${JSON.stringify(good)}`).hosts).toEqual(good);
    const wrong = ["https://gateway.lan", "gateway.lan/v1", "a:b", "[::g]", "", "gateway.lan:99999", "a b"];
    expect(mistakesIn(`hosts: ${JSON.stringify(wrong)}`)).toHaveLength(wrong.length);
  });

  it("a setting of the turn is written in one place", () => {
    const text = "backends: { a: { kind: demo, profile: extended, turn: { profile: openai } } }";
    expect(mistakesIn(text)).toEqual(["backends.a.profile: is also set in turn.profile; keep one of them"]);
  });
});
