import { Client, type ClientConfig } from "pg";
import type { Row } from "./operation.ts";
import { type ExportedPage, exportPages } from "./operations/export-pages.ts";
import { prepareStatement } from "./postgres-statement.ts";

/** Milliseconds of one statement, and between two: whoever reads the pages may be slow, but the server keeps deleted rows for it. */
const timeout = 10 * 60_000;
/** The server ends a statement that takes too long; the connection waits a little longer for this answer. */
const answerDelay = 1000;

const begin = [
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  "SET LOCAL search_path TO toolwire",
  `SET LOCAL statement_timeout TO ${timeout}`,
  `SET LOCAL idle_in_transaction_session_timeout TO ${timeout}`,
].join("; ");

/** Reads one state of the database, on a connection of its own: those of the pool are for operations that somebody waits for. */
export async function* exportPostgres(config: ClientConfig): AsyncGenerator<ExportedPage> {
  const client = new Client({ ...config, query_timeout: timeout + answerDelay });
  // An error of the connection also fails its queries. Without a listener it would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(begin);
    const pages = exportPages();
    for (let step = pages.next(); !step.done; ) {
      const { table, values } = step.value;
      const { rows } = await client.query<Row>({ ...prepareStatement(step.value), values: [...values] });
      yield { table, rows };
      step = pages.next(rows);
    }
  } finally {
    // This also ends the transaction.
    await client.end().catch(() => {});
  }
}
