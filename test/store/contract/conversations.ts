import { describe, expect, it } from "vitest";
import { idOf } from "../../../src/store/messages.ts";
import type { Item } from "../../../src/turn/index.ts";
import { ann, bob, call, context, givenTo, message, output, rowsOf, type StoreOf, said, shows, turn } from "./turns.ts";

export function describeConversations(store: StoreOf): void {
  describe("conversations", () => {
    it("continue from the answer that a turn names", async () => {
      await store().keep(turn("r1", "one"));
      await store().keep(turn("r2", "two", { previous: "r1" }));
      await store().keep(turn("r3", "three", { previous: "r2" }));
      expect(await said(store(), { previous: "r3" })).toEqual(["one", "one!", "two", "two!", "three", "three!"]);
      expect(await said(store(), { previous: "r2" })).toEqual(["one", "one!", "two", "two!"]);
      expect(await rowsOf(store())).toMatchObject({ conversations: 1, responses: 3, messages: 6 });
    });

    it("fork where an answer is continued again", async () => {
      await store().keep(turn("r1", "one"));
      await store().keep(turn("r2", "two", { previous: "r1" }));
      await store().keep(turn("f2", "deux", { previous: "r1" }));
      await store().keep(turn("f3", "trois", { previous: "f2" }));
      await store().keep(turn("g3", "tre", { previous: "f2" }));
      await store().keep(turn("r3", "three", { previous: "r2" }));
      expect(await said(store(), { previous: "g3" })).toEqual(["one", "one!", "deux", "deux!", "tre", "tre!"]);
      expect(await said(store(), { previous: "f3" })).toEqual(["one", "one!", "deux", "deux!", "trois", "trois!"]);
      expect(await said(store(), { previous: "r3" })).toEqual(["one", "one!", "two", "two!", "three", "three!"]);
      expect(await rowsOf(store())).toMatchObject({ conversations: 3, messages: 12 });
    });

    it("take many continuations of one answer at once", async () => {
      await store().keep(turn("r0", "zero"));
      const names = Array.from({ length: 20 }, (_, at) => `r0_${at}`);
      await Promise.all(names.map((name) => store().keep(turn(name, name, { previous: "r0" }))));
      for (const name of names)
        expect(await said(store(), { previous: name })).toEqual(["zero", "zero!", name, `${name}!`]);
    });

    it("do not go on without their beginning if the answer before was deleted meanwhile", async () => {
      expect(await store().keep(turn("r2", "two", { previous: "gone" }))).toBe(false);
      expect(await said(store(), { previous: "r2" })).toBeUndefined();
      expect(await rowsOf(store())).toMatchObject({ conversations: 0, messages: 0 });
    });

    it("know nothing of an answer that does not exist, and are empty before they begin", async () => {
      expect(await context(store(), { previous: "none" })).toMatchObject({ history: undefined, isTooLarge: false });
      expect(await context(store(), { conversation: "none" })).toMatchObject({ history: [], isTooLarge: false });
      expect(await context(store(), {})).toMatchObject({ history: [] });
    });

    it("keep every round of a turn with tools under a name, in order", async () => {
      const rounds: Item[] = [
        { type: "reasoning", summary: ["Hm."], id: "rs_1", encrypted: "secret" },
        message("assistant", "I look.", "msg_1"),
        call("c1", '{"city":"Bern"}'),
        call("c2", '{"city":"Chur"}'),
        output("c1", "12 °C"),
        output("c2", "9 °C"),
        message("assistant", "Cold.", "msg_2"),
      ];
      await store().keep(turn("chat_1", "Weather?", { api: "chat", conversation: "trip", output: rounds }));
      await store().keep(turn("chat_2", "Thanks.", { api: "chat", conversation: "trip" }));
      const { history } = await context(store(), { conversation: "trip" });
      const withoutIds = rounds.map((item) => (item.type === "output" ? { ...item, id: undefined } : item));
      expect(history).toEqual([
        message("user", "Weather?"),
        ...withoutIds,
        message("user", "Thanks."),
        message("assistant", "Thanks.!", "msg_out_chat_2"),
      ]);
      expect((await store().answer("a".repeat(64), "chat", "chat_1"))?.output).toEqual(rounds);
      expect(await rowsOf(store())).toMatchObject({ conversations: 1, messages: 7 });
    });

    it("are created once by many turns at the same time", async () => {
      const ids = Array.from({ length: 20 }, (_, at) => `c${at}`);
      await Promise.all(ids.map((id) => store().keep(turn(id, id, { api: "chat", conversation: "new" }))));
      const history = (await said(store(), { conversation: "new" })) ?? [];
      expect(history.length).toBe(40);
      expect([...history].filter((text) => !text.endsWith("!")).sort()).toEqual([...ids].sort());
      for (const [at, text] of history.entries()) if (text.endsWith("!")) expect(`${history[at - 1]}!`).toBe(text);
      expect(await rowsOf(store())).toMatchObject({ conversations: 1 });
    });

    it("remember the response of a provider that they continue from, also in forks", async () => {
      const base = { backend: "openai", responseId: "resp_\0upstream" };
      await store().keep(turn("r1", "one", { base }));
      await store().keep(turn("r2", "two", { previous: "r1" }));
      await store().keep(turn("f2", "deux", { previous: "r1" }));
      for (const previous of ["r1", "r2", "f2"]) expect((await context(store(), { previous })).base).toEqual(base);
    });

    it("give items by their ids, the newest first, but that of the history before others", async () => {
      const says = (text: string) => ({ output: [message("assistant", text, "msg_001")] });
      await store().keep(turn("r1", "one", { ...says("old"), createdAt: 1 }));
      await store().keep(turn("r2", "two", { ...says("new"), createdAt: 2 }));
      const items = ["msg_001", "msg_in_r1", "none"];
      const found = await context(store(), { items });
      expect([...found.items.keys()].sort()).toEqual(["msg_001", "msg_in_r1"]);
      expect(found.items.get("msg_001")).toEqual(message("assistant", "new", "msg_001"));
      expect(found.items.get("msg_in_r1")).toEqual(message("user", "one"));
      const inHistory = await context(store(), { items, previous: "r1" });
      expect(inHistory.items.get("msg_001")).toEqual(message("assistant", "old", "msg_001"));
    });

    it("say which of the items that are asked for they have", async () => {
      await store().keep(turn("r1", "one", { input: [message("user", "one"), message("user", "more", "msg_mine")] }));
      await store().keep(turn("r2", "two", { previous: "r1", input: [output("c1", "12 °C")] }));
      await store().keep(turn("r3", "three"));
      const items = ((await givenTo(store(), "responses", "r2")) ?? []).flatMap((item) => idOf(item) ?? []);
      const { inHistory } = await context(store(), {
        items: [...items, "msg_in_r3", "none"],
        previous: "r2",
      });
      expect([...inHistory].sort()).toEqual([...items].sort());
      expect((await context(store(), { items })).inHistory.size).toBe(0);
    });

    it("give many items by the ids of their places in a few statements", async () => {
      const input = Array.from({ length: 600 }, (_, at) => message("user", `${at}`));
      await store().keep(turn("r1", "x", { input }));
      const repeat = { digest: "once", within: null };
      await store().keep(turn("c1", "x", { api: "chat", repeat, input: [message("user", "once")] }));
      const given = [
        ...((await givenTo(store(), "responses", "r1")) ?? []),
        ...((await givenTo(store(), "chat", "c1")) ?? []),
      ];
      const items = given.flatMap((item) => idOf(item) ?? []);
      const found = await context(store(), { items });
      expect(items.map((id) => found.items.get(id))).toEqual([...input, message("user", "once")]);
      expect((await context(store(), { items }, bob)).items.size).toBe(0);
    });

    it("are not read if they are larger than the limit", async () => {
      await store().keep(turn("r1", "x".repeat(10_000)));
      expect(await context(store(), { previous: "r1", limit: 10_000 })).toMatchObject({
        history: undefined,
        base: undefined,
        items: new Map(),
        isTooLarge: true,
      });
      expect((await context(store(), { previous: "r1", limit: 30_000 })).history).toHaveLength(2);
      expect(await context(store(), { items: ["msg_in_r1"], limit: 5_000 })).toMatchObject({ isTooLarge: true });
    });

    it("keep an image once, and show it in every message", async () => {
      const url = `data:image/png;base64,${"QUJD".repeat(1_000)}`;
      const image = { type: "image", url } as const;
      await store().keep(turn("r1", "one", { input: [shows(image, "i1")] }));
      await store().keep(turn("r2", "two", { input: [shows(image, "i2")], previous: "r1" }));
      await store().keep(turn("r3", "three", { input: [shows(image, "i3")] }));
      expect(await rowsOf(store())).toMatchObject({ contents: 1, uses: 3 });
      const { history } = await context(store(), { previous: "r2" });
      expect(history?.[0]).toEqual(shows(image));
      expect(history?.[2]).toEqual(history?.[0]);
      const { items } = await context(store(), { items: ["i3"] });
      expect(items.get("i3")).toMatchObject({ content: [{ url }] });
    });

    it("keep a large history with large images whole", async () => {
      const file = (at: number) => `${at}`.padEnd(900_000, "é");
      for (let at = 1; at <= 6; at++)
        await store().keep(
          turn(`r${at}`, "x", {
            input: [shows({ type: "file", data: file(at) }, `i${at}`)],
            previous: at === 1 ? undefined : `r${at - 1}`,
          }),
        );
      const { history } = await context(store(), { previous: "r6" });
      const files = history?.flatMap((item) => (item.type === "message" ? item.content : []));
      expect(files?.filter((part) => part.type === "file").map((part) => part.data)).toEqual(
        [1, 2, 3, 4, 5, 6].map(file),
      );
    });

    it("may have a thousand turns", { timeout: 60_000 }, async () => {
      for (let at = 1; at <= 1_000; at++)
        await store().keep(turn(`r${at}`, `${at}`, { previous: at === 1 ? undefined : `r${at - 1}`, createdAt: at }));
      const history = await said(store(), { previous: "r1000" });
      expect(history).toHaveLength(2_000);
      expect(history?.at(-1)).toBe("1000!");
      expect(await said(store(), { previous: "r500" })).toHaveLength(1_000);
      expect(await rowsOf(store())).toMatchObject({ conversations: 1 });
    });

    it("may begin anew under their name, and the answers before stay", async () => {
      const named = { api: "chat", conversation: "talk" } as const;
      await store().keep(turn("c1", "one", named));
      await store().keep(turn("c2", "two", named));
      await store().keep(turn("c3", "other", { ...named, restarts: true }));
      await store().keep(turn("c4", "more", named));
      expect(await said(store(), { conversation: "talk" })).toEqual(["other", "other!", "more", "more!"]);
      expect(await said(store(), { previous: "c2" })).toEqual(["one", "one!", "two", "two!"]);
      expect(await rowsOf(store())).toMatchObject({ conversations: 2, responses: 4 });
      for (const id of ["c1", "c2", "c3", "c4"]) expect(await store().remove(ann, "chat", id)).toBe(true);
      expect(await rowsOf(store())).toMatchObject({ conversations: 0, messages: 0 });
    });

    it("begin anew once if the request is repeated", async () => {
      const repeat = { digest: "d", within: null };
      const named = { api: "chat", conversation: "talk" } as const;
      await store().keep(turn("c1", "one", named));
      await store().keep(turn("c2", "other", { ...named, repeat, restarts: true }));
      await store().keep(turn("c3", "other", { ...named, repeat, restarts: true, createdAt: 2_000_000_000_000 }));
      expect(await said(store(), { conversation: "talk" })).toEqual(["other", "other!"]);
      expect(await store().answer(ann, "chat", "c2")).toBeUndefined();
      expect(await said(store(), { previous: "c1" })).toEqual(["one", "one!"]);
    });

    it("take two hundred turns at once", async () => {
      const ids = Array.from({ length: 200 }, (_, at) => `r${at}`);
      await Promise.all(ids.map((id) => store().keep(turn(id, id))));
      const read = await Promise.all(ids.map((id) => said(store(), { previous: id })));
      expect(read).toEqual(ids.map((id) => [id, `${id}!`]));
    });
  });
}
