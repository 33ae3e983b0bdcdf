import { describe, expect, it } from "vitest";
import type { ExportedRow, Store } from "../../../src/store/store.ts";
import { ann, message, type StoreOf, said, shows, turn } from "./turns.ts";

export function describeMoving(store: StoreOf, create: () => Promise<Store>): void {
  describe("moving", () => {
    const exported = async (from: Store) => {
      const rows: ExportedRow[] = [];
      for await (const each of from.export()) rows.push(JSON.parse(JSON.stringify(each)));
      return rows;
    };

    it("gives another store the same answers", async () => {
      const image = { type: "image", url: `data:${"é".repeat(400_000)}` } as const;
      await store().keep(turn("r1", "one", { input: [shows(image, "i1")] }));
      await store().keep(turn("r2", "two", { previous: "r1" }));
      await store().keep(turn("f2", "fork", { previous: "r1", metadata: { a: "b" } }));
      for (let at = 0; at < 70; at++) await store().keep(turn(`c${at}`, "x", { api: "chat", conversation: "talk" }));
      await store().write(ann, [{ key: "k", value: { a: 1 }, ttl: 3_600_000 }]);
      await store().addUsage([
        {
          owner: ann,
          key: "",
          model: "m",
          day: "2026-11-18",
          requests: 1,
          inputTokens: 1,
          cachedTokens: 0,
          outputTokens: 1,
        },
      ]);
      const rows = await exported(store());
      const other = await create();
      let added = 0;
      for (let at = 0; at < rows.length; at += 50) added += await other.import(rows.slice(at, at + 50));
      expect(added).toBe(rows.length);
      expect(await other.import(rows)).toBe(0);
      expect((await other.stats()).rows).toEqual((await store().stats()).rows);
      for (const id of ["r1", "r2", "f2"]) {
        expect(await other.answer(ann, "responses", id)).toEqual(await store().answer(ann, "responses", id));
        expect(await other.inputOf(ann, "responses", id)).toEqual(await store().inputOf(ann, "responses", id));
      }
      expect(await said(other, { conversation: "talk" })).toEqual(await said(store(), { conversation: "talk" }));
      expect(await other.read(ann, ["k"])).toEqual([{ a: 1 }]);
      expect(await other.usage()).toEqual(await store().usage());
      expect((await other.context(ann, { items: ["msg_out_r2"], limit: 1_000 })).items.get("msg_out_r2")).toEqual(
        message("assistant", "two!", "msg_out_r2"),
      );
      await other.keep(turn("r3", "three", { previous: "r2" }));
      expect(await said(other, { previous: "r3" })).toHaveLength(6);
    });

    it("shows one state, though turns are kept meanwhile, and everything can be continued from there", async () => {
      await store().keep(turn("r1", "one"));
      await store().keep(turn("c1", "hello", { api: "chat", conversation: "talk" }));
      const rows: ExportedRow[] = [];
      for await (const each of store().export()) {
        // The conversations have been read, their messages and answers have not.
        if (each.table === "conversations" && rows.length === 0) {
          await store().keep(turn("r2", "two", { previous: "r1" }));
          await store().keep(turn("f2", "fork", { previous: "r1" }));
          await store().keep(turn("c2", "again", { api: "chat", conversation: "talk" }));
          await store().keep(turn("n1", "new"));
        }
        rows.push(each);
      }
      const other = await create();
      await other.import(rows);
      for (const id of ["r2", "f2", "n1"]) expect(await other.answer(ann, "responses", id)).toBeUndefined();
      await other.keep(turn("r3", "three", { previous: "r1" }));
      await other.keep(turn("c3", "bye", { api: "chat", conversation: "talk" }));
      expect(await said(other, { previous: "r3" })).toEqual(["one", "one!", "three", "three!"]);
      expect(await said(other, { conversation: "talk" })).toEqual(["hello", "hello!", "bye", "bye!"]);
      expect(await said(store(), { previous: "r2" })).toHaveLength(4);
    });

    it("refuses rows of tables that do not exist", async () => {
      await expect(async () => await store().import([{ table: "secrets", row: {} }])).rejects.toThrow("no table");
    });
  });
}
