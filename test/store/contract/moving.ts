import { describe, expect, it } from "vitest";
import type { ExportedRow, Store } from "../../../src/store/store.ts";
import { ann, bob, givenTo, message, rowsOf, type StoreOf, said, shows, turn } from "./turns.ts";

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
      for (let at = 0; at < rows.length; at += 50) added += (await other.import(rows.slice(at, at + 50))).added;
      expect(added).toBe(rows.length);
      expect(await other.import(rows)).toEqual({ added: 0, leftOut: 0 });
      expect((await other.stats()).rows).toEqual((await store().stats()).rows);
      for (const id of ["r1", "r2", "f2"]) {
        expect(await other.answer(ann, "responses", id)).toEqual(await store().answer(ann, "responses", id));
        expect(await givenTo(other, "responses", id)).toEqual(await givenTo(store(), "responses", id));
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

    const others = (rows: readonly ExportedRow[], isLeftOut: (each: ExportedRow) => boolean) =>
      rows.filter((each) => !isLeftOut(each));

    it("leaves out what has no conversation, and whatever else is there can be continued", async () => {
      const image = { type: "image", url: `data:${"x".repeat(5_000)}` } as const;
      await store().keep(turn("r1", "one"));
      await store().keep(turn("l1", "lost", { input: [shows(image, "i1")] }));
      const rows = await exported(store());
      const lost = rows.find(({ table, row }) => table === "responses" && row.id === "l1")?.row.conversation;
      const other = await create();
      const incomplete = others(rows, ({ table, row }) => table === "conversations" && row.id === lost);
      // Two messages, two items, the use of the image and the answer.
      expect(await other.import(incomplete)).toMatchObject({ leftOut: 6 });
      expect(await other.import(incomplete)).toEqual({ added: 0, leftOut: 6 });
      expect(await rowsOf(other)).toMatchObject({ conversations: 1, responses: 1, messages: 2, items: 2, uses: 0 });
      await other.keep(turn("l1", "again"));
      await other.keep(turn("r2", "two", { previous: "r1" }));
      expect(await said(other, { previous: "r2" })).toHaveLength(4);
      expect(await other.import(rows)).toMatchObject({ leftOut: 0 });
    });

    it("leaves out answers without their messages, and others take their places", async () => {
      const image = { type: "image", url: `data:${"x".repeat(5_000)}` } as const;
      const isConversation = ({ table }: ExportedRow) => table === "conversations" || table === "messages";
      await store().keep(turn("r1", "one"));
      const before = (await exported(store())).filter(isConversation);
      await store().keep(turn("r2", "two", { previous: "r1", input: [shows(image, "i2")] }));
      const after = others(await exported(store()), isConversation);
      const other = await create();
      // Two items, the use of the image and the answer.
      expect(await other.import([...before, ...after])).toMatchObject({ leftOut: 4 });
      expect(await other.answer(ann, "responses", "r2")).toBeUndefined();
      await other.keep(turn("r3", "three", { previous: "r1", input: [shows(image, "i3")] }));
      expect(await said(other, { previous: "r3" })).toEqual(["one", "one!", "(image)", "three!"]);
    });

    it.each([1, 1_000])(
      "corrects a conversation that is shorter than its messages, %j rows at a time",
      async (size) => {
        await store().keep(turn("r1", "one"));
        await store().keep(turn("c1", "hello", { api: "chat", conversation: "talk" }));
        const old = (await exported(store())).filter(({ table }) => table === "conversations");
        await store().keep(turn("r2", "two", { previous: "r1" }));
        await store().keep(turn("c2", "again", { api: "chat", conversation: "talk" }));
        const rows = [...old, ...others(await exported(store()), ({ table }) => table === "conversations")];
        const other = await create();
        for (let at = 0; at < rows.length; at += size)
          expect(await other.import(rows.slice(at, at + size))).toMatchObject({ leftOut: 0 });
        await other.keep(turn("r3", "three", { previous: "r2" }));
        await other.keep(turn("c3", "bye", { api: "chat", conversation: "talk" }));
        expect(await said(other, { previous: "r3" })).toEqual(["one", "one!", "two", "two!", "three", "three!"]);
        expect(await said(other, { conversation: "talk" })).toHaveLength(6);
      },
    );

    it("brings a store up to date that has an older state", async () => {
      await store().keep(turn("r1", "one"));
      const other = await create();
      await other.import(await exported(store()));
      await store().keep(turn("r2", "two", { previous: "r1" }));
      await other.import(await exported(store()));
      await other.keep(turn("r3", "three", { previous: "r2" }));
      expect(await said(other, { previous: "r3" })).toHaveLength(6);
    });

    it("adds a conversation without its name if another one of its owner has it", async () => {
      const chat = { api: "chat", conversation: "talk" } as const;
      await store().keep(turn("c1", "theirs", chat));
      await store().keep(turn("b1", "bob's", { ...chat, owner: bob }));
      const rows = await exported(store());
      const other = await create();
      await other.keep(turn("c2", "ours", chat));
      expect(await other.import(rows)).toEqual({ added: rows.length, leftOut: 0 });
      expect(await other.import(rows)).toEqual({ added: 0, leftOut: 0 });
      expect(await said(other, { conversation: "talk" })).toEqual(["ours", "ours!"]);
      expect(await said(other, { conversation: "talk" }, bob)).toEqual(["bob's", "bob's!"]);
      await other.keep(turn("c3", "more", { previous: "c1" }));
      expect(await said(other, { previous: "c3" })).toEqual(["theirs", "theirs!", "more", "more!"]);
      await other.remove(ann, "responses", "c3");
      await other.remove(ann, "chat", "c1");
      expect(await rowsOf(other)).toMatchObject({ conversations: 2, responses: 2, messages: 4, items: 4 });
    });

    it("refuses rows of tables that do not exist", async () => {
      await expect(async () => await store().import([{ table: "secrets", row: {} }])).rejects.toThrow("no table");
    });
  });
}
