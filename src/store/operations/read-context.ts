import type { RepeatMark, UpstreamBase } from "../../turn/index.ts";
import type { Operation, OperationDefinition } from "../operation.ts";
import { placeOfId } from "../placed-ids.ts";
import { findHistory, type History, type ReadMessages, readHistory, readPlaces } from "./history.ts";
import { lastResponse } from "./repeats.ts";
import { numberOf, sql, textOf } from "./statements.ts";

export interface ContextRequest {
  owner: string;
  previous: string | null;
  name: string | null;
  repeat: RepeatMark | null;
  items: readonly string[];
  limit: number;
  /** When the request came in. */
  at: number;
}

export interface ReadContext {
  isTooLarge: boolean;
  /** In characters. */
  size: number;
  /** `null` if the owner has no such response. */
  history: ReadMessages | null;
  base: UpstreamBase | null;
  /** The messages with the items that were asked for. */
  items: ReadMessages;
}

export const readContext: OperationDefinition<ContextRequest, ReadContext> = { writes: false, run: read };

function* read(request: ContextRequest): Operation<ReadContext> {
  const items: ReadMessages = { messages: [], contents: [] };
  const history = yield* historyOf(request);
  const places = yield* findItems(request.owner, request.items);
  const size = places.reduce((sum, place) => sum + place.size, history?.size ?? 0);
  if (size > request.limit) return { isTooLarge: true, size, history: null, base: null, items };
  yield* readPlaces(items, places);
  if (history) return { isTooLarge: false, size, history: yield* readHistory(history), base: history.base, items };
  const isMissing = request.previous !== null;
  return { isTooLarge: false, size, history: isMissing ? null : { messages: [], contents: [] }, base: null, items };
}

function* historyOf(request: ContextRequest): Operation<History | undefined> {
  const { owner, previous: id, name } = request;
  if (id !== null) return yield* findHistory(owner, { by: "response", id, api: null, until: "end_position" });
  return name === null ? undefined : yield* namedHistory(request, name);
}

function* namedHistory({ owner, repeat, at }: ContextRequest, name: string): Operation<History | undefined> {
  const [row] = yield* sql("SELECT id, length FROM conversations WHERE owner = ? AND name = ?", [owner, name]);
  if (!row) return undefined;
  const id = textOf(row, "id");
  const last = repeat ? yield* lastResponse(owner, id, repeat, at) : undefined;
  const until = last?.isRepeated ? last.start : numberOf(row, "length");
  return yield* findHistory(owner, { by: "conversation", id, until });
}

interface ItemPlace {
  conversation: string;
  position: number;
  size: number;
}

const itemsAtOnce = 256;

/** Where items are stored. Ids may occur several times; the newest counts. */
function* findItems(owner: string, ids: readonly string[]): Operation<ItemPlace[]> {
  const places = new Map<string, ItemPlace>();
  for (let at = 0; at < ids.length; at += itemsAtOnce) {
    const some = ids.slice(at, at + itemsAtOnce);
    const rows = yield* sql(
      `WITH wanted (id) AS (VALUES ${some.map(() => "(?)").join(", ")})
      SELECT i.conversation, i.position, m.size FROM wanted CROSS JOIN items i CROSS JOIN messages m
      WHERE i.owner = ? AND i.id = wanted.id
        AND i.created_at = (SELECT MAX(n.created_at) FROM items n WHERE n.owner = ? AND n.id = wanted.id)
        AND m.conversation = i.conversation AND m.position = i.position`,
      [...some, owner, owner],
    );
    for (const row of rows) {
      const place = { conversation: textOf(row, "conversation"), position: numberOf(row, "position") };
      places.set(`${place.position} ${place.conversation}`, { ...place, size: numberOf(row, "size") });
    }
  }
  for (const id of ids) {
    const placed = placeOfId(id);
    if (!placed) continue;
    const { conversation, position } = placed;
    const [row] = yield* sql(
      `SELECT m.size FROM conversations c CROSS JOIN messages m
      WHERE c.id = ? AND c.owner = ? AND m.conversation = c.id AND m.position = ?`,
      [conversation, owner, position],
    );
    if (row) places.set(`${position} ${conversation}`, { conversation, position, size: numberOf(row, "size") });
  }
  // The last one counts if an id occurs in several messages.
  return [...places.values()].sort((a, b) => a.position - b.position);
}
