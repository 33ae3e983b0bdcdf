import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OperationError } from "../../src/store/failures.ts";
import { MonitoredDatabase } from "../../src/store/health.ts";
import { StoreError, type StoreFailure } from "../../src/store/store.ts";
import { LogLines, ScriptedDatabase } from "./scripted-database.ts";

let now = 0;
let database: ScriptedDatabase;
let log: LogLines;
let monitored: MonitoredDatabase;

beforeEach(() => {
  vi.useFakeTimers();
  now = 0;
  database = new ScriptedDatabase();
  log = new LogLines();
  monitored = new MonitoredDatabase(database, { log, now: () => now });
});

afterEach(async () => {
  await monitored.close();
  vi.useRealTimers();
});

const write = () => monitored.run("probe", { at: 1 });
const read = () => monitored.run("keys", null);
const failing = (failure: StoreFailure) => {
  database.answer = (pending) => pending.reject(new StoreError(failure, `It is ${failure}.`));
};
const working = () => {
  database.answer = (pending) => pending.resolve(null);
};

describe("a database that does not work", () => {
  it("says so until something succeeds", async () => {
    expect(monitored.trouble).toBeNull();
    failing("lost");
    await expect(write()).rejects.toThrow("It is lost.");
    expect(monitored.trouble).toBe("It is lost.");
    working();
    await write();
    expect(monitored.trouble).toBeNull();
    expect(log.lines).toEqual(["error: It is lost.", "info: The store works again."]);
  });

  it("is tried once a second, and other operations fail at once", async () => {
    failing("slow");
    await expect(write()).rejects.toThrow();
    await expect(write()).rejects.toThrow();
    expect(database.names).toHaveLength(2);
    for (let index = 0; index < 10; index++) await expect(write()).rejects.toThrow("It is slow.");
    expect(database.names).toHaveLength(2);
    now += 1000;
    working();
    await write();
    await write();
    expect(database.names).toHaveLength(4);
  });

  it("is tried by one operation at a time", async () => {
    failing("lost");
    await expect(write()).rejects.toThrow();
    let settle = () => {};
    database.answer = (pending) => {
      settle = () => pending.resolve(null);
    };
    const first = write();
    await expect(write()).rejects.toThrow("It is lost.");
    settle();
    await first;
    expect(monitored.trouble).toBeNull();
  });

  it("is not tried by an operation that may take long, so that the others need not wait for it", async () => {
    failing("lost");
    await expect(write()).rejects.toThrow();
    database.answer = (pending) => {
      if (pending.name !== "stats") pending.resolve(null);
    };
    await expect(monitored.run("stats", { kind: "postgres" })).rejects.toThrow("It is lost.");
    await expect(monitored.run("importRows", [])).rejects.toThrow("It is lost.");
    await write();
    expect(monitored.trouble).toBeNull();
    expect(database.names).toEqual(["probe", "probe"]);
  });

  it("is tried without requests, too", async () => {
    failing("lost");
    await expect(write()).rejects.toThrow();
    await vi.advanceTimersByTimeAsync(1000);
    now += 1000;
    await vi.advanceTimersByTimeAsync(1000);
    expect(monitored.trouble).toBe("It is lost.");
    working();
    now += 1000;
    await vi.advanceTimersByTimeAsync(1000);
    expect(monitored.trouble).toBeNull();
  });

  it.each<StoreFailure>(["full", "locked"])("is still read if it is %s, which ends with a write", async (failure) => {
    failing(failure);
    await expect(write()).rejects.toThrow();
    await expect(write()).rejects.toThrow();
    working();
    await read();
    await read();
    expect(monitored.trouble).toBe(`It is ${failure}.`);
    await expect(write()).rejects.toThrow();
    now += 1000;
    await write();
    expect(monitored.trouble).toBeNull();
  });

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

  it("may be known from the beginning", async () => {
    monitored = new MonitoredDatabase(database, { log, trouble: new StoreError("lost", "Away."), now: () => now });
    expect(monitored.trouble).toBe("Away.");
    await write();
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
});
