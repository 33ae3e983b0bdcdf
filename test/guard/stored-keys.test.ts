import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { allowsModel, createKeyring, type KeyringOptions } from "../../src/guard/index.ts";
import { storedKey } from "../support/stored-key.ts";

const now = new Date("2026-06-01T00:00:00Z");
const at = now.getTime();

function keyringOf(
  stored: ReturnType<typeof storedKey>[],
  keys: Parameters<typeof createKeyring>[0] = [],
  options: KeyringOptions = {},
) {
  const keyring = createKeyring(keys, { hasStore: true, ...options });
  keyring.setStored(stored);
  return keyring;
}

describe("a store that has lost its keys", () => {
  test.each([true, false])("never opens the gateway (on loopback: %j)", (mayOpen) => {
    const keyring = keyringOf([storedKey("ann")], [], { mayOpen });
    keyring.setStored([]);
    expect(keyring.open).toBe(false);
    expect(keyring.identify(undefined, now)).toEqual({ ok: false, reason: "unread" });
    expect(keyring.identify("Bearer tw-ann", now)).toEqual({ ok: false, reason: "unread" });
    keyring.setStored([storedKey("ann")]);
    expect(keyring.identify("Bearer tw-ann", now).ok).toBe(true);
  });

  test("opens no gateway on a public address, not even if it had none before", () => {
    const keyring = keyringOf([], [], { mayOpen: false });
    expect(keyring.open).toBe(false);
    expect(keyring.identify(undefined, now)).toEqual({ ok: false, reason: "unread" });
  });

  test("does not affect the keys of the configuration", () => {
    const keyring = keyringOf([storedKey("ann")], [{ name: "file", key: "tw-file" }], { mayOpen: false });
    keyring.setStored([]);
    expect(keyring.identify("Bearer tw-file", now).ok).toBe(true);
    expect(keyring.identify(undefined, now)).toEqual({ ok: false, reason: "missing" });
  });
});

describe("a key of the store", () => {
  test("is known by its hash, and owns by its id", () => {
    const keyring = keyringOf([storedKey("ann"), storedKey("bob")]);
    expect(keyring.identify("Bearer tw-bob", now)).toEqual({
      ok: true,
      key: { name: "bob", owner: "key_bob", models: null, rate: null },
    });
    expect(keyring.identify("Bearer tw-eve", now)).toEqual({ ok: false, reason: "unknown" });
  });

  test("may be restricted to models", () => {
    const identity = keyringOf([storedKey("ann", { models: ["fast", "openai/*"] })]).identify("Bearer tw-ann", now);
    if (!identity.ok) throw new Error(identity.reason);
    expect(["fast", "openai/x", "slow"].map((model) => allowsModel(identity.key, model))).toEqual([true, true, false]);
  });

  test("has its own rate, or the usual one of stored keys", () => {
    const [own, usual] = [
      { requests: 5, per: 1_000 },
      { requests: 600, per: 60_000 },
    ];
    const keyring = keyringOf([storedKey("ann", { rate: own }), storedKey("bob")], [], { storedRate: usual });
    expect(keyring.identify("Bearer tw-ann", now)).toMatchObject({ key: { rate: own } });
    expect(keyring.identify("Bearer tw-bob", now)).toMatchObject({ key: { rate: usual } });
  });

  test.each([
    [{ expiresAt: at }, "expired"],
    [{ expiresAt: at - 1 }, "expired"],
    [{ revokedAt: at - 1 }, "revoked"],
    [{ revokedAt: at - 1, expiresAt: at - 1 }, "revoked"],
    [{ hash: "" }, "unknown"],
    [{ hash: "zz" }, "unknown"],
  ])("%j is refused: %s", (own, reason) => {
    expect(keyringOf([storedKey("ann", own)]).identify("Bearer tw-ann", now)).toEqual({ ok: false, reason });
  });

  test("is still good before its expiry date", () => {
    expect(keyringOf([storedKey("ann", { expiresAt: at + 1 })]).identify("Bearer tw-ann", now).ok).toBe(true);
  });

  test("that is also in the file is the file's, even if it is revoked in the store", () => {
    const file = [{ name: "ann-of-the-file", key: "tw-ann" }];
    const owner = createHash("sha256").update("tw-ann").digest("hex");
    for (const revokedAt of [null, at - 1]) {
      const keyring = keyringOf([storedKey("ann", { revokedAt })], file);
      expect(keyring.identify("Bearer tw-ann", now)).toMatchObject({
        ok: true,
        key: { name: "ann-of-the-file", owner },
      });
    }
  });

  test("can be replaced while the keys of the file stay", () => {
    const keyring = keyringOf([storedKey("ann")], [{ name: "file", key: "tw-file" }]);
    keyring.setStored([storedKey("bob")]);
    const names = ["ann", "bob", "file"].filter((name) => keyring.identify(`Bearer tw-${name}`, now).ok);
    expect(names).toEqual(["bob", "file"]);
  });
});

describe("a keyring with a store is open", () => {
  test.each([
    ["neither the file nor the store has a key", [], [], true],
    ["the file has a key", [{ name: "a", key: "k" }], [], false],
    ["the store has a key", [], [storedKey("ann")], false],
    ["the store has only a revoked key", [], [storedKey("ann", { revokedAt: 1 })], false],
    ["the store has only an expired key", [], [storedKey("ann", { expiresAt: 1 })], false],
    ["the store has a key that no client can have", [], [storedKey("ann", { hash: "" })], false],
  ] as const)("if %s: %#", (_, keys, stored, open) => {
    expect(keyringOf([...stored], keys).open).toBe(open);
  });

  test("not before the store was read", () => {
    const keyring = createKeyring([], { hasStore: true });
    expect(keyring.open).toBe(false);
    for (const header of ["Bearer tw-ann", undefined])
      expect(keyring.identify(header, now)).toEqual({ ok: false, reason: "unread" });
    keyring.setStored([]);
    expect(keyring.open).toBe(true);
  });

  test("not before the store was read, but the keys of the file are accepted", () => {
    const keyring = createKeyring([{ name: "file", key: "tw-file" }], { hasStore: true });
    expect(keyring.identify("Bearer tw-file", now).ok).toBe(true);
    expect(keyring.identify(undefined, now)).toEqual({ ok: false, reason: "missing" });
  });
});
