import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OperationError } from "../../src/store/failures.ts";
import { MonitoredDatabase } from "../../src/store/health.ts";
import { StoreError, type StoreFailure } from "../../src/store/store.ts";
import { LogLines, ScriptedDatabase } from "./scripted-database.ts";

const second = 1000;
let database: ScriptedDatabase;
let log: LogLines;
let monitored: MonitoredDatabase;

beforeEach(() => {
  vi.useFakeTimers();
  database = new ScriptedDatabase();
  log = new LogLines();
  monitored = new MonitoredDatabase(database, { log });
});

afterEach(async () => {
  await monitored.close();
  vi.useRealTimers();
});

const write = () => monitored.run("addUsage", []);
const read = () => monitored.run("keys", null);
const failing = (failure: StoreFailure) => {
  database.answer = (pending) => pending.reject(new StoreError(failure, `It is ${failure}.`));
};
const working = () => {
  database.answer = (pending) => pending.resolve(null);
};

describe("a database that does not work", () => {
  it("says so until it is written again", async () => {
    expect(monitored.trouble).toBeNull();
    failing("lost");
    await expect(write()).rejects.toThrow("It is lost.");
    expect(monitored.trouble).toBe("lost");
    working();
    await vi.advanceTimersByTimeAsync(second);
    expect(monitored.trouble).toBeNull();
    await write();
    expect(log.lines).toEqual(["error: It is lost.", "info: The store works again."]);
  });

  it("is tried once a second, and operations fail at once without reaching it", async () => {
    failing("slow");
    await expect(write()).rejects.toThrow();
    for (let index = 0; index < 10; index++) {
      await expect(write()).rejects.toThrow("It is slow.");
      await expect(read()).rejects.toThrow("It is slow.");
    }
    expect(database.names).toEqual(["addUsage"]);
    await vi.advanceTimersByTimeAsync(3 * second);
    expect(database.names).toEqual(["addUsage", "probe", "probe", "probe"]);
    await expect(write()).rejects.toThrow("It is slow.");
  });

  it("does not let operations wait while it is tried", async () => {
    failing("lost");
    await expect(write()).rejects.toThrow();
    database.answer = () => {};
    await vi.advanceTimersByTimeAsync(second);
    expect(monitored.queue).toBe(1);
    await expect(write()).rejects.toThrow("It is lost.");
    expect(monitored.queue).toBe(1);
  });

  it.each<StoreFailure>(["full", "locked", "refused"])(
    "is still read if it is %s, which ends with a write",
    async (failure) => {
      failing(failure);
      await expect(write()).rejects.toThrow();
      working();
      await read();
      expect(monitored.trouble).toBe(failure);
      await expect(write()).rejects.toThrow();
      await vi.advanceTimersByTimeAsync(second);
      expect(monitored.trouble).toBeNull();
    },
  );

  it("works if only one operation is to blame", async () => {
    database.answer = (pending) => pending.reject(new OperationError("refused", "No."));
    await expect(write()).rejects.toThrow("No.");
    expect(monitored.trouble).toBeNull();
    expect(log.lines).toEqual([]);
  });

  it("works if it only takes too long to count everything, for which nobody waits longer than about 10 s", async () => {
    database.answer = () => {};
    const stats = monitored.run("stats", { kind: "postgres" });
    const outcome = expect(stats).rejects.toMatchObject({ failure: "slow" });
    await vi.advanceTimersByTimeAsync(9_900);
    expect(monitored.queue).toBe(1);
    await vi.advanceTimersByTimeAsync(700);
    await outcome;
    expect(monitored.queue).toBe(0);
    expect(monitored.trouble).toBeNull();
  });

  it("works if it answers some operations while others wait for too long", async () => {
    database.answer = (pending) => {
      if (pending.name !== "keys") pending.resolve(null);
    };
    const outcome = expect(read()).rejects.toMatchObject({ failure: "slow" });
    await vi.advanceTimersByTimeAsync(4 * second);
    await write();
    await vi.advanceTimersByTimeAsync(2 * second);
    await outcome;
    expect(monitored.trouble).toBeNull();
  });

  it("is in trouble if it answers nothing for too long", async () => {
    await write();
    database.answer = () => {};
    await vi.advanceTimersByTimeAsync(second);
    const outcome = expect(read()).rejects.toMatchObject({ failure: "slow" });
    await vi.advanceTimersByTimeAsync(6 * second);
    await outcome;
    expect(monitored.trouble).toBe("slow");
  });

  it("may be known from the beginning", async () => {
    monitored = new MonitoredDatabase(database, { log, trouble: new StoreError("lost", "Away.") });
    await expect(write()).rejects.toThrow("Away.");
    await vi.advanceTimersByTimeAsync(second);
    expect(monitored.trouble).toBeNull();
  });
});

describe("readiness", () => {
  it("is proved by a write, which requests at the same time share", async () => {
    await Promise.all([monitored.ready(), monitored.ready()]);
    expect(database.names).toEqual(["probe"]);
    await monitored.ready();
    expect(database.names).toEqual(["probe", "probe"]);
  });

  it("is not proved by a read", async () => {
    await read();
    failing("full");
    await expect(monitored.ready()).rejects.toMatchObject({ failure: "full" });
  });

  it("ends with a failure", async () => {
    await monitored.ready();
    failing("lost");
    await expect(read()).rejects.toThrow();
    await expect(monitored.ready()).rejects.toMatchObject({ failure: "lost" });
  });

  it("is tried for whoever needs it, and found as soon as the database is back", async () => {
    failing("lost");
    await expect(write()).rejects.toThrow();
    await expect(monitored.ready()).rejects.toThrow("It is lost.");
    working();
    await monitored.ready();
    expect(monitored.trouble).toBeNull();
    await write();
  });
});
