import { randomBytes } from "node:crypto";
import { Client, type QueryResultRow } from "pg";

const localServer = "postgres://root@127.0.0.1:5432/test";

/** The address of a server for tests: `TEST_POSTGRES_URL`, or one on this machine if it answers. */
export async function findPostgres(): Promise<string | undefined> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given !== undefined && given !== "") return given;
  const client = new Client({ connectionString: localServer, connectionTimeoutMillis: 1000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return localServer;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => {});
  }
}

export interface TestDatabase {
  url: string;
  /** Runs a statement on a connection of its own. */
  query<Row extends QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Ends all other connections and returns how many there were. */
  endConnections(): Promise<number>;
  drop(): Promise<void>;
}

/** A new, empty database. */
export async function createDatabase(server: string): Promise<TestDatabase> {
  const name = `toolwire_test_${randomBytes(6).toString("hex")}`;
  const address = new URL(server);
  address.pathname = `/${name}`;
  const url = address.href;
  await queryOnce(server, `CREATE DATABASE ${name}`);
  const others =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()";
  return {
    url,
    query: (sql, values) => queryOnce(url, sql, values),
    endConnections: async () => (await queryOnce(server, others, [name])).length,
    drop: async () => {
      await queryOnce(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function queryOnce<Row extends QueryResultRow>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
