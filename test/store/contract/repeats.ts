import { describe, expect, it } from "vitest";
import { ann, bob, context, message, rowsOf, type StoreOf, said, turn } from "./turns.ts";

export function describeRepeats(store: StoreOf): void {
  describe("repeated requests", () => {
    const now = Date.now();
    const hour = 3_600_000;
    const named = (id: string, text: string, digest: string, within: number | null, at = now) =>
      turn(id, text, { api: "chat", conversation: "talk", repeat: { digest, within }, createdAt: at });

    it("replace the last turn of their conversation", async () => {
      await store().keep(named("c1", "one", "d1", null));
      await store().keep(named("c2", "two", "d2", null));
      await store().keep(named("c3", "two again", "d2", null));
      expect(await said(store(), { conversation: "talk" })).toEqual(["one", "one!", "two again", "two again!"]);
      expect(await store().answer(ann, "chat", "c2")).toBeUndefined();
      expect(await store().answer(ann, "chat", "c3")).toBeDefined();
      expect(await rowsOf(store())).toMatchObject({ conversations: 1, responses: 2, messages: 4 });
    });

    it("are not shown the turn that they repeat", async () => {
      await store().keep(named("c1", "one", "d1", null));
      await store().keep(named("c2", "two", "d2", hour));
      const ask = (digest: string, within: number | null) =>
        said(store(), { conversation: "talk", repeat: { digest, within }, at: now });
      expect(await ask("d2", hour)).toEqual(["one", "one!"]);
      expect(await ask("d2", null)).toEqual(["one", "one!"]);
      expect(await ask("d3", null)).toHaveLength(4);
      expect(await ask("d1", null)).toHaveLength(4);
    });

    it("are turns of their own after their time", async () => {
      await store().keep(named("c1", "one", "d1", 1_000, now - 5_000));
      await store().keep(named("c2", "one", "d1", 1_000));
      expect(await said(store(), { conversation: "talk" })).toEqual(["one", "one!", "one", "one!"]);
      await store().keep(named("c3", "one", "d1", 1_000, now + 1_000));
      expect(await said(store(), { conversation: "talk" })).toHaveLength(4);
      const late = { repeat: { digest: "d1", within: 1_000 }, at: now + 4_000 };
      expect(await said(store(), { conversation: "talk", ...late })).toHaveLength(4);
      const repeat = { digest: "d1", within: 1_000 };
      await store().keep(turn("c9", "x", { api: "chat", conversation: "old", repeat, createdAt: now - 90_000 }));
      expect(await said(store(), { conversation: "old", repeat })).toHaveLength(2);
    });

    it("change nothing if an earlier turn but the last has their key", async () => {
      await store().keep(named("c1", "one", "d1", null));
      await store().keep(named("c2", "two", "d2", null));
      expect(await store().keep(named("c3", "one", "d1", null))).toBe(false);
      expect(await said(store(), { conversation: "talk" })).toEqual(["one", "one!", "two", "two!"]);
      expect(await store().answer(ann, "chat", "c3")).toBeUndefined();
      // A text may be said again later.
      await store().keep(named("c4", "one", "d1", 60_000));
      expect(await said(store(), { conversation: "talk" })).toHaveLength(6);
    });

    it("replace a completion without a conversation that has the same key", async () => {
      const completion = (id: string, owner = ann) =>
        turn(id, id, { owner, api: "chat", repeat: { digest: "key", within: null } });
      await store().keep(completion("c1"));
      await store().keep(completion("c2"));
      await store().keep(completion("c3", bob));
      expect(await store().answer(ann, "chat", "c1")).toBeUndefined();
      expect((await store().answer(ann, "chat", "c2"))?.output).toEqual([message("assistant", "c2!", "msg_out_c2")]);
      expect(await store().answer(bob, "chat", "c3")).toBeDefined();
      expect(await rowsOf(store())).toMatchObject({ conversations: 2, responses: 2, messages: 4 });
      await Promise.all(["d1", "d2", "d3", "d4"].map((id) => store().keep(completion(id))));
      expect(await rowsOf(store())).toMatchObject({ conversations: 2, responses: 2, messages: 4 });
    });

    it("stay when the attempt that they repeat ends later", async () => {
      for (const within of [null, 60_000]) {
        const mark = { api: "chat", conversation: `talk ${within}`, repeat: { digest: "d1", within } } as const;
        await store().keep(turn(`c2 ${within}`, "retry", { ...mark, createdAt: now + 1_000 }));
        await store().keep(turn(`c1 ${within}`, "first", { ...mark, createdAt: now, status: "incomplete" }));
        await store().keep(turn(`c0 ${within}`, "first", { ...mark, createdAt: now }));
        expect(await said(store(), { conversation: mark.conversation })).toEqual(["retry", "retry!"]);
        expect(await store().answer(ann, "chat", `c2 ${within}`)).toBeDefined();
      }
      const once = (id: string, at: number, status: "completed" | "incomplete") =>
        turn(id, id, { api: "chat", repeat: { digest: "key", within: null }, createdAt: at, status });
      await store().keep(once("k2", now + 1_000, "completed"));
      await store().keep(once("k1", now, "incomplete"));
      expect(await store().answer(ann, "chat", "k2")).toBeDefined();
    });

    it("leave what a fork needs", async () => {
      await store().keep(named("c1", "one", "d1", null));
      await store().keep(named("c2", "two", "d2", null));
      await store().keep(turn("f1", "fork", { previous: "c1" }));
      await store().remove(ann, "chat", "c2");
      await store().keep(named("c3", "one again", "d1", null));
      expect(await said(store(), { previous: "f1" })).toEqual(["one", "one!", "fork", "fork!"]);
      expect((await context(store(), { previous: "c3" })).history?.map((item) => item.type)).toBeDefined();
    });
  });
}
