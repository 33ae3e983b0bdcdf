import { StoreError, type StoreFailure } from "./store.ts";

/** Beginnings of the codes of SQLite. */
const failures: readonly (readonly [code: string, failure: StoreFailure, remedy: string])[] = [
  ["SQLITE_BUSY", "locked", "Another process holds a lock on the database."],
  ["SQLITE_LOCKED", "locked", "Another process holds a lock on the database."],
  ["SQLITE_FULL", "full", "The disk is full."],
  ["SQLITE_NOMEM", "full", "There is not enough memory."],
  ["SQLITE_TOOBIG", "full", "A value is too large for the database."],
  ["SQLITE_CANTOPEN", "lost", "The database file cannot be opened. Check its path and its permissions."],
  ["SQLITE_IOERR", "lost", "The database file cannot be read or written."],
  ["SQLITE_READONLY", "refused", "The database file or its folder is read-only."],
  ["SQLITE_PERM", "refused", "The database file cannot be accessed. Check its permissions."],
  ["SQLITE_NOTADB", "broken", "The file is not a database. Choose another path."],
  ["SQLITE_CORRUPT", "broken", "The database file is damaged. Restore it from a backup."],
];

/** An error of SQLite as one of the store. */
export function storeErrorOf(thrown: unknown): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  const known = failures.find(([beginning]) => code.startsWith(beginning));
  if (!known) return new StoreError("broken", `The database failed: ${words}`, thrown);
  const [, failure, remedy] = known;
  return new StoreError(failure, `${remedy} (${code}: ${words})`, thrown);
}

/** The driver reports without a code that it cannot open a file. */
export function openingErrorOf(thrown: unknown): StoreError {
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  const remedy = "The database file cannot be opened. Check its path and its permissions.";
  return new StoreError("lost", `${remedy} (${words})`, thrown);
}
