import { describe, expect, it } from "vitest";
import { readPageQuery, writeList } from "../../src/wire/paging.ts";

const list = ["a", "b", "c", "d", "e"].map((id) => ({ id }));

describe("a page of a list", () => {
  it.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=-1", "limit"],
    ["limit=2.5", "limit"],
    ["limit=many", "limit"],
    ["limit=1e1", "limit"],
    ["order=up", "order"],
  ])("cannot be had for %s", (query, param) => {
    expect(() => readPageQuery(new URLSearchParams(query), "asc")).toThrow(
      expect.objectContaining({ status: 400, body: expect.objectContaining({ param }) }),
    );
  });

  it("has 20 entries unless said, and names its first and last", () => {
    expect(readPageQuery(new URLSearchParams(), "desc")).toMatchObject({ limit: 20, order: "desc" });
    expect(writeList(list, true)).toEqual({ object: "list", data: list, first_id: "a", last_id: "e", has_more: true });
    expect(writeList([], false)).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false });
  });
});
