import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Worker } from "node:worker_threads";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { newProbe } from "../../src/store/operations/probe.ts";
import { tableNames } from "../../src/store/operations/tables.ts";
import { SqliteWorkerDatabase } from "../../src/store/sqlite-worker-database.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { message } from "./contract/turns.ts";
import { LogLines } from "./scripted-database.ts";
import { describeStore } from "./store-contract.ts";
import { keptTurn, usageRow } from "./store-samples.ts";

const threads: Worker[] = [];

vi.mock("node:worker_threads", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:worker_threads")>();
  class KnownWorker extends original.Worker {
    constructor(...options: ConstructorParameters<typeof Worker>) {
      super(...options);
      threads.push(this);
    }
  }
  return { ...original, Worker: KnownWorker };
});

const second = 1000;
const ttl = 3600 * second;
let folder: string;
let path: string;
let log: LogLines;
const opened: Pick<Store, "close">[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolwire-store-"));
  path = join(folder, "state", "toolwire.db");
  log = new LogLines();
  threads.length = 0;
});

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(url = `sqlite:${path}`): Promise<Store> {
  const store = await openStore({ url, keep: null, log });
  opened.push(store);
  return store;
}

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
const requestsOf = async (store: Store) => (await store.usage()).reduce((sum, row) => sum + row.requests, 0);

async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  // What was read from a weak reference stays until the end of the task.
  await new Promise((resolve) => setTimeout(resolve));
  if (typeof collect === "function") collect();
}

describeStore("SQLite in a thread", async () => {
  const home = mkdtempSync(join(tmpdir(), "toolwire-store-"));
  const file = join(home, "toolwire.db");
  const store = await openStore({ url: `sqlite:${file}`, keep: null, log });
  return {
    store,
    empty: async () => {
      const database = new Database(file);
      database.exec(tableNames.map((table) => `DELETE FROM ${table}`).join("; "));
      database.close();
    },
    close: async () => {
      await store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
});

describe("a SQLite file", () => {
  it("is created with its folder, and nobody else can read it", async () => {
    const store = await open();
    await store.addUsage([usageRow()]);
    expect([path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual(["600", "600", "600"]);
  });

  it("that others can read is narrowed", async () => {
    await (await open()).close();
    opened.pop();
    chmodSync(path, 0o644);
    await open();
    expect(modeOf(path)).toBe("600");
  });

  it("is named relative to a folder", async () => {
    const store = await openStore({ url: "sqlite:here.db", directory: folder, keep: null, log });
    opened.push(store);
    expect(existsSync(join(folder, "here.db"))).toBe(true);
  });

  it("keeps what was written when it is opened again", async () => {
    const store = await open();
    await store.keep(keptTurn({ id: "resp_1" }));
    await store.close();
    opened.pop();
    expect(await (await open()).answer("ann", "responses", "resp_1")).toMatchObject({ id: "resp_1", model: "small" });
  });

  it("is created by one of several stores that are opened at once", async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => open()));
    await Promise.all(stores.map((store) => store.addUsage([usageRow()])));
    for (const store of stores) expect(await requestsOf(store)).toBe(5);
  });

  it("shows every store what another one has just written", async () => {
    const [one, other] = [await open(), await open()];
    for (let index = 0; index < 20; index++) {
      await one.write("ann", [{ key: "k", value: index, ttl }]);
      expect(await other.read("ann", ["k"])).toEqual([index]);
    }
  });

  it("of a newer version is refused", async () => {
    await (await open()).close();
    opened.pop();
    const database = new Database(path);
    database.pragma("user_version = 99");
    database.close();
    const error = await open().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ failure: "refused" });
    expect(String(error)).toMatch(/newer Toolwire \(schema 99; this one knows \d+\)/);
  });

  it("that is no database is refused", async () => {
    writeFileSync(join(folder, "notes.txt"), "These are notes of someone. ".repeat(1000));
    const error = await open(`sqlite:${join(folder, "notes.txt")}`).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: "refused" });
    expect(String(error)).toContain("notes.txt");
  });

  it("in a folder that cannot be is refused", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(open(`sqlite:${join(folder, "file", "toolwire.db")}`)).rejects.toMatchObject({ failure: "refused" });
    await expect(open(`sqlite:${folder}`)).rejects.toMatchObject({ failure: "refused" });
  });

  it.each(["", "sqlite:", "mysql://localhost/x", "toolwire.db"])("is not named by “%s”", async (url) => {
    await expect(open(url)).rejects.toMatchObject({ failure: "refused" });
  });

  it("that was replaced is opened anew, which the log says", async () => {
    const store = await open();
    await store.addUsage([usageRow()]);
    for (const end of ["", "-wal", "-shm"]) renameSync(`${path}${end}`, `${path}.old${end}`);
    await store.addUsage([usageRow({ requests: 7 })]);
    expect(await requestsOf(store)).toBe(7);
    expect(store.trouble).toBeNull();
    expect(log.lines).toEqual([`error: The database file ${path} was removed or replaced; a new one was opened.`]);
    const old = await open(`sqlite:${path}.old`);
    expect(await requestsOf(old)).toBe(1);
  });
});

describe("operations of a SQLite database", () => {
  it("lose none of 500 turns at once", async () => {
    const store = await open();
    const ids = Array.from({ length: 500 }, (_, index) => `resp_${index}`);
    const kept = Promise.all(ids.map((id) => store.keep(keptTurn({ id }))));
    await kept;
    const answers = await Promise.all(ids.map((id) => store.answer("ann", "responses", id)));
    expect(answers.filter((answer) => answer === undefined)).toEqual([]);
    expect(store.queue).toBe(0);
  });

  it("carry turns with very many items", async () => {
    const store = await open();
    const input = Array.from({ length: 5000 }, (_, index) => keptTurn({ id: `${index}` }).input).flat();
    await store.keep(keptTurn({ id: "resp_1", input }));
    const { history } = await store.context("ann", { previous: "resp_1", limit: 10_000_000 });
    expect(history).toHaveLength(5001);
  });

  it("see the writes that were queued before them", async () => {
    const store = await open();
    const [, values] = await Promise.all([
      store.write("ann", [{ key: "k", value: "new", ttl }]),
      store.read("ann", ["k"]),
    ]);
    expect(values).toEqual(["new"]);
  });

  it("that write do not wait for reads with large results", async () => {
    const store = await open();
    const input = Array.from({ length: 200 }, () => message("user", "x".repeat(10_000)));
    await store.keep(keptTurn({ id: "large", input }));
    const database = new SqliteWorkerDatabase({ path, log });
    opened.push(database);
    await database.open();
    const done: string[] = [];
    const read = async () => {
      const window = { direction: "up", from: null, count: input.length } as const;
      const large = await database.run("readInput", { owner: "ann", api: "responses", id: "large", ...window });
      expect(large?.messages).toHaveLength(input.length);
      done.push("read");
    };
    const write = async () => {
      await database.run("probe", newProbe());
      done.push("write");
    };
    const first = read();
    const others = [...Array.from({ length: 9 }, read), write()];
    await first;
    await Promise.all([...others, write()]);
    expect(done.filter((name) => name === "read")).toHaveLength(10);
    // The first write comes before all reads, the second one while some of them wait.
    expect(done[0]).toBe("write");
    expect(done.lastIndexOf("write")).toBeLessThan(5);
  });

  it("are refused at once when too many wait", async () => {
    const database = new SqliteWorkerDatabase({ path, log, limits: { mostOperations: 10, mostCharacters: 100_000 } });
    opened.push(database);
    await database.open();
    const runs = Array.from({ length: 12 }, () => database.run("probe", newProbe()));
    const outcomes = await Promise.allSettled(runs);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array<string>(10).fill("fulfilled"),
      "rejected",
      "rejected",
    ]);
    expect(outcomes.at(-1)).toMatchObject({ reason: { failure: "slow" } });
    await database.run("probe", newProbe());
  });

  it("are forgotten when nobody waits for them any more, also if the thread is stuck", async () => {
    const database = new SqliteWorkerDatabase({ path, log, limits: { patience: 1 } });
    opened.push(database);
    await database.open();
    const stuck = threads.map((thread) => vi.spyOn(thread, "postMessage").mockImplementation(() => {}));
    const outcomes: Promise<unknown>[] = [];
    const run = () => {
      const argument = { id: 1, at: 1 };
      outcomes.push(database.run("probe", argument).catch((error: unknown) => error));
      return new WeakRef(argument);
    };
    run();
    await Promise.resolve();
    const overdue = [run(), run(), run()];
    for (const error of await Promise.all(outcomes)) expect(error).toMatchObject({ failure: "slow" });
    const waiting = run();
    await collectGarbage();
    expect(overdue.map((argument) => argument.deref())).toEqual([undefined, undefined, undefined]);
    expect(waiting.deref()).toEqual({ id: 1, at: 1 });
    expect(database.queue).toBe(1);
    for (const spy of stuck) spy.mockRestore();
  });

  it("fail when the thread ends, which is started again", async () => {
    const store = await open();
    await store.addUsage([usageRow()]);
    const running = Promise.allSettled(Array.from({ length: 20 }, () => store.addUsage([usageRow()])));
    await threads[0]?.terminate();
    const failed = (await running).filter(({ status }) => status === "rejected");
    if (failed.length > 0) expect(failed[0]).toMatchObject({ reason: { failure: "broken" } });
    await vi.waitFor(() => store.ready(), { timeout: 10 * second });
    expect(store.trouble).toBeNull();
    expect(threads).toHaveLength(2);
    expect(await requestsOf(store)).toBeGreaterThanOrEqual(21 - failed.length);
  });

  it("are refused when the store is closed", async () => {
    const store = await open();
    await store.close();
    await expect(store.addUsage([usageRow()])).rejects.toBeInstanceOf(StoreError);
  });
});

describe("an export that was left", () => {
  it("does not hold the file", async () => {
    const store = await open();
    await store.addUsage([usageRow()]);
    const other = new Database(path);
    const checkpoint = () => other.pragma("wal_checkpoint(TRUNCATE)");
    for await (const { table } of store.export()) {
      expect(table).toBe("usage");
      await store.addUsage([usageRow()]);
      expect(checkpoint()).toMatchObject([{ busy: 1 }]);
      break;
    }
    expect(checkpoint()).toMatchObject([{ busy: 0 }]);
    other.close();
  });
});

describe("another process that locks the file", () => {
  it("makes writes fail, but not reads, until it lets go", async () => {
    const store = await open();
    await store.addUsage([usageRow()]);
    const holder = spawn(process.execPath, [fileURLToPath(new URL("./lock-holder.mjs", import.meta.url)), path], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    await expect(store.addUsage([usageRow()])).rejects.toMatchObject({ failure: "locked" });
    expect(store.trouble).toBe("locked");
    expect(await requestsOf(store)).toBe(1);
    holder.stdin.end();
    await once(holder, "exit");
    await vi.waitFor(() => expect(store.trouble).toBeNull(), { timeout: 10 * second });
    await store.addUsage([usageRow()]);
    expect(await requestsOf(store)).toBe(2);
  });
});
