import { describe, expect, it } from "vitest";
import { MemoryDatabase } from "../../src/store/memory-database.ts";
import { newProbe } from "../../src/store/operations/probe.ts";
import { SqlStore } from "../../src/store/sql-store.ts";
import { turnsDuring } from "../support/time-growth.ts";
import { ann, bob, context, limit, message, said, shows, turn } from "./contract/turns.ts";

const storeOf = (options = {}) => new SqlStore(new MemoryDatabase(options), { kind: "memory" });

describe("the database in memory", () => {
  it("forgets the conversations that were used least recently when it is too large", async () => {
    const store = storeOf({ mostBytes: 4_000_000 });
    for (let at = 0; at < 200; at++) {
      const input = [message("user", String(at).padEnd(50_000, "x"), "i")];
      await store.keep(turn(`r${at}`, "x", { input, createdAt: at }));
      await store.keep(turn(`s${at}`, "x", { previous: at === 0 ? undefined : `s${at - 1}`, createdAt: at }));
    }
    expect((await store.stats()).bytes).toBeLessThan(5_000_000);
    expect(await store.answer(ann, "responses", "r0")).toBeUndefined();
    expect(await store.answer(ann, "responses", "r199")).toBeDefined();
    expect(await said(store, { previous: "s199" })).toHaveLength(400);
    await store.close();
  });

  it("forgets records, not conversations, when the records of one owner fill it", async () => {
    const store = storeOf({ mostBytes: 4_000_000 });
    const ids = Array.from({ length: 20 }, (_, at) => `r${at}`);
    for (const id of ids) await store.keep(turn(id, "x".repeat(10_000)));
    const record = (at: number) => ({ key: `k${at}`, value: "y".repeat(5_000), ttl: 3_600_000 + at });
    for (let at = 0; at < 2_000; at += 50)
      await store.write(
        bob,
        Array.from({ length: 50 }, (_, index) => record(at + index)),
      );
    expect((await store.stats()).bytes).toBeLessThan(5_000_000);
    for (const id of ids) expect(await store.answer(ann, "responses", id)).toBeDefined();
    expect(await store.read(bob, ["k0", "k1999"])).toEqual([undefined, "y".repeat(5_000)]);
    await store.close();
  });

  it("refuses what comes after its end", async () => {
    const store = storeOf();
    const kept = store.keep(turn("r1", "one"));
    await kept;
    await store.close();
    await expect(store.answer(ann, "responses", "r1")).rejects.toMatchObject({ failure: "lost" });
  });

  it("counts what waits for it", async () => {
    const database = new MemoryDatabase();
    expect(database.queue).toBe(0);
    const probes = [database.run("probe", newProbe()), database.run("probe", newProbe())];
    expect(database.queue).toBe(2);
    await Promise.all(probes);
    await Promise.resolve();
    expect(database.queue).toBe(0);
    await database.close();
  });

  it("gives the event loop back while large turns are kept and read", { timeout: 60_000 }, async () => {
    const store = storeOf();
    const megabyte = 1024 * 1024;
    const input = [
      ...Array.from({ length: 8 }, (_, at) =>
        shows({ type: "file", data: String(at).padEnd(2 * megabyte, "x") }, `f${at}`),
      ),
      message("user", "y".repeat(8 * megabyte), "long"),
    ];
    expect(await turnsDuring(() => store.keep(turn("r1", "x", { input })))).toBeGreaterThan(100);
    const query = { previous: "r1", limit: 10 * limit };
    expect(await turnsDuring(() => context(store, query))).toBeGreaterThan(30);
    expect((await context(store, query)).history).toHaveLength(10);
    await store.close();
  });

  it("gives the event loop back while many turns come at once", async () => {
    const store = storeOf();
    const turns = Array.from({ length: 1_000 }, (_, at) => turn(`r${at}`, "x"));
    expect(await turnsDuring(() => Promise.all(turns.map((each) => store.keep(each))))).toBeGreaterThan(1_000);
    await store.close();
  });
});
