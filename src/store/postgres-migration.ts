import { Client, type ClientConfig } from "pg";
import { newerVersion } from "./failures.ts";
import { latestVersion, migrations } from "./migrations.ts";

/** Any number that no other program uses for an advisory lock in the same database. */
const lock = 7_086_651_900_177;
/** Another gateway may be migrating a large database. */
const patience = 60_000;
const vacuumPatience = 60 * 60_000;

/**
 * Creates the tables or brings them up to date, in one transaction. Of several gateways that start at once, one does it and the
 * others wait for it.
 */
export async function migratePostgres(config: ClientConfig, where: string): Promise<void> {
  await connected(config, patience, async (client) => {
    await client.query(`BEGIN; SET LOCAL statement_timeout TO ${patience}; SET LOCAL search_path TO toolwire`);
    // CREATE SCHEMA IF NOT EXISTS fails if two transactions do it at once, so the lock comes first.
    await client.query("SELECT pg_advisory_xact_lock($1)", [lock]);
    await migrate(client, where);
    await client.query("COMMIT");
  });
}

/** Makes the space of deleted rows usable again, without locking the tables. */
export async function vacuumPostgres(config: ClientConfig): Promise<void> {
  await connected(config, vacuumPatience, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'toolwire'",
    );
    for (const { name } of rows) await client.query(`VACUUM (ANALYZE) ${name}`);
  });
}

async function connected(
  config: ClientConfig,
  timeout: number,
  task: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ ...config, query_timeout: timeout });
  // An error of the connection also fails its queries. Without a listener it would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    await task(client);
  } finally {
    await client.end().catch(() => {});
  }
}

async function migrate(client: Client, where: string): Promise<void> {
  const version = await versionOf(client);
  if (version > latestVersion) throw newerVersion(where, version, latestVersion);
  const missing = migrations.filter((migration) => migration.version > version);
  for (const migration of missing) for (const sql of migration.postgres) await client.query(sql);
  if (missing.length === 0) return;
  await client.query("DELETE FROM schema_version");
  await client.query("INSERT INTO schema_version (version) VALUES ($1)", [latestVersion]);
}

/** The schema is only created if it is missing: this needs a right that the gateway's user may not have. */
async function versionOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ table: string | null; schema: string | null }>(
    "SELECT to_regclass('toolwire.schema_version')::text AS table, to_regnamespace('toolwire')::text AS schema",
  );
  if (rows[0]?.schema == null) await client.query("CREATE SCHEMA toolwire");
  if (rows[0]?.table == null) await client.query("CREATE TABLE schema_version (version INTEGER NOT NULL)");
  const versions = await client.query<{ version: number }>("SELECT version FROM schema_version");
  return versions.rows[0]?.version ?? 0;
}
