import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ArgumentOf, Database, OperationName, ResultOf } from "../../src/store/database.ts";
import { SqlStore } from "../../src/store/sql-store.ts";
import { SqliteConnection } from "../../src/store/sqlite-database.ts";
import { exportSqlite } from "../../src/store/sqlite-export.ts";
import { StoreError } from "../../src/store/store.ts";
import { turnRows } from "../../src/store/turn-rows.ts";
import { finished } from "../../src/turn/index.ts";
import { ann, turn } from "./contract/turns.ts";
import { describeStore } from "./store-contract.ts";

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwire-store-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});
const newFile = () => join(folder, `${++files}.db`);

/** Runs each operation by itself. */
class DirectDatabase implements Database {
  readonly queue = 0;
  readonly #file: string;
  readonly #connection: SqliteConnection;

  constructor(file: string, connection: SqliteConnection) {
    this.#file = file;
    this.#connection = connection;
  }

  async run<Name extends OperationName>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>> {
    const [outcome] = this.#connection.runBatch([{ name, argument: structuredClone(argument) }]);
    if (!outcome?.ok) throw outcome?.error;
    return outcome.result as ResultOf<Name>;
  }

  export() {
    return exportSqlite(this.#file);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

function open(file: string): SqlStore {
  const connection = new SqliteConnection(file);
  return new SqlStore(new DirectDatabase(file, connection), {
    kind: "sqlite",
    vacuum: async () => connection.vacuum(),
  });
}

describeStore("a SQLite file", async () => {
  const store = open(newFile());
  return { store, close: () => store.close() };
});

const keep = (id: string, fields = {}) => ({
  name: "keepTurn" as const,
  argument: finished(turnRows(turn(id, id, fields))),
});
const answer = (id: string) => ({ name: "readAnswer" as const, argument: { owner: ann, api: "responses", id } });

describe("a connection to SQLite", () => {
  it("runs the operations of a batch together, and one that fails does not affect the others", () => {
    const connection = new SqliteConnection(":memory:");
    // Fails after it has written rows: the last one has no role.
    const broken = keep("r2");
    const [last] = broken.argument.output;
    Object.assign(last ?? {}, { role: null });
    const outcomes = connection.runBatch([keep("r1"), broken, answer("r1"), keep("r3", { previous: "r1" })]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true, true]);
    expect(outcomes[1]).toMatchObject({ error: { name: "OperationError", failure: "refused" } });
    const read = connection.runBatch([answer("r1"), answer("r2"), answer("r3")]);
    expect(read.map((outcome) => outcome.ok && outcome.result !== null)).toEqual([true, false, true]);
    expect(connection.runBatch([{ name: "stats", argument: { kind: "memory" } }])).toMatchObject([
      { result: { rows: { conversations: 1, responses: 2, messages: 4, items: 4 } } },
    ]);
    connection.close();
  });

  it("finds what was kept when the file is opened again", async () => {
    const file = newFile();
    const first = open(file);
    await first.keep(turn("r1", "one"));
    await first.close();
    const second = open(file);
    expect((await second.answer(ann, "responses", "r1"))?.id).toBe("r1");
    await second.close();
  });

  it("shares a file with others", async () => {
    const file = newFile();
    const stores = [open(file), open(file), open(file)];
    for (let at = 0; at < 30; at++)
      await stores[at % 3]?.keep(turn(`c${at}`, `${at}`, { api: "chat", conversation: "talk" }));
    for (const store of stores)
      expect((await store.context(ann, { conversation: "talk", limit: 100_000 })).history).toHaveLength(60);
    for (const store of stores) await store.close();
  });

  it("deletes a limited size of expired records at a time", () => {
    const connection = new SqliteConnection(":memory:");
    const records = Array.from({ length: 12 }, (_, at) => ({
      key: `k${at}`,
      value: "x".repeat(4_000_000),
      expiresAt: at,
    }));
    connection.runBatch([{ name: "writeRecords", argument: { owner: ann, records, deleted: [] } }]);
    const expire = { name: "expire" as const, argument: { before: 0, now: 1_000 } };
    const stats = { name: "stats" as const, argument: { kind: "memory" } };
    expect(connection.runBatch([expire])).toEqual([{ ok: true, result: true }]);
    expect(connection.runBatch([stats])).toMatchObject([{ result: { rows: { records: 3 } } }]);
    expect(connection.runBatch([expire])).toEqual([{ ok: true, result: false }]);
    expect(connection.runBatch([stats])).toMatchObject([{ result: { rows: { records: 0 } } }]);
    connection.close();
  });

  it("forgets after a day that a process has tried to write", async () => {
    const file = newFile();
    const connection = new SqliteConnection(file);
    const day = 24 * 3_600_000;
    const probe = (id: number, at: number) => ({ name: "probe" as const, argument: { id, at } });
    connection.runBatch([probe(1, 1_000), probe(2, 1_000), probe(2, 3_000)]);
    connection.runBatch([{ name: "expire", argument: { before: 0, now: day + 2_000 } }]);
    connection.close();
    const raw = new Libsql(file);
    expect(raw.prepare("SELECT id, at FROM probes").all()).toEqual([{ id: 2, at: 3_000 }]);
    raw.close();
  });

  it("refuses a file that a newer version has written", () => {
    const file = newFile();
    const newer = new Libsql(file);
    newer.exec("PRAGMA user_version = 1000");
    newer.close();
    expect(() => new SqliteConnection(file)).toThrow(/newer Toolwire \(schema 1000/);
  });

  it("says what is wrong with a file", async () => {
    const file = newFile();
    await writeFile(file, "This is a text, and no database at all.".repeat(100));
    const failureOf = (path: string) => {
      try {
        new SqliteConnection(path).close();
        return undefined;
      } catch (thrown) {
        return thrown instanceof StoreError ? thrown.failure : thrown;
      }
    };
    expect(failureOf(file)).toBe("broken");
    expect(failureOf(join(folder, "missing", "store.db"))).toBe("lost");
  });

  it("writes several hundred turns of different lengths without a statement for each", () => {
    const connection = new SqliteConnection(":memory:");
    const entries = Array.from({ length: 300 }, (_, at) => keep(`r${at}`));
    expect(connection.runBatch(entries).every(({ ok }) => ok)).toBe(true);
    expect(connection.bytes).toBeGreaterThan(300 * 100);
    connection.close();
  });
});
