import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InputRange, Item } from "../../src/turn/index.ts";
import { type InputList, readPage } from "../../src/wire/input-pages.ts";
import { type PageQuery, readPageQuery } from "../../src/wire/paging.ts";
import { type ListedItem, listedItems } from "../../src/wire/responses/input-items.ts";
import { windowOf } from "../support/kept-answers.ts";

const says = (role: "user" | "assistant", id: string): Item => ({ type: "message", role, id, content: [] });

/** A list of what a model was given, and the ranges that were read of it. */
function listOf(input: Item[]): InputList<ListedItem> & { ranges: InputRange[] } {
  const ranges: InputRange[] = [];
  const at = (item: string) => input.findIndex((each) => each.type === "message" && each.id === item);
  const lastAt = (item: string) => input.findLastIndex((each) => each.type === "message" && each.id === item);
  return {
    ranges,
    read: async (range) => {
      ranges.push(range);
      return windowOf(input, false, range);
    },
    placesOf: async (item) => (at(item) === -1 ? undefined : { first: at(item), last: lastAt(item) }),
    entries: listedItems,
  };
}

async function page(list: InputList<ListedItem>, query: string): Promise<string> {
  const { entries, hasMore } = await readPage(list, readPageQuery(new URLSearchParams(query), "asc"));
  return entries.map(({ id }) => id).join("") + (hasMore ? "…" : "");
}

const roles = { "messages of a user": "user", "one section": "assistant" } as const;

describe.each(Object.entries(roles))("a page of %s", (_, role) => {
  const list = listOf(["a", "b", "c", "d", "e"].map((id) => says(role, id)));

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
    ["limit=3&after=a&before=e", "bcd"],
    ["after=d&before=b", ""],
    ["after=c&before=c", ""],
    ["order=desc&after=e&before=b", "dc"],
    ["order=desc&after=b&before=d", ""],
    ["limit=100&order=&after=&before=", "abcde"],
  ])("for %s is %s", async (query, expected) => {
    expect(await page(list, query)).toBe(expected);
  });

  it.each([
    ["after=z", "after"],
    ["before=z", "before"],
    ["after=a&before=z", "before"],
  ])("cannot be had for %s", async (query, param) => {
    await expect(page(list, query)).rejects.toMatchObject({ status: 400, body: { param } });
  });
});

it("a client that goes on behind the last entry of a page sees everything once, in either order", async () => {
  const roleOf = fc.constantFrom("user", "assistant");
  await fc.assert(
    fc.asyncProperty(fc.array(roleOf), fc.integer({ min: 1, max: 7 }), fc.boolean(), async (roles, limit, isUp) => {
      const list = listOf(roles.map((role, at) => says(role, `${at}`)));
      const query: PageQuery = { limit, order: isUp ? "asc" : "desc" };
      const seen: string[] = [];
      for (let isLast = false; !isLast; ) {
        const { entries, hasMore } = await readPage(list, query);
        expect(entries.length).toBe(Math.min(limit, roles.length - seen.length));
        for (const { id } of entries) seen.push(id);
        query.after = seen.at(-1);
        isLast = !hasMore;
      }
      const all = roles.map((_, at) => `${at}`);
      expect(seen).toEqual(isUp ? all : all.reverse());
    }),
  );
});

it("a client comes to an end where entries have the same id", async () => {
  const list = listOf(["a", "x", "x", "b", "x", "c"].map((id) => says("user", id)));
  for (const [order, last] of [
    ["asc", "c"],
    ["desc", "a"],
  ]) {
    expect(await page(list, `limit=1&after=x&order=${order}`)).toBe(last);
    expect(await page(list, `limit=9&before=x&order=${order}`)).toBe(order === "asc" ? "a" : "c");
  }
});

it("a page of a long list reads only its own part of the list", async () => {
  const list = listOf(Array.from({ length: 10_000 }, (_, at) => says(at % 2 ? "assistant" : "user", `${at}`)));
  expect(await page(list, "limit=2&after=5001")).toBe("50025003…");
  expect(await page(list, "limit=2&before=5001")).toBe("49995000…");
  expect(await page(list, "limit=2&order=desc")).toBe("99999998…");
  expect(list.ranges).toHaveLength(3);
  expect(list.ranges.every(({ count }) => count < 10)).toBe(true);
});
