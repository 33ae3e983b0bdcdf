import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createOrigins } from "../../src/guard/index.ts";

const defaults = createOrigins([
  "app://obsidian.md",
  "capacitor://localhost",
  "http://localhost:*",
  "http://127.0.0.1:*",
]);

describe("the default origins", () => {
  test.each([
    "app://obsidian.md",
    "capacitor://localhost",
    "http://localhost",
    "http://localhost:3000",
    "http://LOCALHOST:65535",
    "http://127.0.0.1:5173",
  ])("%s may read answers", (origin) => {
    expect(defaults.allows(origin)).toBe(true);
  });

  test.each([
    undefined,
    "",
    "null",
    "*",
    "http://localhost:*",
    "https://localhost",
    "https://localhost:3000",
    "http://localhost.evil.com",
    "http://localhost.evil.com:3000",
    "http://localhost:80@evil.com",
    "http://localhost@evil.com",
    "http://localhost:3000.evil.com",
    "http://localhost:3000/",
    "http://localhost:",
    "http://localhost:80:80",
    "http://localhost:123456",
    "http://localhost:80, http://evil.com",
    "http://localhost:80 ",
    "http://localhost\\@evil.com",
    "http://localhost#evil.com",
    "http://localhost?evil.com",
    "http://evil.com/http://localhost:80",
    "http://evil-localhost:80",
    "http://xlocalhost",
    "xhttp://localhost",
    "http:localhost",
    "http://127.0.0.1.evil.com",
    "http://127.0.0.2",
    "app://obsidian.md.evil.com",
    "app://obsidian.md:80",
    "capacitor://localhost:80",
    "http://loca\u212ahost",
  ])("%j may not", (origin) => {
    expect(defaults.allows(origin)).toBe(false);
  });

  test("nothing else may, whatever is put before or after", () => {
    const known = fc.constantFrom(
      "app://obsidian.md",
      "capacitor://localhost",
      "http://localhost",
      "http://127.0.0.1:80",
    );
    fc.assert(
      fc.property(known, fc.string({ unit: "binary", minLength: 1 }), fc.boolean(), (origin, more, before) => {
        fc.pre(!/^:?\d{1,5}$/.test(more));
        expect(defaults.allows(before ? more + origin : origin + more)).toBe(false);
      }),
    );
  });
});

describe("other patterns", () => {
  test("* is any origin, but not null and not what is no origin", () => {
    const any = createOrigins(["*"]);
    expect(any.allows("https://anything.example:8443")).toBe(true);
    expect(any.allows("chrome-extension://abcdefgh")).toBe(true);
    expect(any.allows("http://[::1]:3000")).toBe(true);
    for (const origin of [
      undefined,
      "",
      "null",
      "NULL",
      "evil",
      "https://a, https://b",
      "https://u@h",
      "https://h/p",
    ]) {
      expect(any.allows(origin)).toBe(false);
    }
  });

  test("null only where it is listed", () => {
    expect(createOrigins(["*", "null"]).allows("null")).toBe(true);
    expect(createOrigins([]).allows("null")).toBe(false);
  });

  test("people write capitals, a slash and the usual port, browsers do not", () => {
    const written = createOrigins(["HTTPS://Chat.Example.com:443/", "http://plain.lan", "http://[::1]:*"]);
    expect(written.allows("https://chat.example.com")).toBe(true);
    expect(written.allows("http://plain.lan:80")).toBe(true);
    expect(written.allows("http://[::1]:5173")).toBe(true);
    expect(written.allows("http://chat.example.com")).toBe(false);
  });

  test.each([
    "https://*.example.com",
    "localhost",
    "http://a/b",
    "http://u:p@a",
    "http://*",
    "http://:*",
    "",
    "/",
    ".",
  ])("%j is a mistake with a message", (pattern) => {
    expect(() => createOrigins([pattern])).toThrow(/cors\.origins: .* is not an origin/);
  });
});
