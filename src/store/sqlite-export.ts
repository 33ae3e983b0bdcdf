import { giveLoopBack } from "../turn/index.ts";
import { toStoreError } from "./failures.ts";
import type { ExportedPage } from "./operations/export-pages.ts";
import { SqliteConnection } from "./sqlite-database.ts";
import { prepareSqliteFile } from "./sqlite-file.ts";

/** Reads one state of a file, on a connection of its own: whoever writes to the file need not wait. */
export async function* exportSqlite(path: string): AsyncGenerator<ExportedPage> {
  let connection: SqliteConnection | undefined;
  try {
    prepareSqliteFile(path);
    connection = new SqliteConnection(path);
    for (const page of connection.export()) {
      yield page;
      await giveLoopBack();
    }
  } catch (error) {
    throw toStoreError(error, path);
  } finally {
    connection?.close();
  }
}
