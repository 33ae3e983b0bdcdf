import { StoreError, type StoreFailure } from "./store.ts";

/** A failure of one operation, which says nothing about whether the database works for others. */
export class OperationError extends StoreError {
  constructor(failure: StoreFailure, message: string, cause?: unknown) {
    super(failure, message, cause);
    this.name = "OperationError";
  }
}

/** By SQLite's code, or by its first word: `SQLITE_IOERR_READ` is `IOERR`. A quota is an `IOERR_WRITE`, and the file can still be read. */
const sqliteFailures = new Map<string, StoreFailure>([
  ["BUSY", "locked"],
  ["LOCKED", "locked"],
  ["PROTOCOL", "locked"],
  ["FULL", "full"],
  ["IOERR_WRITE", "full"],
  ["IOERR", "lost"],
  ["CANTOPEN", "lost"],
  ["NOLFS", "full"],
  ["INTERRUPT", "slow"],
  ["NOMEM", "slow"],
  ["CORRUPT", "broken"],
  ["NOTADB", "broken"],
  ["READONLY", "refused"],
  ["PERM", "refused"],
  ["AUTH", "refused"],
]);

/** By SQLSTATE, or by its class of two characters. */
const postgresFailures = new Map<string, StoreFailure>([
  ["08", "lost"],
  ["57P", "lost"],
  ["57014", "slow"],
  ["25P03", "slow"],
  ["25P04", "slow"],
  ["53100", "full"],
  ["53", "lost"],
  ["25006", "refused"],
  ["28", "refused"],
  ["3D000", "refused"],
  ["42501", "refused"],
  ["42P01", "broken"],
  ["3F000", "broken"],
  ["58", "broken"],
  ["XX", "broken"],
]);

/** By the code of Node's own errors. */
const systemFailures = new Map<string, StoreFailure>([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EFBIG", "full"],
  ["EACCES", "refused"],
  ["EPERM", "refused"],
  ["EROFS", "refused"],
  ["EISDIR", "refused"],
  ["ENOTDIR", "refused"],
  ["ETIMEDOUT", "slow"],
]);

/** What is wrong with a database, as the end of a sentence. */
export const sentences: Readonly<Record<StoreFailure, string>> = {
  lost: "cannot be reached",
  slow: "did not answer in time",
  full: "has no space left",
  locked: "is locked by another process",
  refused: "denied access",
  broken: "is damaged or incomplete",
};

/** What goes on until a person does something about it. */
const remedies: Partial<Readonly<Record<StoreFailure, string>>> = {
  full: ": make room on its disk",
  refused: ": check its permissions and store.url",
  broken: ": restore it from a backup, or choose another store.url",
};

/** What a database reported, as a `StoreError`. `where` names the database as its operator knows it, without secrets. */
export function toStoreError(error: unknown, where: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = reasonOf(error);
  if (codeOf(error) === rowLocked)
    return new OperationError("locked", `Another transaction holds rows of the database ${where} (${reason}).`, error);
  const failure = failureOf(error);
  if (failure) {
    const message = `The database ${where} ${sentences[failure]} (${reason})${remedies[failure] ?? ""}.`;
    return new StoreError(failure, message, error);
  }
  return new OperationError("refused", `The database ${where} refused an operation (${reason}).`, error);
}

/** Whether the connection to the server is gone or cannot be trusted any more. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof StoreError) return false;
  const code = codeOf(error);
  if (!sqlState.test(code)) return true;
  return code.startsWith("08") || code.startsWith("57P") || code === "25P03" || code === "25P04" || code === "25006";
}

/** Whether another run may succeed: a deadlock, a serialization failure, or a row that another transaction has just inserted. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === "40001" || code === "40P01" || code === "23505";
}

/** Whether the tables are not there, for example because someone has dropped them. */
export function isSchemaMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === "42P01" || code === "3F000";
}

/** A transaction of Postgres has waited too long for another one. */
const rowLocked = "55P03";
/** Five characters with a digit among them, which Node's own codes do not have. */
const sqlState = /^(?=[A-Z]*[0-9])[0-9A-Z]{5}$/;
const sqliteCode = /^SQLITE_(([A-Z]+)\w*)/;

/** `undefined`: only the operation is to blame. */
function failureOf(error: unknown): StoreFailure | undefined {
  const code = codeOf(error);
  const sqlite = sqliteCode.exec(code);
  if (sqlite) return sqliteFailures.get(sqlite[1] ?? "") ?? sqliteFailures.get(sqlite[2] ?? "");
  const system = systemFailures.get(code);
  if (system) return system;
  if (sqlState.test(code)) return ofSqlState(code);
  if (code !== "") return "lost";
  return ofMessage(error instanceof Error ? error.message : "");
}

function ofSqlState(code: string): StoreFailure | undefined {
  if (code === "40001" || code === "40P01") return undefined;
  return postgresFailures.get(code) ?? postgresFailures.get(code.slice(0, 3)) ?? postgresFailures.get(code.slice(0, 2));
}

/** Both drivers have errors without a code. */
function ofMessage(message: string): StoreFailure | undefined {
  if (/time-?out|timed out/i.test(message)) return "slow";
  if (/connection|not queryable|socket|server/i.test(message)) return "lost";
  return undefined;
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  const text = code === "" || message.includes(code) ? message : `${code}: ${message}`;
  return text.slice(0, 300);
}

/** The database belongs to a newer program, which may keep things that this one would destroy. */
export function newerVersion(where: string, version: number, known: number): StoreError {
  return new StoreError(
    "refused",
    `The database ${where} was written by a newer Toolwire (schema ${version}; this one knows ${known}). Update Toolwire, or choose another store.url.`,
  );
}
