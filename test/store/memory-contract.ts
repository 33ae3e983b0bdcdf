import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type JsonObject, type JsonValue, type Memory, memoryKey } from "../../src/turn/index.ts";

const minute = 60_000;

/** What whoever uses `Memory` relies on, whichever implementation is behind it. */
export function describeMemory(name: string, create: () => Memory | Promise<Memory>): void {
  describe(`${name}, as short-lived memory`, () => {
    const keep = (memory: Memory, key: string, value: JsonValue, ttl = minute) =>
      memory.write("ann", [{ key, value, ttl }]);

    it("gives back the values in the order of the keys, and nothing for what it does not know", async () => {
      const memory = await create();
      await memory.write("ann", [
        { key: "one", value: 1, ttl: minute },
        { key: "two", value: "zwei", ttl: minute },
      ]);
      expect(await memory.read("ann", ["two", "three", "one", "two"])).toEqual(["zwei", undefined, 1, "zwei"]);
      expect(await memory.read("ann", [])).toEqual([]);
    });

    it.each<JsonValue>([
      null,
      false,
      0,
      "",
      [],
      {},
      "déjà 見た 🙂 \u0000 \u2028",
      [1, [2, [3]]],
      { a: { b: ["c", null, 1.5] }, "": "empty" },
      [["__proto__", "constructor"]],
    ])("keeps a value as it is: %j", async (value) => {
      const memory = await create();
      await keep(memory, "key", value);
      expect(await memory.read("ann", ["key"])).toEqual([value]);
    });

    it("shares no object with those who write and read", async () => {
      const memory = await create();
      const value: JsonObject = { list: [1] };
      await keep(memory, "key", value);
      value.list = "changed by the writer";
      const [read] = await memory.read("ann", ["key"]);
      expect(read).toEqual({ list: [1] });
      Object.assign(read as JsonObject, { list: "changed by a reader" });
      expect(await memory.read("ann", ["key"])).toEqual([{ list: [1] }]);
    });

    it("shows nobody what another owner has, though the keys are the same", async () => {
      const memory = await create();
      await memory.write("ann", [{ key: "key", value: "ann's", ttl: minute }]);
      await memory.write("bob", [{ key: "key", value: "bob's", ttl: minute }]);
      expect(await memory.read("ann", ["key"])).toEqual(["ann's"]);
      expect(await memory.read("bob", ["key"])).toEqual(["bob's"]);
      expect(await memory.read("cat", ["key"])).toEqual([undefined]);
    });

    it.each(["", ":", "\n", "\0", "/"])(
      "does not mistake an owner for a part of a key (%j between them)",
      async (mark) => {
        const memory = await create();
        await memory.write("ann", [{ key: `b${mark}key`, value: "ann's", ttl: minute }]);
        expect(await memory.read(`ann${mark}b`.replaceAll("\n", ""), ["key", `${mark}key`])).toEqual([
          undefined,
          undefined,
        ]);
      },
    );

    it("forgets each record after its own time", async () => {
      const memory = await create();
      await memory.write("ann", [
        { key: "short", value: 1, ttl: 30 },
        { key: "long", value: 2, ttl: minute },
      ]);
      // Whether the short one is still there depends on how busy the machine is.
      expect(await memory.read("ann", ["long"])).toEqual([2]);
      await setTimeout(60);
      expect(await memory.read("ann", ["short", "long"])).toEqual([undefined, 2]);
    });

    it("takes what is written last, with its time", async () => {
      const memory = await create();
      await keep(memory, "key", "old", 30);
      await memory.write("ann", [
        { key: "key", value: "newer", ttl: 30 },
        { key: "key", value: "newest", ttl: minute },
      ]);
      await setTimeout(60);
      expect(await memory.read("ann", ["key"])).toEqual(["newest"]);
    });

    it("forgets at once what is written without time", async () => {
      const memory = await create();
      await keep(memory, "key", "old");
      await keep(memory, "key", null, 0);
      expect(await memory.read("ann", ["key"])).toEqual([undefined]);
    });

    it("takes many records at once", async () => {
      const memory = await create();
      const records = Array.from({ length: 3_000 }, (_, at) => ({ key: `key ${at}`, value: at, ttl: minute }));
      await memory.write("ann", records);
      expect(
        await memory.read(
          "ann",
          records.map(({ key }) => key),
        ),
      ).toEqual(records.map(({ value }) => value));
    });

    it("takes keys that are made of long ids, and does not mistake them for each other", async () => {
      const memory = await create();
      const [one, other] = [
        memoryKey("response", `${"x".repeat(100_000)}1`),
        memoryKey("response", `${"x".repeat(100_000)}2`),
      ];
      await keep(memory, one, "one");
      expect(await memory.read("ann", [one, other])).toEqual(["one", undefined]);
    });
  });
}
