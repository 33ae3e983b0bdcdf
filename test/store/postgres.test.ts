import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { tableNames } from "../../src/store/operations/tables.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { FlakyProxy } from "./flaky-proxy.ts";
import { createDatabase, findPostgres, type TestDatabase } from "./postgres-server.ts";
import { LogLines } from "./scripted-database.ts";
import { describeStore } from "./store-contract.ts";
import { keptTurn, usageRow } from "./store-samples.ts";

const server = await findPostgres();
const second = 1000;

describe.skipIf(server === undefined)("a database on a server", () => {
  describeStore("Postgres", async () => {
    const database = await createDatabase(server ?? "");
    const store = await openStore({ url: database.url, keep: null, log: new LogLines() });
    // A TRUNCATE would take longer: the server writes new files for it.
    const deletions = tableNames.map((table) => `DELETE FROM toolwire.${table}`).join("; ");
    return {
      store,
      empty: async () => void (await database.query(deletions)),
      close: async () => {
        await store.close();
        await database.drop();
      },
    };
  });
});

describe.skipIf(server === undefined)("Postgres", () => {
  let database: TestDatabase;
  let log: LogLines;
  const opened: Store[] = [];
  const proxies: FlakyProxy[] = [];

  beforeEach(async () => {
    database = await createDatabase(server ?? "");
    log = new LogLines();
  });

  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    for (const proxy of proxies.splice(0)) await proxy.stop();
    await database.drop();
  });

  async function open(url = database.url): Promise<Store> {
    const store = await openStore({ url, keep: null, log });
    opened.push(store);
    return store;
  }

  async function openProxy(): Promise<FlakyProxy> {
    const proxy = new FlakyProxy(database.url);
    await proxy.listen();
    proxies.push(proxy);
    return proxy;
  }

  /** In this database only. The server does not look at the text of a function of its own, so that one gets another name. */
  async function replaceFunction(name: string, definition: string): Promise<void> {
    await database.query(`ALTER FUNCTION pg_catalog.${name} RENAME TO replaced`);
    await database.query(`CREATE FUNCTION pg_catalog.${name} ${definition}`);
  }

  const requestsOf = async (store: Store) => (await store.usage()).reduce((sum, row) => sum + row.requests, 0);

  it("is created by one of several gateways that start at once", async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => open()));
    await Promise.all(stores.map((store) => store.addUsage([usageRow()])));
    for (const store of stores) expect(await requestsOf(store)).toBe(5);
  });

  it("shows every gateway what another one has just written", async () => {
    const [one, other] = [await open(), await open()];
    for (let index = 0; index < 20; index++) {
      await one.write("ann", [{ key: "k", value: index, ttl: 60 * second }]);
      expect(await other.read("ann", ["k"])).toEqual([index]);
    }
  });

  it("refuses a database of a newer version", async () => {
    await open();
    await database.query("UPDATE toolwire.schema_version SET version = 99");
    const error = await open().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: "refused" });
    expect(error).toBeInstanceOf(StoreError);
    expect(String(error)).toMatch(/newer Toolwire \(schema 99; this one knows \d+\)/);
  });

  it("refuses a database that does not exist, without showing a password", async () => {
    const url = new URL(database.url);
    url.pathname = "/toolwire_no_such_database";
    url.password = "secret-word";
    const error = await open(url.href).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: "refused" });
    expect(String(error)).not.toContain("secret-word");
  });

  it("loses none of 500 turns at once", async () => {
    const store = await open();
    const ids = Array.from({ length: 500 }, (_, index) => `resp_${index}`);
    await Promise.all(ids.map((id) => store.keep(keptTurn({ id }))));
    const answers = await Promise.all(ids.map((id) => store.answer("ann", "responses", id)));
    expect(answers.filter((answer) => answer === undefined)).toEqual([]);
    expect(store.queue).toBe(0);
  });

  it("commits the other operations when one fails", async () => {
    const store = await open();
    const bad = store.addUsage([usageRow({ model: "large", requests: Number.MAX_VALUE })]);
    const good = Array.from({ length: 10 }, () => store.addUsage([usageRow()]));
    await expect(bad).rejects.toBeInstanceOf(StoreError);
    await Promise.all(good);
    expect(await requestsOf(store)).toBe(10);
    expect(store.trouble).toBeNull();
  });

  it("goes on when connections are ended under load, and counts everything once", async () => {
    const store = await open();
    let succeeded = 0;
    let isDone = false;
    const load = Array.from({ length: 20 }, async () => {
      for (let index = 0; index < 25; index++) {
        await store.addUsage([usageRow()]).then(
          () => succeeded++,
          () => {},
        );
      }
    });
    const ending = (async () => {
      let ended = 0;
      while (!isDone) ended += await database.endConnections();
      return ended;
    })();
    await Promise.all(load);
    isDone = true;
    expect(await ending).toBeGreaterThan(0);
    await vi.waitFor(() => store.ready(), { timeout: 10 * second });
    const requests = await requestsOf(store);
    expect(succeeded).toBeGreaterThan(0);
    expect(requests).toBeGreaterThanOrEqual(succeeded);
    expect(requests).toBeLessThanOrEqual(500);
  });

  it("counts once what was committed just before the connection was lost", async () => {
    const proxy = await openProxy();
    const store = await open(proxy.url);
    let cuts = 0;
    proxy.decide = (data) => (data.includes("COMMIT") && cuts++ === 0 ? "pass and cut" : "pass");
    await store.addUsage([usageRow()]);
    expect(cuts).toBeGreaterThan(0);
    expect(await requestsOf(store)).toBe(1);
    expect(store.trouble).toBeNull();
  });

  it("repeats what was not committed when the connection was lost", async () => {
    const proxy = await openProxy();
    const store = await open(proxy.url);
    let cuts = 0;
    proxy.decide = (data) => (data.includes("COMMIT") && cuts++ === 0 ? "cut" : "pass");
    await store.addUsage([usageRow()]);
    expect(await requestsOf(store)).toBe(1);
  });

  it("may be away at the start, and is used when it is there", async () => {
    const proxy = await openProxy();
    await proxy.stop();
    proxies.pop();
    const store = await open(proxy.url);
    expect(store.trouble).toBe("lost");
    await expect(store.addUsage([usageRow()])).rejects.toMatchObject({ failure: "lost" });
    await expect(store.ready()).rejects.toMatchObject({ failure: "lost" });
    await proxy.listen();
    proxies.push(proxy);
    await vi.waitFor(() => expect(store.trouble).toBeNull(), { timeout: 10 * second });
    await store.addUsage([usageRow()]);
    expect(await requestsOf(store)).toBe(1);
    expect(log.lines.filter((line) => line.startsWith("error"))).toHaveLength(1);
  });

  it("fails operations when the server does not answer", async () => {
    const proxy = await openProxy();
    const store = await open(proxy.url);
    await store.ready();
    proxy.decide = () => "silence";
    await expect(store.addUsage([usageRow()])).rejects.toMatchObject({ failure: "slow" });
    expect(store.trouble).toBe("slow");
    proxy.decide = () => "pass";
    await vi.waitFor(() => expect(store.trouble).toBeNull(), { timeout: 10 * second });
    expect(await requestsOf(store)).toBe(0);
  });

  it("ends a statement that waits too long for another one", async () => {
    const store = await open();
    await store.addUsage([usageRow()]);
    const { Client } = await import("pg");
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query("BEGIN; LOCK TABLE toolwire.usage IN ACCESS EXCLUSIVE MODE");
    await expect(store.addUsage([usageRow()])).rejects.toMatchObject({ failure: "locked" });
    // Other rows can still be used.
    expect(store.trouble).toBeNull();
    await other.query("ROLLBACK");
    await other.end();
    await store.addUsage([usageRow()]);
    expect(await requestsOf(store)).toBe(2);
  });

  it("is ready for a gateway while another one hangs in its attempt to write", async () => {
    const store = await open();
    await store.ready();
    const { Client } = await import("pg");
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query("BEGIN; INSERT INTO toolwire.probes (id, at) VALUES (1, 1)");
    await store.ready();
    await other.end();
    expect(await database.query("SELECT COUNT(*)::int AS count FROM toolwire.probes")).toEqual([{ count: 1 }]);
  });

  it("creates its tables again if someone has dropped them", async () => {
    const store = await open();
    await database.query("DROP SCHEMA toolwire CASCADE");
    await expect(store.addUsage([usageRow()])).rejects.toMatchObject({ failure: "broken" });
    await vi.waitFor(() => store.addUsage([usageRow()]), { timeout: 10 * second });
    expect(await requestsOf(store)).toBe(1);
  });

  it("does not repeat what may be committed if the server does not know it any more", async () => {
    const proxy = await openProxy();
    const store = await open(proxy.url);
    await replaceFunction("txid_status(bigint)", "RETURNS text LANGUAGE sql AS 'SELECT NULL::text'");
    let cuts = 0;
    proxy.decide = (data) => (data.includes("COMMIT") && cuts++ === 0 ? "pass and cut" : "pass");
    await expect(store.addUsage([usageRow()])).rejects.toMatchObject({ failure: "lost" });
    await vi.waitFor(async () => expect(await requestsOf(store)).toBe(1), { timeout: 10 * second });
  });

  it("keeps no transaction open after an export that was left", async () => {
    const store = await open();
    const transactions = () =>
      database.query(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
      );
    await store.addUsage([usageRow()]);
    for await (const { table } of store.export()) {
      expect(table).toBe("usage");
      expect(await transactions()).toHaveLength(1);
      break;
    }
    await vi.waitFor(async () => expect(await transactions()).toEqual([]));
  });

  it("leaves everything outside its schema alone", async () => {
    await database.query("CREATE TABLE usage (mine TEXT)");
    const store = await open();
    await store.addUsage([usageRow()]);
    expect(await database.query("SELECT * FROM public.usage")).toEqual([]);
  });
});
