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
    ["base64 of base64", `token ${base64(base64(secret))}`, "token [redacted]"],
    ["base64 of basic credentials in base64", base64(`Basic ${base64(`me:${secret}`)}`), "[redacted]"],
    ["in capital letters", `the key ${secret.toUpperCase()} is bad`, "the key [redacted] is bad"],
    ["backwards", `the key ${backwards(secret)} is bad`, "the key [redacted] is bad"],
    ["in hexadecimal", `bytes ${hex(secret)}.`, "bytes [redacted]."],
    ["in hexadecimal with capital letters", `bytes ${hex(secret).toUpperCase()}.`, "bytes [redacted]."],
    ["in hexadecimal with colons", `bytes ${hex(secret, ":")}.`, "bytes [redacted]."],
    ["in hexadecimal with spaces", `bytes ${hex(secret, " ").toUpperCase()}.`, "bytes [redacted]."],
    ["as a list of numbers in hexadecimal", `[0x${hex(secret, ", 0x")}]`, "[0x[redacted]]"],
    ["as bytes of a string in C", `"\\x${hex(secret, "\\x")}"`, '"[redacted]"'],
    ["in hexadecimal, as a dump has it", hex(secret, " ").replaceAll(/(\w\w) (\w\w)/g, "$1$2"), "[redacted]"],
    ["as entities of HTML", `<p>${entities(secret, 10)}</p>`, "<p>[redacted]</p>"],
    ["as entities in hexadecimal", `<p>${entities(secret, 16)}</p>`, "<p>[redacted]</p>"],
    ["as entities in part", `<p>${entities("tw-9", 10)}fK2&#x2F;aQ+z7Lm0XvB</p>`, "<p>[redacted]</p>"],
    ["as entities that are escaped", entities(secret, 10).replaceAll("&", "&amp;"), "[redacted]"],
    ["percent-encoded twice", `q=${encodeURIComponent(encodeURIComponent(secret))}.`, "q=[redacted]."],
    ["with spaces of no width", `the key ${[...secret].join("\u200b")} is bad`, "the key [redacted] is bad"],
    ["with soft hyphens", `the key ${[...secret].join("\u00ad")} is bad`, "the key [redacted] is bad"],
    ["with soft hyphens as entities", `the key ${[...secret].join("&shy;")} is bad`, "the key [redacted] is bad"],
    ["with invisible tags", `the key ${[...secret].join("\u{e0041}")} is bad`, "the key [redacted] is bad"],
    ["on two lines", `the key ${secret.slice(0, 9)}\r\n${secret.slice(9)}\nis bad`, "the key [redacted]\nis bad"],
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

  test.each([
    "ABCD12 and 21dcba and 61 62 63 64 31 32 are not the short secret",
    "ab\ncd\u200b12 is not either; 50% of &lt;p&gt; and C:\\new\\u0041 stay, as do 2024-01-02 03:04:05",
    "tw-9fK2 aQ+z7Lm0XvB, 74:77:2d:39 and dHctOWZL are only parts of the long one",
  ])("other text stays: %s", (text) => {
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

  test("a secret whose last character is hidden far behind the cut is not shown", () => {
    const out = redactor.text(`the key ${secret.slice(0, -1)}${"\u200b".repeat(100_000)}${secret.slice(-1)}`);
    expect(out.replaceAll("\u200b", "")).toBe("the key [redacted]…");
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
    (s) => base64(base64(s)),
    (s) => base64(`x:${base64(`u:${s}`)}`),
    (s) => s.toUpperCase(),
    (s) => s.toLowerCase(),
    backwards,
    hex,
    (s) => hex(s).toUpperCase(),
    (s) => hex(s, ":"),
    (s) => hex(s, " "),
    (s) => `0x${hex(s, ", 0x")}`,
    (s) => `\\x${hex(s, "\\x")}`,
    (s) => entities(s, 10),
    (s) => entities(s, 16).toUpperCase(),
    (s) => entities(s.slice(0, 3), 10) + s.slice(3),
    (s) => entities(encodeURIComponent(s), 10),
    (s) => [...s].join("\u200b"),
    (s) => [...s].join("\u00ad\u2060"),
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
            // A form that is left over at either end of its place shows that only a part of it was found.
            expect(out).not.toContain(form.slice(0, Math.ceil(form.length * 0.75)));
            expect(out).not.toContain(form.slice(Math.floor(form.length * 0.25)));
            const value = JSON.stringify(own.json({ [text]: [text] }));
            expect(value).not.toContain(JSON.stringify(s).slice(1, -1));
          }
        }
      }),
      { numRuns: 150 },
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
      { numRuns: 150 },
    );
  });
});

describe("text without a secret", () => {
  const pieces = fc.oneof(
    fc.string({ maxLength: 10 }),
    fc.constantFrom(
      ..."%4 %41 \\u0041 \\x41 \\ & &amp; &#65; &#x41; 0x41, 41:42:43 \u200b \u00ad é İ 😀".split(" "),
      "\n",
    ),
  );

  test("stays as it is, byte for byte", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        fc.pre(text.length <= 2_000 && !/[:=]|bearer|sk[-_]/i.test(text));
        const own = createRedactor({ secrets: ["q7Zx-Pw3!kV9", "zzzzyyyyxxxx"], redact: true });
        expect(own.text(text)).toBe(text);
        expect(own.json([text])).toEqual([text]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the work grows with the text and no faster", () => {
  test.each([
    ["percent signs", "%25"],
    ["backslashes", "\\"],
    ["entities", "&amp;#37;41"],
    ["ampersands", "&#1"],
    ["characters without a width", "a\u200b"],
    ["hexadecimal", "74:77 "],
    ["the beginning of the secret in hexadecimal", hex(secret.slice(0, -1), ":")],
    ["the beginning of the secret backwards", backwards(secret.slice(1))],
    ["letters of many kinds", "aé中😀\u0300"],
  ])("%s", (_what, unit) => {
    const time = (length: number) => {
      const text = unit.repeat(Math.ceil(length / unit.length));
      let best = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 5; run++) {
        // The time of this process alone, so that a busy machine does not count.
        const started = process.cpuUsage();
        redactor.json(text, Number.POSITIVE_INFINITY);
        best = Math.min(best, process.cpuUsage(started).user / 1_000);
      }
      return best;
    };
    time(20_000);
    // Quadratic work would take 64 times as long.
    expect(time(160_000)).toBeLessThan(Math.max(time(20_000), 1) * 32 + 20);
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function hex(text: string, separator = ""): string {
  return [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, "0")).join(separator);
}

function backwards(text: string): string {
  return [...text].reverse().join("");
}

function entities(text: string, base: 10 | 16): string {
  return [...text].map((character) => `&#${base === 16 ? "x" : ""}${character.charCodeAt(0).toString(base)};`).join("");
}

function everyCharacter(text: string, lead: string, digits: number): string {
  return [...Array(text.length).keys()]
    .map((at) => lead + text.charCodeAt(at).toString(16).padStart(digits, "0"))
    .join("");
}
