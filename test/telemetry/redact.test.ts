import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/telemetry/index.ts";

const secret = "tw-9fK2/aQ+z7Lm0XvB";
const redactor = createRedactor({ secrets: [secret, "x", "xx", "abcd12"], redact: true });

describe("what is taken out of a text", () => {
  test.each([
    ["a configured secret", `the key ${secret} is bad`, "the key [redacted] is bad"],
    ["inside a word", `id=${secret}abc`, "id=[redacted]abc"],
    ["percent-encoded", `q=${encodeURIComponent(secret)}.`, "q=[redacted]."],
    ["percent-encoded in lower case", "q=tw-9fK2%2faQ%2bz7Lm0XvB.", "q=[redacted]."],
    ["percent-encoded in part", "q=tw-9fK2%2faQ+z%37Lm0XvB.", "q=[redacted]."],
    ["every character percent-encoded", everyCharacter(secret, "%", 2), "[redacted]"],
    ["every character escaped as in JSON", everyCharacter(secret, "\\u", 4), "[redacted]"],
    ["base64", `token ${Buffer.from(secret).toString("base64")}`, "token [redacted]"],
    ["base64 for URLs", Buffer.from(secret).toString("base64url"), "[redacted]"],
    [
      "user and secret in basic credentials",
      `Basic ${Buffer.from(`me:${secret}`).toString("base64")}`,
      "Basic [redacted]",
    ],
    ["a short secret, anywhere", "zzabcd12zz", "zz[redacted]zz"],
    ["a placeholder key, only where it stands alone", "xx: no secret in xxl, x", "[redacted]: no secret in xxl, x"],
    ["a bearer token", "authorization: Bearer abc.def-ghi_jkl", "authorization: Bearer [redacted]"],
    ["a bearer token in JSON", '{"Authorization":"bearer abc123"}', '{"Authorization":"bearer [redacted]"}'],
    ["basic credentials", "Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted]"],
    [
      "a provider's key",
      "Incorrect API key provided: sk-proj-abcdefgh12345678.",
      "Incorrect API key provided: [redacted].",
    ],
    ["a provider's masked key", "provided: sk-abcde*********wxyz. See", "provided: [redacted]. See"],
    ["a key after an escaped line end", '"first\\nsk-abcdefgh12345678"', '"first\\n[redacted]"'],
    ["a key in a query", "GET /v1?key=AIzaSyA&alt=json", "GET /v1?key=[redacted]&alt=json"],
    ["a labelled value", '{"api_key":"hunter2","model":"m"}', '{"api_key":"[redacted]","model":"m"}'],
    ["user and password of an address", "at https://me:pass@host.lan/v1", "at https://[redacted]@host.lan/v1"],
    ["of a database", "postgres://u:p%40ss@db:5432/x1", "postgres://[redacted]@db:5432/x1"],
  ])("%s", (_what, text, expected) => {
    expect(redactor.text(text)).toBe(expected);
  });

  test.each([
    "You need to provide your API key using Bearer auth.",
    "Missing bearer token",
    "task-management and risk-assessment-tools are words",
    "use sk-learn",
    "max_tokens: 5 is too few; see https://host.lan/docs?page=2",
  ])("an ordinary sentence stays: %s", (text) => {
    expect(redactor.text(text)).toBe(text);
  });

  test("two secrets that overlap leave nothing of either", () => {
    const both = createRedactor({ secrets: ["abcdefgh", "efghijkl"], redact: true });
    expect(both.text("<abcdefghijkl>")).toBe("<[redacted]>");
  });

  test("a configured header value is found with and without its scheme", () => {
    const own = createRedactor({ secrets: ["Bearer provider-key"], redact: true });
    expect(own.text("no such key: provider-key (Bearer provider-key)")).toBe("no such key: [redacted] ([redacted])");
  });

  test("a key with a line end from its file is found without it", () => {
    expect(createRedactor({ secrets: [" secret-key-1\n", "", " "], redact: true }).text("<secret-key-1>")).toBe(
      "<[redacted]>",
    );
  });
});

describe("a provider's message", () => {
  test.each([
    ["You can find your key at https://platform.example.com/account/api-keys.", "You can find your key at [url]."],
    ["See (http://10.0.0.5:8000/v1/chat?key=abc), please", "See ([url]), please"],
    ['{"docs":"https:\\/\\/host\\/a b"}', '{"docs":"[url] b"}'],
    ["HTTPS://USER:PW@HOST/ and redis://u:p@host/0", "[url] and redis://[redacted]@host/0"],
    ["The model does not exist.", "The model does not exist."],
  ])("%s", (text, expected) => {
    expect(redactor.providerMessage(text)).toBe(expected);
  });
});

describe("long texts", () => {
  test("are cut, never inside a character", () => {
    expect(redactor.text("a".repeat(5_000))).toBe(`${"a".repeat(2_000)}…`);
    expect(redactor.text(`${"a".repeat(1_999)}😀b`)).toBe(`${"a".repeat(1_999)}…`);
    expect(redactor.text("a".repeat(2_000))).toBe("a".repeat(2_000));
  });

  test("a secret across the cut leaves no part of itself", () => {
    for (let before = 1_900; before <= 2_000; before++) {
      for (const form of [secret, everyCharacter(secret, "\\u", 4), Buffer.from(secret).toString("base64")]) {
        const out = redactor.text(`${"- ".repeat(before / 2)}${form}${" -".repeat(5_000)}`);
        expect(out.length).toBeLessThanOrEqual(2_001);
        expect(out).toMatch(/^[- ]+(?:\[redacted\]?|\[[redact]*)?[- ]*…$/);
      }
    }
  });

  test("a password that goes on behind the cut is not shown", () => {
    expect(redactor.text(`postgres://user:${"p".repeat(100_000)}@host/db`)).toBe("postgres://[redacted]…");
  });

  test.each([
    ["letters", "a".repeat(1_000_000)],
    ["the beginning of the secret", secret.slice(0, -1).repeat(60_000)],
    ["bearer and no token", "bearer    ".repeat(100_000)],
    ["labels", "token=".repeat(170_000)],
    ["schemes", "https://".repeat(125_000)],
    ["users", "://a@".repeat(200_000)],
    ["almost keys", "sk-abc ".repeat(140_000)],
    ["keys", "sk-".repeat(330_000)],
    ["percent signs", "%4".repeat(500_000)],
    ["escapes", "\\u00".repeat(250_000)],
    ["closing marks", `https://${")".repeat(1_000_000)}`],
    ["quotes after a label", "authorization''".repeat(70_000)],
    ["base64", `${Buffer.from(secret.repeat(30_000)).toString("base64")}`],
  ])("a hostile megabyte of %s takes milliseconds", (_what, text) => {
    const started = performance.now();
    redactor.text(text);
    redactor.providerMessage(text);
    redactor.json(text, Number.POSITIVE_INFINITY);
    // Generous, for a busy machine: quadratic work on a megabyte takes minutes.
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe("fields of events", () => {
  test("values are dropped while redaction is on", () => {
    expect(redactor.fields({ name: "get_weather", bytes: 12 }, { arguments: '{"city":"Oslo"}' })).toEqual({
      name: "get_weather",
      bytes: 12,
    });
  });

  test("values are kept, without secrets, where redaction is off", () => {
    const off = createRedactor({ secrets: [secret], redact: false });
    const fields = off.fields(
      { name: "login", nothing: undefined },
      { arguments: `{"with":"${secret}"}`, nested: [{ [`k${secret}`]: secret, password: "hunter2", token: 5 }] },
    );
    expect(fields).toEqual({
      name: "login",
      arguments: '{"with":"[redacted]"}',
      nested: [{ "k[redacted]": "[redacted]", password: "[redacted]", token: 5 }],
    });
  });

  test("a hostile value neither changes prototypes nor exhausts the stack", () => {
    const off = createRedactor({ secrets: [], redact: false });
    const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
    const out = off.fields({}, { deep, sly: JSON.parse('{"__proto__":{"polluted":1}}') });
    expect(JSON.stringify(out)).toContain("[too deep]");
    expect(JSON.stringify(out.sly)).toBe('{"__proto__":{"polluted":1}}');
  });
});

describe("no secret survives", () => {
  const secrets = fc
    .string({
      unit: fc.oneof(
        fc.constantFrom(...'abAB01-_/+.%\\"é'),
        fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)),
      ),
      minLength: 8,
      maxLength: 60,
    })
    .filter((s) => !"[redacted][url]".includes(s));
  const encodings: ((s: string) => string)[] = [
    (s) => s,
    encodeURIComponent,
    (s) => everyCharacter(Buffer.from(s).toString("latin1"), "%", 2),
    (s) => everyCharacter(s, "\\u", 4),
    (s) => JSON.stringify(s),
    (s) => Buffer.from(s).toString("base64"),
    (s) => Buffer.from(s).toString("base64url"),
    (s) => encodeURIComponent(Buffer.from(s).toString("base64")),
    (s) => Buffer.from(`u:${s}:`).toString("base64"),
    (s) => Buffer.from(`me:${s}é`).toString("base64"),
  ];

  test("whatever its form, its place and its neighbours", () => {
    fc.assert(
      fc.property(secrets, fc.string({ maxLength: 30 }), fc.string({ maxLength: 30 }), (s, before, after) => {
        const own = createRedactor({ secrets: [s, `${s.slice(4)}tail`], redact: true });
        for (const encode of encodings) {
          const form = encode(s);
          for (const text of [`${before}${form}${after}`, `${before} ${form} ${after} ${form}${form}`]) {
            const out = own.text(text);
            expect(out).not.toContain(s);
            expect(out).not.toContain(form);
            const value = JSON.stringify(own.json({ [text]: [text] }));
            expect(value).not.toContain(JSON.stringify(s).slice(1, -1));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test("at any distance from the cut", () => {
    fc.assert(
      fc.property(
        secrets,
        fc.integer({ min: 1_800, max: 2_100 }),
        fc.constantFrom(...encodings),
        (s, before, encode) => {
          const own = createRedactor({ secrets: [s], redact: true });
          const form = encode(s);
          const out = own.text(`${" ".repeat(before)}${form}${" ".repeat(4_000)}`);
          for (let length = 6; length <= form.length; length++)
            expect(out.trimEnd().endsWith(`${form.slice(0, length)}…`)).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});

function everyCharacter(text: string, lead: string, digits: number): string {
  return [...Array(text.length).keys()]
    .map((at) => lead + text.charCodeAt(at).toString(16).padStart(digits, "0"))
    .join("");
}
