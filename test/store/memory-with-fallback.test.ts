import { beforeEach, describe, expect, it } from "vitest";
import { InProcessMemory, MemoryWithFallback } from "../../src/store/index.ts";
import type { JsonValue, MemoryRecord } from "../../src/turn/index.ts";

const minute = 60_000;

/** A store that can be away. */
class AwayStore extends InProcessMemory {
  isAway = false;

  override async read(owner: string, keys: readonly string[]): Promise<(JsonValue | undefined)[]> {
    if (this.isAway) throw new Error("away");
    return await super.read(owner, keys);
  }

  override async write(owner: string, records: readonly MemoryRecord[]): Promise<void> {
    if (this.isAway) throw new Error("away");
    await super.write(owner, records);
  }
}

describe("memory with a fallback", () => {
  let store: AwayStore;
  let memory: MemoryWithFallback;

  const write = (key: string, value: JsonValue, ttl = minute) => memory.write("ann", [{ key, value, ttl }]);

  beforeEach(async () => {
    store = new AwayStore();
    memory = new MemoryWithFallback(store, new InProcessMemory());
    await write("before", 1);
    store.isAway = true;
    await write("during", 2);
    await write("both", "old");
  });

  it("goes on in the process while the store is away", async () => {
    expect(await memory.read("ann", ["before", "during", "both"])).toEqual([undefined, 2, "old"]);
  });

  it("still has what was written meanwhile when the store is back", async () => {
    store.isAway = false;
    expect(await memory.read("ann", ["before", "during"])).toEqual([1, 2]);
  });

  it("prefers what the store was given after it came back", async () => {
    store.isAway = false;
    await write("both", "new");
    expect(await memory.read("ann", ["both", "during"])).toEqual(["new", 2]);
  });

  it("forgets what is deleted after the store came back", async () => {
    store.isAway = false;
    await write("both", null, 0);
    expect(await memory.read("ann", ["both", "during"])).toEqual([undefined, 2]);
  });
});
