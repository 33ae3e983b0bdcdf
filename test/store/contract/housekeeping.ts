import { describe, expect, it } from "vitest";
import type { StoredKey, UsageRow } from "../../../src/store/store.ts";
import { ann, bob, givenTo, message, noRows, rowsOf, type StoreOf, said, shows, turn } from "./turns.ts";

export function describeHousekeeping(store: StoreOf): void {
  describe("retention", () => {
    const expireAll = async (before: number, now = before) => {
      for (let batches = 1; ; batches++) if (!(await store().expire(before, now))) return batches;
    };

    it("deletes what was not used for long, and keeps what was continued lately", async () => {
      await store().keep(turn("old", "old", { createdAt: 1_000 }));
      await store().keep(turn("used", "used", { createdAt: 1_000 }));
      await store().keep(turn("used2", "used", { createdAt: 9_000, previous: "used" }));
      await store().keep(turn("named", "named", { api: "chat", conversation: "n", createdAt: 1_000 }));
      await expireAll(5_000);
      expect(await store().answer(ann, "responses", "old")).toBeUndefined();
      expect(await said(store(), { conversation: "n" })).toEqual([]);
      expect(await said(store(), { previous: "used2" })).toHaveLength(4);
      expect(await rowsOf(store())).toMatchObject({ conversations: 1, responses: 2, messages: 4, items: 4 });
      await expireAll(10_000);
      expect(await rowsOf(store())).toEqual(noRows);
    });

    it("keeps what a fork continues from, and deletes it after the fork", async () => {
      await store().keep(turn("r1", "one", { createdAt: 1_000 }));
      await store().keep(turn("r2", "two", { createdAt: 2_000, previous: "r1" }));
      await store().keep(turn("f", "fork", { createdAt: 9_000, previous: "r1" }));
      await store().keep(turn("f2", "fork", { createdAt: 20_000, previous: "f" }));
      await expireAll(15_000);
      expect(await said(store(), { previous: "f2" })).toEqual(["one", "one!", "fork", "fork!", "fork", "fork!"]);
      await expireAll(30_000);
      await expireAll(30_000);
      expect(await rowsOf(store())).toEqual(noRows);
    });

    it("works in small batches, and deletes images and records, too", async () => {
      const image = `data:${"A".repeat(2_000)}`;
      const input = [shows({ type: "image", url: image }, "i")];
      const turns = Array.from({ length: 120 }, (_, at) => turn(`r${at}`, "x", { createdAt: at, input }));
      await Promise.all(turns.map((each) => store().keep(each)));
      await store().write(ann, [{ key: "short", value: 1, ttl: 1 }]);
      await store().write(ann, [{ key: "long", value: 1, ttl: 3_600_000 }]);
      expect(await rowsOf(store())).toMatchObject({ conversations: 120, contents: 1 });
      expect(await expireAll(1_000, Date.now() + 1_000)).toBeGreaterThan(1);
      expect(await rowsOf(store())).toEqual(noRows);
      expect((await store().stats()).rows.records).toBe(1);
    });

    const many = (id: string, count: number) =>
      Array.from({ length: count }, (_, at) => message("user", `${at}`, `${id}_${at}`));

    it("deletes a limited number of messages at a time", async () => {
      for (const id of ["r1", "r2", "r3"])
        await store().keep(turn(id, "x", { createdAt: 1_000, input: many(id, 899) }));
      expect(await store().expire(5_000, 5_000)).toBe(true);
      expect(await rowsOf(store())).toMatchObject({ conversations: 1, responses: 1, messages: 900, items: 900 });
      expect(await store().expire(5_000, 5_000)).toBe(false);
      expect(await rowsOf(store())).toEqual(noRows);
    });

    it("deletes a limited size of images at a time", async () => {
      // A message counts as large as what it shows, also if the image is stored once.
      const image = { type: "image", url: `data:${"A".repeat(3_000_000)}` } as const;
      const input = Array.from({ length: 6 }, (_, at) => shows(image, `i${at}`));
      for (const id of ["r1", "r2"]) await store().keep(turn(id, "x", { createdAt: 1_000, input }));
      expect(await store().expire(5_000, 5_000)).toBe(true);
      expect(await rowsOf(store())).toMatchObject({ conversations: 1, uses: 6 });
      expect(await store().expire(5_000, 5_000)).toBe(false);
      expect(await rowsOf(store())).toEqual(noRows);
    });

    it("deletes a long conversation in several batches, and whatever is still found is whole", async () => {
      const fields = { api: "chat", conversation: "long", createdAt: 1_000 } as const;
      for (const id of ["c1", "c2", "c3", "c4"]) await store().keep(turn(id, "x", { ...fields, input: many(id, 799) }));
      expect(await store().expire(5_000, 5_000)).toBe(true);
      expect(await said(store(), { conversation: "long" })).toEqual([]);
      // The last 2,000 messages begin inside the second turn, which is deleted whole.
      expect(await rowsOf(store())).toMatchObject({ conversations: 1, responses: 1, messages: 800, items: 800 });
      expect(await store().answer(ann, "chat", "c2")).toBeUndefined();
      expect(await givenTo(store(), "chat", "c1")).toHaveLength(799);
      expect((await store().answer(ann, "chat", "c1"))?.output).toEqual([message("assistant", "x!", "msg_out_c1")]);
      await store().keep(turn("new", "new", { ...fields, createdAt: 9_000 }));
      expect(await said(store(), { conversation: "long" })).toEqual(["new", "new!"]);
      await expireAll(5_000);
      expect(await rowsOf(store())).toMatchObject({ conversations: 1, responses: 1, messages: 2 });
    });

    it("deletes a very long turn, and a long fork before what it continues from", async () => {
      await store().keep(turn("r1", "one", { createdAt: 1_000, input: many("r1", 2_500) }));
      await store().keep(turn("r2", "two", { createdAt: 1_000, previous: "r1" }));
      await store().keep(turn("f", "fork", { createdAt: 2_000, previous: "r1", input: many("f", 2_100) }));
      expect(await store().expire(1_500, 1_500)).toBe(false);
      expect((await said(store(), { previous: "f" }))?.length).toBe(2_501 + 2_101);
      expect(await store().expire(5_000, 5_000)).toBe(true);
      expect(await store().answer(ann, "responses", "f")).toBeUndefined();
      expect(await said(store(), { previous: "r2" })).toHaveLength(2_503);
      await expireAll(5_000);
      expect(await rowsOf(store())).toEqual(noRows);
    });
  });

  describe("keys", () => {
    const key = (id: string, name: string): StoredKey => ({
      id,
      name,
      hash: "0".repeat(64),
      models: ["gpt-*"],
      rate: { requests: 10, per: 60_000 },
      expiresAt: 5_000_000_000_000,
      createdAt: 1,
      revokedAt: null,
    });

    it("are stored as they are, and their names are unique among those in use", async () => {
      const [first, other] = [key("k1", "ci"), { ...key("k2", "dev"), models: null, rate: null, expiresAt: null }];
      expect(await store().addKey(first)).toBe(true);
      expect(await store().addKey(key("k3", "ci"))).toBe(false);
      expect(await store().addKey(other)).toBe(true);
      expect(await store().keys()).toEqual([first, other]);
      expect(await store().revokeKey("ci", 7)).toBe(true);
      expect(await store().revokeKey("ci", 8)).toBe(false);
      expect(await store().revokeKey("none", 8)).toBe(false);
      expect(await store().addKey(key("k3", "ci"))).toBe(true);
      expect(await store().keys()).toEqual([{ ...first, revokedAt: 7 }, other, key("k3", "ci")]);
    });
  });

  describe("usage", () => {
    const row = (fields: Partial<UsageRow> = {}): UsageRow => ({
      owner: ann,
      key: "ci",
      model: "demo",
      day: "2026-11-18",
      requests: 1,
      inputTokens: 10,
      cachedTokens: 4,
      outputTokens: 5,
      ...fields,
    });

    it("adds up by owner, key, model and day", async () => {
      await store().addUsage([]);
      await store().addUsage([row(), row({ owner: bob }), row()]);
      await store().addUsage([row(), row({ day: "2026-11-19" }), row({ model: "other" })]);
      const usage = await store().usage();
      expect(usage).toHaveLength(4);
      expect(usage[0]?.day).toBe("2026-11-19");
      expect(usage).toContainEqual(row({ requests: 3, inputTokens: 30, cachedTokens: 12, outputTokens: 15 }));
      expect(usage).toContainEqual(row({ owner: bob }));
    });

    it("counts every one of many at the same time", async () => {
      const models = ["x", "y", "z"];
      const rows = (at: number) => models.map((_, model) => row({ model: models[(model + at) % 3] ?? "" }));
      await Promise.all(Array.from({ length: 30 }, (_, at) => store().addUsage(rows(at))));
      expect((await store().usage()).map(({ requests }) => requests)).toEqual([30, 30, 30]);
    });
  });

  describe("numbers about the store", () => {
    it("count rows and bytes, and know the oldest conversation", async () => {
      await store().keep(turn("r1", "one", { createdAt: 5_000 }));
      await store().keep(turn("r2", "two", { createdAt: 4_000 }));
      const stats = await store().stats();
      expect(stats).toMatchObject({ oldest: 4_000, version: 1, rows: { conversations: 2, responses: 2, messages: 4 } });
      expect(stats.bytes).toBeGreaterThan(10_000);
      await store().vacuum();
      expect(await said(store(), { previous: "r1" })).toHaveLength(2);
    });
  });
}
