import { describe, expect, it } from "vitest";
import { isConflict, isConnectionLoss, OperationError, toStoreError } from "../../src/store/failures.ts";
import { StoreError } from "../../src/store/store.ts";

const withCode = (code: string, message = "message") => Object.assign(new Error(message), { code });

describe("what a database reports", () => {
  it.each([
    ["SQLITE_BUSY", "locked"],
    ["SQLITE_BUSY_SNAPSHOT", "locked"],
    ["SQLITE_LOCKED", "locked"],
    ["SQLITE_FULL", "full"],
    ["SQLITE_IOERR_READ", "lost"],
    ["SQLITE_IOERR_WRITE", "full"],
    ["SQLITE_CANTOPEN", "lost"],
    ["SQLITE_CORRUPT", "broken"],
    ["SQLITE_NOTADB", "broken"],
    ["SQLITE_READONLY", "refused"],
    ["ENOSPC", "full"],
    ["EACCES", "refused"],
    ["ECONNREFUSED", "lost"],
    ["ECONNRESET", "lost"],
    ["ENOTFOUND", "lost"],
    ["ETIMEDOUT", "slow"],
    ["EPIPE", "lost"],
    ["53100", "full"],
    ["53300", "lost"],
    ["57014", "slow"],
    ["57P01", "lost"],
    ["08006", "lost"],
    ["28P01", "refused"],
    ["3D000", "refused"],
    ["25006", "refused"],
    ["XX001", "broken"],
  ])("%s is the failure %s of the database", (code, failure) => {
    const error = toStoreError(withCode(code), "NAME");
    expect(error).toBeInstanceOf(StoreError);
    expect(error).not.toBeInstanceOf(OperationError);
    expect(error.failure).toBe(failure);
    expect(error.message).toMatch(/^The database NAME .*\.$/);
    expect(error.message).toContain(code);
  });

  it.each(["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_ERROR", "23505", "55P03", "22021", "42601", "40P01"])(
    "%s is a failure of one operation only",
    (code) => {
      expect(toStoreError(withCode(code), "NAME")).toBeInstanceOf(OperationError);
    },
  );

  it.each([
    ["Connection terminated unexpectedly", "lost"],
    ["Client has encountered a connection error and is not queryable", "lost"],
    ["Query read timeout", "slow"],
    ["timeout exceeded when trying to connect", "slow"],
  ])("“%s”, which has no code, is the failure %s", (message, failure) => {
    const error = new Error(message);
    expect(toStoreError(error, "NAME").failure).toBe(failure);
    expect(isConnectionLoss(error)).toBe(true);
  });

  it("stays what it is if it is understood already", () => {
    const error = new StoreError("full", "no space");
    expect(toStoreError(error, "NAME")).toBe(error);
    expect(isConnectionLoss(error)).toBe(false);
  });

  it("tells conflicts from lost connections", () => {
    expect(isConflict(withCode("40001"))).toBe(true);
    expect(isConnectionLoss(withCode("40001"))).toBe(false);
    expect(isConnectionLoss(withCode("57P01"))).toBe(true);
    expect(isConflict(withCode("57P01"))).toBe(false);
  });
});
