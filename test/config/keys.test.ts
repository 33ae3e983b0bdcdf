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

  it("may have a rate of its own, or none", () => {
    const text = `keys:
      - { name: fast, key: a, per_key: { requests: 10, per: 500ms } }
      - { name: free, key: b, per_key: null }
      - { name: usual, key: c }
    `;
    const [fast, free, usual] = read(text).keys;
    expect(fast?.per_key).toEqual({ requests: 10, per: 500 });
    expect(free?.per_key).toBeNull();
    expect(usual).not.toHaveProperty("per_key");
  });

  it.each([
    ["{ requests: 0, per: 1s }", "keys[0].per_key.requests: expected a whole number of at least 1, found 0"],
    ["{ per: 1s }", "keys[0].per_key.requests: missing; expected a whole number of at least 1"],
    ["{ requests: 1, per: 0s }", /^keys\[0\]\.per_key\.per: expected a duration .+, found "0s"$/],
  ])("has a rate that can be kept, which %s cannot", (rate, mistake) => {
    const [found, ...others] = mistakesIn(`keys: [{ key: a, per_key: ${rate} }]`);
    expect(others).toEqual([]);
    expect(found).toMatch(mistake);
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
    expect(mistakesIn("keys: [x, { name: key-1, key: y }]")).toEqual(["keys[1].name: the same name as keys[0]"]);
    expect(mistakesIn("keys: [{ name: key-2, key: x }, y]")).toEqual(["keys[1]: the same name as keys[0].name"]);
    expect(mistakesIn("keys: [x, { name: a, key: x }]")).toEqual(["keys[1]: the same key as keys[0]"]);
  });
});
