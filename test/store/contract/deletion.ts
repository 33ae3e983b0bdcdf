import { describe, expect, it } from "vitest";
import { ann, context, givenTo, noRows, rowsOf, type StoreOf, said, shows, turn } from "./turns.ts";

export function describeDeletion(store: StoreOf): void {
  describe("deleted answers", () => {
    const remove = (id: string) => store().remove(ann, "responses", id);
    const keepChain = async (...ids: string[]) => {
      for (const [at, id] of ids.entries()) await store().keep(turn(id, id, { previous: ids[at - 1] }));
    };

    it("are found by nobody, and can be deleted once", async () => {
      await keepChain("r1", "r2", "r3");
      expect(await remove("r2")).toBe(true);
      expect(await remove("r2")).toBe(false);
      expect(await store().answer(ann, "responses", "r2")).toBeUndefined();
      expect(await givenTo(store(), "responses", "r2")).toBeUndefined();
      expect(await store().setMetadata(ann, "responses", "r2", {})).toBeUndefined();
      expect(await said(store(), { previous: "r2" })).toBeUndefined();
      expect((await context(store(), { items: ["msg_in_r2", "msg_out_r2", "msg_out_r1"] })).items.size).toBe(1);
      const list = await store().list(ann, "responses", { limit: 10, order: "asc" });
      expect(list?.answers.map(({ id }) => id)).toEqual(["r1", "r3"]);
    });

    it("stay in the history of those that continue from them", async () => {
      await keepChain("r1", "r2", "r3");
      await remove("r2");
      await remove("r1");
      expect(await said(store(), { previous: "r3" })).toEqual(["r1", "r1!", "r2", "r2!", "r3", "r3!"]);
      await store().keep(turn("r4", "r4", { previous: "r3" }));
      expect(await said(store(), { previous: "r4" })).toHaveLength(8);
    });

    it("take with them what nobody needs any more", async () => {
      await keepChain("r1", "r2", "r3");
      await remove("r2");
      expect(await rowsOf(store())).toMatchObject({ messages: 6, items: 4 });
      await remove("r3");
      expect(await rowsOf(store())).toMatchObject({ conversations: 1, responses: 1, messages: 2, items: 2 });
      await store().keep(turn("s2", "zwei", { previous: "r1" }));
      expect(await said(store(), { previous: "s2" })).toEqual(["r1", "r1!", "zwei", "zwei!"]);
      expect(await rowsOf(store())).toMatchObject({ conversations: 1 });
      await remove("r1");
      await remove("s2");
      expect(await rowsOf(store())).toEqual(noRows);
    });

    it("stay as long as a fork needs them", async () => {
      await keepChain("r1", "r2", "r3");
      await store().keep(turn("f", "fork", { previous: "r1" }));
      for (const id of ["r1", "r2", "r3"]) await remove(id);
      expect(await said(store(), { previous: "f" })).toEqual(["r1", "r1!", "fork", "fork!"]);
      expect(await rowsOf(store())).toMatchObject({ conversations: 2, messages: 4 });
      await remove("f");
      expect(await rowsOf(store())).toEqual(noRows);
    });

    it("take an image with them only when no message shows it", async () => {
      const image = { type: "image", url: `data:${"A".repeat(300_000)}` } as const;
      await store().keep(turn("r1", "one", { input: [shows(image, "i1")] }));
      await store().keep(turn("r2", "two", { input: [shows(image, "i2")] }));
      expect(await rowsOf(store())).toMatchObject({ contents: 2, uses: 2 });
      await remove("r1");
      expect(await rowsOf(store())).toMatchObject({ contents: 2, uses: 1 });
      await remove("r2");
      expect(await rowsOf(store())).toEqual(noRows);
    });

    it("may be deleted by several requests at once", async () => {
      await keepChain("r1", "r2", "r3");
      const removed = await Promise.all(["r1", "r2", "r3", "r1", "r2", "r3"].map(remove));
      expect(removed.filter(Boolean)).toHaveLength(3);
      expect(await rowsOf(store())).toEqual(noRows);
    });
  });
}
