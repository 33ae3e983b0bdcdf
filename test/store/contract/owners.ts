import { describe, expect, it } from "vitest";
import { ann, bob, context, givenTo, rowsOf, type StoreOf, said, shows, turn } from "./turns.ts";

export function describeOwners(store: StoreOf): void {
  describe("owners", () => {
    it("never see what belongs to others", async () => {
      await store().keep(turn("r1", "secret"));
      await store().keep(turn("c1", "secret", { api: "chat", conversation: "talk" }));
      expect(await store().answer(bob, "responses", "r1")).toBeUndefined();
      expect(await givenTo(store(), "responses", "r1", bob)).toBeUndefined();
      expect(await store().setMetadata(bob, "responses", "r1", { a: "b" })).toBeUndefined();
      expect(await store().remove(bob, "responses", "r1")).toBe(false);
      expect(await said(store(), { previous: "r1" }, bob)).toBeUndefined();
      expect(await said(store(), { conversation: "talk" }, bob)).toEqual([]);
      expect((await context(store(), { items: ["msg_in_r1", "msg_out_r1"] }, bob)).items.size).toBe(0);
      expect(await store().list(bob, "responses", { limit: 10, order: "asc" })).toEqual({
        answers: [],
        hasMore: false,
      });
      expect(await store().list(bob, "responses", { limit: 10, order: "asc", after: "r1" })).toBeUndefined();
      expect((await store().answer(ann, "responses", "r1"))?.metadata).toEqual({});
    });

    it("cannot continue what belongs to others", async () => {
      await store().keep(turn("r1", "secret"));
      expect(await store().keep(turn("r2", "mine", { owner: bob, previous: "r1" }))).toBe(false);
      expect(await said(store(), { previous: "r2" }, bob)).toBeUndefined();
      expect(await said(store(), { previous: "r1" })).toEqual(["secret", "secret!"]);
    });

    it("may use the same ids and names", async () => {
      for (const owner of [ann, bob]) {
        await store().keep(turn("r1", owner, { owner }));
        await store().keep(turn("c1", owner, { owner, api: "chat", conversation: "talk" }));
      }
      for (const owner of [ann, bob]) {
        expect(await said(store(), { previous: "r1" }, owner)).toEqual([owner, `${owner}!`]);
        expect(await said(store(), { conversation: "talk" }, owner)).toEqual([owner, `${owner}!`]);
        const { items } = await context(store(), { items: ["msg_out_r1"] }, owner);
        expect(items.get("msg_out_r1")).toMatchObject({ content: [{ text: `${owner}!` }] });
      }
    });

    it("do not share images, so that the deletion of one does not depend on others", async () => {
      const input = [shows({ type: "image", url: `data:${"A".repeat(2_000)}` }, "i")];
      for (const owner of [ann, bob]) await store().keep(turn("r1", "x", { owner, input }));
      expect(await rowsOf(store())).toMatchObject({ contents: 2 });
      await store().remove(ann, "responses", "r1");
      expect((await givenTo(store(), "responses", "r1", bob))?.[0]).toEqual(input[0]);
    });
  });
}
