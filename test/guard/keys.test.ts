import { createHash } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allowsModel, createKeyring, type Key } from "../../src/guard/index.ts";
import { anonymousOwner } from "../../src/turn/index.ts";

const now = new Date("2026-06-01T00:00:00Z");
const sha256 = (key: string) => `sha256:${createHash("sha256").update(key).digest("hex")}`;

const keyring = createKeyring([
  { name: "alice", key: "tw-alice-key" },
  { name: "bob", hash: sha256("tw-bob-key"), models: ["fast", "openai/*"] },
  { name: "carol", key: "tw-carol-key", expires: new Date("2026-06-01T00:00:00Z") },
  {
    name: "dora",
    hash: sha256("tw-dora-key").toUpperCase().replace("SHA256", "sha256"),
    expires: new Date("2026-06-01T00:00:01Z"),
  },
]);

describe("who asks", () => {
  test.each([
    ["Bearer tw-alice-key", "alice"],
    ["bearer tw-alice-key", "alice"],
    ["BEARER   tw-alice-key ", "alice"],
    ["Bearer tw-bob-key", "bob"],
    ["Bearer tw-dora-key", "dora"],
  ])("%s is %s", (header, name) => {
    expect(keyring.identify(header, now)).toMatchObject({ ok: true, key: { name } });
  });

  test.each([
    [undefined, "missing"],
    ["", "missing"],
    ["   ", "missing"],
    ["tw-alice-key", "malformed"],
    ["Basic tw-alice-key", "malformed"],
    ["Bearer", "malformed"],
    ["Bearer ", "malformed"],
    ["Bearertw-alice-key", "malformed"],
    ["Bearer tw-alice-key, Bearer tw-bob-key", "malformed"],
    ["Bearer tw-alice-key\u0000", "malformed"],
    [`Bearer ${"a".repeat(100_000)}`, "malformed"],
    // U+0177 would be w in one byte.
    ["Bearer t\u0177-alice-key", "malformed"],
    ["Bearer tw-alice-ke", "unknown"],
    ["Bearer tw-alice-keyy", "unknown"],
    ["Bearer TW-ALICE-KEY", "unknown"],
    [`Bearer ${sha256("tw-bob-key")}`, "unknown"],
    ["Bearer tw-carol-key", "expired"],
  ])("%s is refused: %s", (header, reason) => {
    expect(keyring.identify(header, now)).toEqual({ ok: false, reason });
  });

  test("a key with letters beyond ASCII is known by its bytes", () => {
    const own = createKeyring([{ name: "eva", key: "schlüssel" }]);
    const onTheWire = Buffer.from("Bearer schlüssel", "utf8").toString("latin1");
    expect(own.identify(onTheWire, now)).toMatchObject({ ok: true });
  });

  test("no other header than the key's own opens", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.string().map((s) => `Bearer ${s}`),
        ),
        (header) => {
          expect(keyring.identify(header, now).ok).toBe(false);
        },
      ),
    );
  });
});

describe("the owner of what is kept for a key", () => {
  const ownerOf = (entries: Parameters<typeof createKeyring>[0], key: string) => {
    const identity = createKeyring(entries).identify(`Bearer ${key}`, now);
    return identity.ok ? identity.key.owner : undefined;
  };
  const [ann, bob] = [
    { name: "ann", key: "tw-ann" },
    { name: "bob", key: "tw-bob" },
  ];

  test("is the digest of the key, whether the configuration has the key or its hash", () => {
    const owner = sha256("tw-ann").slice("sha256:".length);
    expect(ownerOf([ann], "tw-ann")).toBe(owner);
    expect(ownerOf([{ name: "ann", hash: sha256("tw-ann") }], "tw-ann")).toBe(owner);
    expect(ownerOf([{ name: "ann", hash: `sha256:${owner.toUpperCase()}` }], "tw-ann")).toBe(owner);
    expect(owner).not.toBe(anonymousOwner);
  });

  test("stays the same when keys are renamed, reordered, added and removed", () => {
    const owner = ownerOf([ann, bob], "tw-ann");
    expect(ownerOf([bob, ann], "tw-ann")).toBe(owner);
    expect(ownerOf([{ ...ann, name: "anna" }, bob], "tw-ann")).toBe(owner);
    expect(ownerOf([ann], "tw-ann")).toBe(owner);
    expect(ownerOf([bob, { name: "cat", key: "tw-cat" }, ann], "tw-ann")).toBe(owner);
  });

  test("is another for a key that takes over a name, or a place in the list", () => {
    const owner = ownerOf([ann, bob], "tw-ann");
    expect(ownerOf([{ ...bob, name: "ann" }], "tw-bob")).not.toBe(owner);
    expect(ownerOf([{ name: "ann", key: "tw-new" }, bob], "tw-new")).not.toBe(owner);
  });
});

describe("the keyring", () => {
  test("without keys is open, and knows nobody", () => {
    const open = createKeyring([]);
    expect(open.open).toBe(true);
    expect(keyring.open).toBe(false);
    expect(open.identify("Bearer anything", now)).toEqual({ ok: false, reason: "unknown" });
  });

  test("keeps no key in memory that it could show", () => {
    expect(inspect(keyring, { depth: 20, showHidden: true })).not.toContain("alice-key");
    const identity = keyring.identify("Bearer tw-alice-key", now);
    const owner = sha256("tw-alice-key").slice("sha256:".length);
    expect(JSON.stringify(identity)).toBe(`{"ok":true,"key":{"name":"alice","owner":"${owner}","models":null}}`);
  });

  test("knows a key's own rate, and that a key has none", () => {
    const rate = { requests: 5, per: 1_000 };
    const own = createKeyring([
      { name: "a", key: "tw-a", per_key: rate },
      { name: "b", key: "tw-b", per_key: null },
    ]);
    expect(own.identify("Bearer tw-a", now)).toMatchObject({ ok: true, key: { name: "a", models: null, rate } });
    expect(own.identify("Bearer tw-b", now)).toMatchObject({ ok: true, key: { name: "b", models: null, rate: null } });
  });

  test("compares with every entry, so that the first and the last take as long", () => {
    const many = createKeyring([...Array(20_000).keys()].map((at) => ({ name: `k${at}`, hash: sha256(`key-${at}`) })));
    const time = (header: string) => {
      const runs = [...Array(9)].map(() => {
        const started = performance.now();
        many.identify(header, now);
        return performance.now() - started;
      });
      return runs.sort((a, b) => a - b)[2] ?? 0;
    };
    time("Bearer key-1");
    // An early exit would make the first a thousand times faster.
    expect(time("Bearer key-0")).toBeGreaterThan(time("Bearer key-19999") / 10);
  });

  test.each([
    [[{ name: "a" }], /a needs either key or hash/],
    [[{ name: "a", key: "secret-k", hash: sha256("k") }], /a needs either key or hash/],
    [[{ name: "a", key: "" }], /key of a is empty/],
    [[{ name: "a", key: "secret key" }], /holds a space/],
    [[{ name: "a", hash: "sha256:secret" }], /hash of a must be sha256/],
    [[{ name: "a", hash: sha256("k").slice(7) }], /hash of a must be sha256/],
    [
      [
        { name: "a", key: "secret-k" },
        { name: "b", hash: sha256("secret-k") },
      ],
      /a and b are the same key/,
    ],
  ])("a mistake in the configuration is told without the key: %#", (entries, message) => {
    expect(() => createKeyring(entries)).toThrow(message);
    try {
      createKeyring(entries);
    } catch (error) {
      expect(String(error)).not.toContain("secret");
    }
  });

  test("a date that cannot be read counts as over", () => {
    const own = createKeyring([{ name: "a", key: "tw-a", expires: new Date("soon") }]);
    expect(own.identify("Bearer tw-a", now)).toEqual({ ok: false, reason: "expired" });
  });
});

describe("the models of a key", () => {
  const key = (models: string[] | null): Key => ({ name: "k", owner: "0".repeat(64), models });
  test.each([
    [null, "anything", true],
    [[], "anything", false],
    [["*"], "anything", true],
    [["fast"], "fast", true],
    [["fast"], "faster", false],
    [["fast"], "Fast", false],
    [["openai/*"], "openai/gpt-x", true],
    [["openai/*"], "openai/", true],
    [["openai/*"], "openai", false],
    [["openai/*"], "my/openai/gpt-x", false],
    [["o*i"], "openai", false],
    [["fast", "demo*"], "demo/native", true],
  ])("%j, asked for %s: %s", (models, name, allowed) => {
    expect(allowsModel(key(models), name)).toBe(allowed);
  });
});
