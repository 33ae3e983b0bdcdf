import { describe, expect, it } from "vitest";
import { InProcessMemory } from "../../src/store/index.ts";
import { turnsDuring } from "../support/time-growth.ts";
import { describeMemory } from "./memory-contract.ts";

describeMemory("in the process", () => new InProcessMemory());

const minute = 60_000;
const record = (key: string, bytes: number) => ({ key, value: "x".repeat(bytes), ttl: minute });

describe("memory in the process", () => {
  it("has done its work when it returns", async () => {
    const memory = new InProcessMemory();
    const written = memory.write("ann", [{ key: "key", value: 1, ttl: minute }]);
    const read = memory.read("ann", ["key"]);
    expect(await read).toEqual([1]);
    await written;
  });

  it("forgets the least recently used first when it is full", async () => {
    const memory = new InProcessMemory({ mostBytes: 10_000 });
    for (const key of ["a", "b", "c"]) await memory.write("ann", [record(key, 2_500)]);
    await memory.read("ann", ["a"]);
    await memory.write("bob", [record("d", 2_500)]);
    const isKnown = (await memory.read("ann", ["a", "b", "c"])).map((value) => value !== undefined);
    expect(isKnown).toEqual([true, false, true]);
  });

  it("takes from the owner that has most when it is full, so that nobody displaces the records of others", async () => {
    const memory = new InProcessMemory({ mostBytes: 100_000 });
    await memory.write("ann", [record("a", 10_000)]);
    for (let at = 0; at < 100; at++) await memory.write("bob", [record(`b${at}`, 10_000)]);
    expect(await memory.read("ann", ["a"])).toEqual(["x".repeat(10_000)]);
    const kept = await memory.read(
      "bob",
      Array.from({ length: 100 }, (_, at) => `b${at}`),
    );
    expect(kept.map((value) => value !== undefined).lastIndexOf(false)).toBeLessThan(99);
    expect(kept.filter((value) => value !== undefined)).toHaveLength(8);
  });

  it("gives the event loop back while many keys are read, though none is known", async () => {
    const memory = new InProcessMemory();
    const keys = Array.from({ length: 20_000 }, (_, at) => `key_${at}`);
    expect(await turnsDuring(() => memory.read("ann", keys))).toBeGreaterThan(3);
  });

  it("keeps no record that is too large, and none of the older one in its place", async () => {
    const memory = new InProcessMemory();
    await memory.write("ann", [record("key", 1_000_000)]);
    expect(await memory.read("ann", ["key"])).toEqual(["x".repeat(1_000_000)]);
    await memory.write("ann", [record("key", 1_100_000)]);
    expect(await memory.read("ann", ["key"])).toEqual([undefined]);
  });

  it("counts two bytes a character where a text needs them", async () => {
    const memory = new InProcessMemory({ mostOfOne: 10_000 });
    await memory.write("ann", [
      { key: "narrow", value: "é".repeat(6_000), ttl: minute },
      { key: "wide", value: "見".repeat(6_000), ttl: minute },
    ]);
    const isKnown = (await memory.read("ann", ["narrow", "wide"])).map((value) => value !== undefined);
    expect(isKnown).toEqual([true, false]);
  });
});
