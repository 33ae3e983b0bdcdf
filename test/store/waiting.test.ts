import { beforeEach, describe, expect, it } from "vitest";
import type { OperationName } from "../../src/store/database.ts";
import type { Pending } from "../../src/store/pending.ts";
import { WaitingOperations } from "../../src/store/waiting.ts";

let waiting: WaitingOperations;

beforeEach(() => {
  waiting = new WaitingOperations();
});

function operation(name: OperationName, argument: unknown, size = 10): Pending {
  return { name, argument, size, isSettled: false, resolve() {}, reject() {} };
}

const write = (argument: unknown, size?: number) => waiting.add(operation("keepTurn", argument, size));
const read = (argument: unknown, size?: number) => waiting.add(operation("readContext", argument, size));
const take = () => waiting.take().map(({ argument }) => argument);

describe("operations that wait for a database", () => {
  it("are taken in batches of writes and of reads, the writes first", () => {
    read("r1");
    write("w1");
    read("r2");
    write("w2");
    expect([take(), take(), take()]).toEqual([["w1", "w2"], ["r1", "r2"], []]);
  });

  it("take turns, however many come meanwhile", () => {
    for (let at = 0; at < 40; at++) read(`r${at}`);
    write("w1");
    expect(take()).toEqual(["w1"]);
    write("w2");
    expect(take()).toHaveLength(32);
    write("w3");
    expect(take()).toEqual(["w2", "w3"]);
    write("w4");
    expect(take()).toHaveLength(8);
    expect(take()).toEqual(["w4"]);
  });

  it("see the writes that were queued before them, also if these do not fit into one batch", () => {
    write("w1", 800_000);
    read("r1");
    write("w2", 800_000);
    read("r2");
    expect([take(), take(), take(), take()]).toEqual([["w1"], ["r1"], ["w2"], ["r2"]]);
    write("w3", 800_000);
    write("w4", 800_000);
    read("r3");
    expect([take(), take(), take()]).toEqual([["w3"], ["w4"], ["r3"]]);
  });

  it("are bounded in number and size, but one is always taken", () => {
    for (let at = 0; at < 501; at++) write(at);
    expect(take()).toHaveLength(500);
    expect(take()).toEqual([500]);
    write("large", 64 * 1024 * 1024);
    write("small");
    expect([take(), take()]).toEqual([["large"], ["small"]]);
  });

  it("are put back if they did not run, and stay in their order", () => {
    write("w1");
    read("r1");
    read("r2");
    const writes = waiting.take();
    write("w2");
    waiting.putBack(writes);
    expect(take()).toEqual(["w1", "w2"]);
    waiting.putBack(waiting.take().slice(1));
    read("r3");
    write("w3");
    expect([take(), take()]).toEqual([["w3"], ["r2", "r3"]]);
  });

  it("wait on when everything before them ran", () => {
    write("w1");
    read("r1");
    take();
    waiting.putBack([]);
    write("w2");
    expect([take(), take()]).toEqual([["r1"], ["w2"]]);
  });

  it("are not taken if nobody waits for them any more", () => {
    waiting.add({ ...operation("keepTurn", "w1"), isSettled: true });
    waiting.add({ ...operation("readContext", "r1"), isSettled: true });
    expect(take()).toEqual([]);
    expect(waiting.count).toBe(0);
  });
});
