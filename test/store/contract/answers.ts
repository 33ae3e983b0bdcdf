import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InputRange, Item } from "../../../src/turn/index.ts";
import { anyItems } from "../any-items.ts";
import { ann, bob, call, context, givenTo, message, output, type StoreOf, turn, words } from "./turns.ts";

export function describeAnswers(store: StoreOf): void {
  describe("answers", () => {
    it("come back as they were kept", async () => {
      const items: Item[] = [message("assistant", "A zero: \0, half a character: \ud800.", "msg_1"), call("c1")];
      await store().keep(
        turn("r1", "one", { output: items, metadata: { a: "1" }, status: "incomplete", model: "m\0", legacy: true }),
      );
      expect(await store().answer(ann, "responses", "r1")).toEqual({
        id: "r1",
        model: "m\0",
        status: "incomplete",
        createdAt: 1_000_000,
        body: { id: "r1", object: "response" },
        metadata: { a: "1" },
        output: items,
        legacy: true,
        size: expect.any(Number),
      });
    });

    it("come back with their history, whatever the items are", { timeout: 60_000 }, async () => {
      let number = 0;
      const foreign = (item: Item) => item.type === "output" || (item.type === "message" && item.role !== "assistant");
      await fc.assert(
        fc.asyncProperty(anyItems(), anyItems(), async (input, items) => {
          const id = `any${++number}`;
          const previous = number > 3 ? `any${number - 3}` : undefined;
          await store().keep(turn(id, "x", { input, output: items, previous }));
          expect((await store().answer(ann, "responses", id))?.output).toEqual(items);
          const { history = [] } = await context(store(), { previous: id });
          const all = [...input, ...items].map((item) => (foreign(item) ? { ...item, id: undefined } : item));
          expect(history.slice(history.length - all.length)).toEqual(all);
          const given = (await givenTo(store(), "responses", id)) ?? [];
          expect(given.slice(given.length - input.length)).toMatchObject(input);
          expect(await givenTo(store(), "responses", id, ann, "down")).toEqual(given);
        }),
        { numRuns: 60 },
      );
    });

    it("are found in their own API only", async () => {
      await store().keep(turn("r1", "one"));
      expect(await store().answer(ann, "chat", "r1")).toBeUndefined();
      expect(await givenTo(store(), "chat", "r1")).toBeUndefined();
      expect(await store().setMetadata(ann, "chat", "r1", {})).toBeUndefined();
      expect(await store().remove(ann, "chat", "r1")).toBe(false);
      expect(await store().answer(ann, "responses", "r1")).toBeDefined();
    });

    it("may have ids of any length", async () => {
      const id = `resp_${"é".repeat(5_000)}`;
      await store().keep(turn(id, "one"));
      await store().keep(turn("r2", "two", { previous: id, input: [message("user", "two", `${id}_item`)] }));
      expect((await store().answer(ann, "responses", id))?.id).toBe(id);
      expect((await givenTo(store(), "responses", "r2"))?.length).toBe(3);
      expect((await store().context(ann, { items: [`${id}_item`], limit: 100_000 })).items.size).toBe(1);
    });

    it("are kept once if they are kept again", async () => {
      await store().keep(turn("r1", "one"));
      await store().keep(turn("r1", "one"));
      expect((await store().stats()).rows).toMatchObject({ conversations: 1, responses: 1, messages: 2 });
    });

    it("show what their model was given, each item with an id that stays", async () => {
      const items: Item[] = [message("assistant", "Hm.", "msg_x"), { ...call("c1"), id: undefined }];
      await store().keep(turn("r1", "one", { output: items }));
      await store().keep(
        turn("r2", "two", { previous: "r1", input: [output("c1", "12 °C"), message("user", "two", "msg_in")] }),
      );
      const input = await givenTo(store(), "responses", "r2");
      expect(input?.map((item) => (item.type === "opaque" ? undefined : item.id))).toEqual([
        "msg_in_r1",
        "msg_x",
        expect.stringMatching(/^fc_[0-9a-f]{32}_1_1$/),
        "fco_c1",
        "msg_in",
      ]);
      expect(await givenTo(store(), "responses", "r2")).toEqual(input);
      expect(await givenTo(store(), "responses", "r1")).toEqual([message("user", "one", "msg_in_r1")]);
      expect(await givenTo(store(), "responses", "none")).toBeUndefined();
      const [, , unnamed] = input ?? [];
      const id = unnamed?.type === "call" ? String(unnamed.id) : "";
      expect((await store().context(ann, { items: [id], limit: 10_000 })).items.get(id)).toEqual(items[1]);
      expect((await store().context("bob", { items: [id], limit: 10_000 })).items.size).toBe(0);
    });

    it("show parts of what their model was given, calls with their outputs", async () => {
      const look = [call("c1"), output("c1", "12 °C"), message("assistant", "Cold.", "msg_out")];
      await store().keep(turn("r0", "zero", { output: look }));
      for (let at = 1; at <= 6; at++) await store().keep(turn(`r${at}`, `${at}`, { previous: `r${at - 1}` }));
      await store().keep(turn("f4", "fork", { previous: "r3" }));
      const part = async (range: InputRange, id = "r6") => {
        const window = await store().inputOf(ann, "responses", id, range);
        const named = window?.sections.map(({ position, items }) => `${position} ${items.map(words).join(", ")}`);
        return { ...window, sections: named };
      };
      expect(await part({ direction: "up", count: 1 })).toMatchObject({
        ...{ sections: ["0 zero"], start: 0, end: 1, length: 15, legacy: false, size: expect.any(Number) },
      });
      const looked = "1 call c1, output c1";
      expect(await part({ direction: "up", count: 2 })).toMatchObject({ sections: ["0 zero", looked], end: 3 });
      expect(await part({ direction: "up", from: 2, count: 2 })).toMatchObject({ sections: [looked, "3 Cold."] });
      expect(await part({ direction: "down", from: 1, count: 1 })).toMatchObject({ sections: [looked], end: 3 });
      expect(await part({ direction: "down", count: 2 })).toMatchObject({ sections: ["13 5!", "14 6"], start: 13 });
      expect(await part({ direction: "down", count: 3 }, "f4")).toMatchObject({
        sections: ["8 3", "9 3!", "10 fork"],
      });
      expect(await part({ direction: "up", from: 15, count: 3 })).toMatchObject({ sections: [] });
    });

    it("show an answer whole for which the gateway ran tools", async () => {
      const run = (at: number): Item[] => [{ ...call(`g${at}`), owner: "gateway" }, output(`g${at}`, "x")];
      const rounds = Array.from({ length: 100 }, (_, at) => run(at)).flat();
      await store().keep(turn("r1", "one", { output: [...rounds, message("assistant", "Done.", "msg_1")] }));
      await store().keep(turn("r2", "two", { previous: "r1" }));
      for (const from of [1, 2, 100, 200, 201])
        for (const direction of ["up", "down"] as const) {
          const range: InputRange = { direction, from, count: 1 };
          const { sections } = (await store().inputOf(ann, "responses", "r2", range)) ?? {};
          expect(sections?.map(({ position, length }) => [position, length])).toEqual([[1, 201]]);
        }
    });

    it("show the many steps of an agent each on its own", async () => {
      const step = (at: number): Item[] => [call(`c${at}`), output(`c${at}`, "x")];
      const input = [message("user", "Go."), ...Array.from({ length: 300 }, (_, at) => step(at)).flat()];
      await store().keep(turn("r1", "one", { input }));
      for (const from of [201, 202])
        for (const direction of ["up", "down"] as const) {
          const range: InputRange = { direction, from, count: 1 };
          expect(await store().inputOf(ann, "responses", "r1", range)).toMatchObject({ start: 201, end: 203 });
        }
    });

    it("show fewer messages if they are large", async () => {
      for (let at = 1; at <= 4; at++) {
        const previous = at > 1 ? `r${at - 1}` : undefined;
        await store().keep(turn(`r${at}`, `${at}`.repeat(3_000_000), { previous }));
      }
      const positions = async (direction: "up" | "down") =>
        (await store().inputOf(ann, "responses", "r4", { direction, count: 50 }))?.sections.map(
          (each) => each.position,
        );
      expect(await positions("up")).toEqual([0, 1]);
      expect(await positions("down")).toEqual([5, 6]);
    });

    it("know where their model was given an item", async () => {
      await store().keep(turn("r1", "one", { input: [message("user", "one"), message("user", "again", "mine")] }));
      await store().keep(turn("r2", "two", { previous: "r1", input: [message("user", "two", "mine")] }));
      await store().keep(turn("r3", "three", { previous: "r2" }));
      await store().keep(turn("x1", "other", { input: [message("user", "other", "theirs")] }));
      const places = (item: string, id = "r3", owner = ann) => store().placesOf(owner, "responses", id, item);
      expect(await places("mine")).toEqual({ first: 1, last: 3 });
      expect(await places("mine", "r1")).toEqual({ first: 1, last: 1 });
      const [unnamed] = (await givenTo(store(), "responses", "r3")) ?? [];
      expect(await places(unnamed?.type === "message" ? String(unnamed.id) : "")).toEqual({ first: 0, last: 0 });
      expect(await places("msg_out_r3")).toBeUndefined();
      expect(await places("theirs")).toBeUndefined();
      expect(await places("mine", "r3", bob)).toBeUndefined();
    });

    it("take other metadata", async () => {
      await store().keep(turn("r1", "one", { metadata: { a: "1" } }));
      const changed = await store().setMetadata(ann, "responses", "r1", { b: "2" });
      expect(changed).toMatchObject({ id: "r1", metadata: { b: "2" } });
      expect(await store().answer(ann, "responses", "r1")).toEqual(changed);
      expect(await store().setMetadata(ann, "responses", "none", {})).toBeUndefined();
    });
  });

  describe("lists of answers", () => {
    const ids = async (query: Partial<Parameters<ReturnType<StoreOf>["list"]>[2]>) => {
      const list = await store().list(ann, "chat", { limit: 2, order: "asc", ...query });
      return list && { ids: list.answers.map(({ id }) => id), hasMore: list.hasMore };
    };
    const keep = async (...turns: [id: string, createdAt: number, fields?: object][]) => {
      for (const [id, createdAt, fields] of turns)
        await store().keep(turn(id, id, { api: "chat", createdAt, ...fields }));
    };

    it("are sorted by time, then by id, and go on behind any answer", async () => {
      await keep(["c", 20], ["a", 10], ["B", 20], ["d", 30], ["e", 40]);
      await store().keep(turn("other", "other"));
      expect(await ids({})).toEqual({ ids: ["a", "B"], hasMore: true });
      expect(await ids({ after: "B" })).toEqual({ ids: ["c", "d"], hasMore: true });
      expect(await ids({ after: "d" })).toEqual({ ids: ["e"], hasMore: false });
      expect(await ids({ after: "e" })).toEqual({ ids: [], hasMore: false });
      expect(await ids({ order: "desc" })).toEqual({ ids: ["e", "d"], hasMore: true });
      expect(await ids({ order: "desc", after: "d", limit: 3 })).toEqual({ ids: ["c", "B", "a"], hasMore: false });
      expect(await ids({ after: "none" })).toBeUndefined();
      expect(await ids({ after: "other" })).toBeUndefined();
    });

    it("may be narrowed by model and by metadata", async () => {
      await keep(
        ["a", 1, { model: "x", metadata: { user: "1", team: "t" } }],
        ["b", 2, { model: "y", metadata: { user: "1" } }],
        ["c", 3, { model: "x", metadata: { user: "2" } }],
        ["d", 4, { model: "x", metadata: { user: "1" } }],
      );
      expect(await ids({ model: "x" })).toEqual({ ids: ["a", "c"], hasMore: true });
      expect(await ids({ model: "x", after: "c" })).toEqual({ ids: ["d"], hasMore: false });
      expect(await ids({ metadata: { user: "1" } })).toEqual({ ids: ["a", "b"], hasMore: true });
      expect(await ids({ metadata: { user: "1", team: "t" } })).toEqual({ ids: ["a"], hasMore: false });
      expect(await ids({ metadata: { user: "%" } })).toEqual({ ids: [], hasMore: false });
    });

    it("have the answers themselves", async () => {
      await keep(["a", 1, { metadata: { x: "y" } }]);
      const list = await store().list(ann, "chat", { limit: 10, order: "asc" });
      expect(list?.answers).toEqual([await store().answer(ann, "chat", "a")]);
    });

    it("end early if their answers are large, whatever makes them large", async () => {
      const shown = (at: number): Item[] => [
        { type: "opaque", format: "chat", fields: { data: `${at}`.repeat(6_000_000) } },
        { type: "reasoning", summary: ["x".repeat(900_000)] },
      ];
      for (let at = 1; at <= 4; at++) await keep([`c${at}`, at, { output: shown(at) }]);
      expect(await ids({ limit: 10 })).toEqual({ ids: ["c1", "c2", "c3"], hasMore: true });
      expect(await ids({ limit: 10, after: "c3" })).toEqual({ ids: ["c4"], hasMore: false });
    });

    it("go through many answers to find the few that match", async () => {
      const all = Array.from({ length: 700 }, (_, at) => turn(`c${at}`, "x", { api: "chat", createdAt: at }));
      await Promise.all(all.map((each) => store().keep(each)));
      await keep(["last", 10_000, { metadata: { wanted: "yes" } }]);
      expect(await ids({ metadata: { wanted: "yes" } })).toEqual({ ids: ["last"], hasMore: false });
      expect((await ids({ limit: 650 }))?.ids.length).toBe(650);
    });
  });
}
