import { describe, expect, it } from "vitest";
import { pageOf, readPageQuery, writeList } from "../../src/wire/paging.ts";

const list = ["a", "b", "c", "d", "e"].map((id) => ({ id }));

function page(query: string): string {
  const { entries, hasMore } = pageOf(list, readPageQuery(new URLSearchParams(query), "asc"), ({ id }) => id);
  return entries.map(({ id }) => id).join("") + (hasMore ? "…" : "");
}

describe("a page of a list", () => {
  it.each([
    ["", "abcde"],
    ["order=desc", "edcba"],
    ["limit=2", "ab…"],
    ["limit=2&after=b", "cd…"],
    ["limit=2&after=d", "e"],
    ["limit=3&after=b", "cde"],
    ["after=e", ""],
    ["order=desc&limit=2", "ed…"],
    ["order=desc&limit=2&after=d", "cb…"],
    ["order=desc&after=b", "a"],
    ["limit=2&before=d", "bc…"],
    ["limit=2&before=c", "ab"],
    ["before=a", ""],
    ["order=desc&limit=1&before=c", "d…"],
    ["after=a&before=e", "bcd"],
    ["limit=2&after=a&before=e", "bc…"],
    ["after=d&before=b", ""],
    ["limit=100&order=&after=&before=", "abcde"],
  ])("for %s is %s", (query, expected) => {
    expect(page(query)).toBe(expected);
  });

  it.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=-1", "limit"],
    ["limit=2.5", "limit"],
    ["limit=many", "limit"],
    ["limit=1e1", "limit"],
    ["order=up", "order"],
    ["after=z", "after"],
    ["before=z", "before"],
  ])("cannot be had for %s", (query, param) => {
    expect(() => page(query)).toThrow(
      expect.objectContaining({ status: 400, body: expect.objectContaining({ param }) }),
    );
  });

  it("has 20 entries unless said, and names its first and last", () => {
    expect(readPageQuery(new URLSearchParams(), "desc")).toMatchObject({ limit: 20, order: "desc" });
    expect(writeList(list, true)).toEqual({ object: "list", data: list, first_id: "a", last_id: "e", has_more: true });
    expect(writeList([], false)).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false });
  });
});
