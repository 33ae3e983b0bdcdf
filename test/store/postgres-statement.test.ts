import { describe, expect, it } from "vitest";
import { prepareStatement } from "../../src/store/postgres-statement.ts";

const ofList = (length: number) => ({
  sql: `SELECT ${Array(length).fill("?").join(", ")}`,
  values: Array<number>(length).fill(1),
});

describe("a statement for Postgres", () => {
  it("has numbered parameters", () => {
    expect(prepareStatement({ sql: "SELECT ?, ?", values: [1, 2] }).text).toBe("SELECT $1, $2");
  });

  it("has a name, always the same, so that the server parses it once", () => {
    const statement = prepareStatement(ofList(3));
    expect(statement.name).toMatch(/^toolwire_/);
    expect(prepareStatement(ofList(3))).toEqual(statement);
    expect(prepareStatement(ofList(4)).name).not.toBe(statement.name);
  });

  it("has no name if it has a long list, and leaves the names to the others", () => {
    for (let length = 51; length < 1_000; length++) expect(prepareStatement(ofList(length)).name).toBeUndefined();
    expect(prepareStatement(ofList(5)).name).toBeDefined();
  });
});
