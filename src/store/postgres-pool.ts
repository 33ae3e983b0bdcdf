import { Pool, type PoolConfig } from "pg";
import type { Log } from "../turn/index.ts";
import { rowTypes } from "./postgres-statement.ts";

export const mostConnections = 10;
/** In milliseconds. */
const connectTimeout = 2000;
const statementTimeout = 2000;
/** Less than that of a statement: to wait for another transaction says nothing about the server. */
const lockTimeout = 1500;
/** The server ends a statement that takes too long; this is for a server that does not answer at all. */
const answerTimeout = 3000;
const idleTransactionTimeout = 10_000;
/** In seconds. After a failover an old connection may lead to a server that nothing else uses. */
const lifetime = 3600;

/** They are set by a query, because a connection pooler in front of the server may not know them as options of a connection. */
const sessionSettings = [
  "SET search_path TO toolwire",
  // The server may have another default, under which transactions fail that need not.
  "SET default_transaction_isolation TO 'read committed'",
  `SET statement_timeout TO ${statementTimeout}`,
  `SET lock_timeout TO ${lockTimeout}`,
  `SET idle_in_transaction_session_timeout TO ${idleTransactionTimeout}`,
].join("; ");

export function connectionConfig(url: string): PoolConfig {
  return {
    connectionString: url,
    application_name: "toolwire",
    connectionTimeoutMillis: connectTimeout,
    query_timeout: answerTimeout,
    keepAlive: true,
    types: rowTypes,
  };
}

/** Connections that send queries without waiting for the results of earlier ones. They do not keep the process alive. */
export function createPool(config: PoolConfig, log: Log): Pool {
  const pool = new Pool({
    ...config,
    max: mostConnections,
    maxLifetimeSeconds: lifetime,
    allowExitOnIdle: true,
    pipeline: true,
    onConnect: async (client) => {
      // An error of a connection also fails its queries. Without a listener it would end the process.
      client.on("error", (error) => log.debug({ err: error }, "A connection to the database was lost."));
      await client.query(sessionSettings);
    },
  });
  pool.on("error", (error) => log.debug({ err: error }, "An idle connection to the database was lost."));
  return pool;
}

/** The address of a server without user, password and options. */
export function nameOfServer(url: string): string {
  if (!URL.canParse(url)) return "(Postgres)";
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
