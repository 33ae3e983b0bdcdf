import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StoredKeys } from "../../src/gateway/stored-keys.ts";
import { createKeyring } from "../../src/guard/index.ts";
import { type StoredKey, StoreError } from "../../src/store/store.ts";
import type { LogFields } from "../../src/turn/index.ts";
import { storedKey } from "../support/stored-key.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function scene(read: () => Promise<StoredKey[]>) {
  const lines: string[] = [];
  const note = (_: LogFields, message: string) => void lines.push(message);
  const log = { isLevelEnabled: () => true, debug: note, info: note, warn: note, error: note };
  const keyring = createKeyring([], { hasStore: true });
  const stored = new StoredKeys({ store: { keys: read }, keyring, log });
  const may = (name: string) => keyring.identify(`Bearer tw-${name}`, new Date()).ok;
  return { stored, keyring, lines, may };
}

const away = () => Promise.reject(new StoreError("lost", "no connection"));

describe("the keys of the store", () => {
  it("are known once the gateway has started, and a revocation holds within 10 s", async () => {
    let keys = [storedKey("ann"), storedKey("bob")];
    const { stored, may } = scene(async () => keys);
    await stored.start();
    expect([may("ann"), may("bob"), may("eve")]).toEqual([true, true, false]);
    keys = [storedKey("ann", { revokedAt: Date.now() }), storedKey("bob"), storedKey("eve")];
    await vi.advanceTimersByTimeAsync(10_000);
    expect([may("ann"), may("bob"), may("eve")]).toEqual([false, true, true]);
    stored.close();
  });

  it("are no longer asked for when the gateway has closed", async () => {
    const read = vi.fn(async () => []);
    const { stored } = scene(read);
    await stored.start();
    stored.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("are missed if the store is emptied, and the gateway stays closed", async () => {
    let keys = [storedKey("ann")];
    const { stored, keyring, may, lines } = scene(async () => keys);
    await stored.start();
    keys = [];
    await vi.advanceTimersByTimeAsync(30_000);
    expect([keyring.open, may("ann")]).toEqual([false, false]);
    expect(lines).toEqual(["the store has lost its keys: it was emptied or replaced"]);
    stored.close();
  });

  it("stay in force while the store is away, and the log says so once an outage", async () => {
    let read: () => Promise<StoredKey[]> = async () => [storedKey("ann")];
    const { stored, may, lines } = scene(() => read());
    await stored.start();
    read = away;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(may("ann")).toBe(true);
    expect(lines).toEqual(["could not read the keys in the store; the last known keys stay in force"]);
    read = async () => [storedKey("bob")];
    await vi.advanceTimersByTimeAsync(3_000);
    expect([may("ann"), may("bob")]).toEqual([false, true]);
    expect(lines.slice(1)).toEqual(["the keys can be read from the store again"]);
    read = away;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(lines).toHaveLength(3);
    stored.close();
  });

  it("do not open the gateway if they cannot be read at the start", async () => {
    let read: () => Promise<StoredKey[]> = away;
    const { stored, keyring, lines } = scene(() => read());
    await stored.start();
    expect(keyring.open).toBe(false);
    expect(lines).toEqual([
      "could not read the keys in the store; until then only the keys of the configuration are accepted",
    ]);
    read = async () => [];
    await vi.advanceTimersByTimeAsync(3_000);
    expect(keyring.open).toBe(true);
    stored.close();
  });

  it("are read again after a read that never ends", async () => {
    let read: () => Promise<StoredKey[]> = () => new Promise(() => {});
    const { stored, may, lines } = scene(() => read());
    const started = stored.start();
    read = async () => [storedKey("ann")];
    await vi.advanceTimersByTimeAsync(5_000);
    await started;
    expect(lines).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(may("ann")).toBe(true);
    stored.close();
  });
});
