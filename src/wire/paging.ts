import { type JsonObject, TurnError } from "../turn/index.ts";

export type Order = "asc" | "desc";

export interface PageQuery {
  limit: number;
  order: Order;
  /** The id of an entry: the page begins behind it. */
  after?: string | undefined;
  /** The id of an entry: the page ends before it. */
  before?: string | undefined;
}

const usualLimit = 20;
const highestLimit = 100;

/** Reads the parameters of a list. A parameter without a value counts as absent, because SDKs send some of them so. */
export function readPageQuery(query: URLSearchParams, usualOrder: Order): PageQuery {
  return {
    limit: readLimit(query.get("limit")),
    order: readOrder(query.get("order"), usualOrder),
    after: query.get("after") || undefined,
    before: query.get("before") || undefined,
  };
}

function readLimit(text: string | null): number {
  if (text === null || text === "") return usualLimit;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= highestLimit) return limit;
  throw unsupported("limit", `\`limit\` is "${shown(text)}"; it can be a number from 1 to ${highestLimit}.`);
}

function readOrder(text: string | null, usual: Order): Order {
  if (text === null || text === "") return usual;
  if (text === "asc" || text === "desc") return text;
  throw unsupported("order", `\`order\` is "${shown(text)}"; it can be asc or desc.`);
}

export function unsupported(param: string, message: string): TurnError {
  return new TurnError("unsupported_value", message, { param });
}

/** The error for a cursor that names no entry of the list. */
export function unknownCursor(param: "after" | "before", id: string): TurnError {
  const message = `\`${param}\` is "${shown(id)}", which is not in this list. Use the id of an entry of an earlier page.`;
  return new TurnError("invalid_request", message, { param });
}

/** What a client sent, short enough for a sentence. */
export function shown(text: string): string {
  return text.slice(0, 100);
}

/** A list as both APIs write it. Every entry has an id. */
export function writeList(data: JsonObject[], hasMore: boolean): JsonObject {
  return {
    object: "list",
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}
