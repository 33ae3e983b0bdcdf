import { randomBytes } from "node:crypto";
import { join } from "node:path";
import Sqlite from "libsql";
import pg from "pg";

/** A new database on a Postgres server. */
export async function postgresDatabase(server) {
  const name = `toolwire_bench_${randomBytes(6).toString("hex")}`;
  await query(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    /** The server checks what it reads. */
    check: async () => [],
    remove: () => query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function query(url, text) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** A new SQLite file. */
export function sqliteDatabase(folder, number) {
  const path = join(folder, `store-${number}.db`);
  return {
    url: `sqlite:${path}`,
    async check() {
      const database = new Sqlite(path, { readonly: true });
      try {
        const rows = database.prepare("PRAGMA integrity_check").all();
        return rows.map((row) => row.integrity_check).filter((text) => text !== "ok");
      } finally {
        database.close();
      }
    },
    remove: async () => {},
  };
}
