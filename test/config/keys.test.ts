import { describe, expect, it } from "vitest";
import { mistakesIn, read } from "./reading.ts";

const hash = `sha256:${"ab".repeat(32)}`;

describe("a key of the gateway", () => {
  it("may be a text, or a mapping with more", () => {
    const text = `keys:
      - secret
      - { name: ci, hash: "${hash}", models: [fast, gpt-*], expires: 2030-01-31 }
      - { name: laptop, key: other, expires: 2030-01-31T12:00:00+02:00 }
    `;
    expect(read(text).keys).toEqual([
      { name: "key-1", key: "secret" },
      { name: "ci", hash, models: ["fast", "gpt-*"], expires: new Date("2030-01-31T00:00:00Z") },
      { name: "laptop", key: "other", expires: new Date("2030-01-31T10:00:00Z") },
    ]);
  });

  it("is a key or a hash, and not both", () => {
    expect(mistakesIn(`keys: [{ name: a }, { name: b, key: k, hash: "${hash}" }]`)).toEqual([
      "keys[0].key: missing; expected either a key or a hash",
      "keys[1].hash: expected either a key or a hash, found a text",
    ]);
  });

  it.each(["abc", `md5:${"ab".repeat(16)}`, `sha256:${"ab".repeat(31)}`, `sha256:${"zz".repeat(32)}`])(
    "has a hash of the right form, which %s has not",
    (wrong) => {
      expect(mistakesIn(`keys: [{ hash: "${wrong}" }]`)).toEqual([
        "keys[0].hash: expected sha256: and 64 hexadecimal digits, found a text",
      ]);
    },
  );

  it.each(["soon", "2030-13-01", "2030-02-30", "2030-01-31T12:00", "31.1.2030", "20300131"])(
    "expires on a date that can be read, which %s is not",
    (wrong) => {
      expect(mistakesIn(`keys: [{ key: a, expires: "${wrong}" }]`)).toEqual([
        `keys[0].expires: expected a date such as 2030-01-31 or 2030-01-31T12:00:00Z, found "${wrong}"`,
      ]);
    },
  );

  it("has a name and a value of its own", () => {
    expect(mistakesIn("keys: [{ name: a, key: x }, { name: a, key: y }]")).toEqual([
      "keys[1].name: the same name as keys[0].name",
    ]);
    expect(mistakesIn("keys: [x, { name: a, key: x }]")).toEqual(["keys[1]: the same key as keys[0]"]);
  });
});
