import type { Operation, Row, SqlValue } from "../operation.ts";
import { placeOfId } from "../placed-ids.ts";
import { numberOf, sql, textOf } from "./statements.ts";

/** The message that an item is a part of. */
export interface ItemPlace {
  conversation: string;
  position: number;
  /** In characters. */
  size: number;
}

/** Items that one statement looks up. */
const itemsAtOnce = 256;

/** Where items are stored. Ids may occur several times; the newest counts. */
export function* findItems(owner: string, ids: readonly string[]): Operation<ItemPlace[]> {
  const named = yield* lookUp(
    ids.map((id) => [id]),
    (wanted) => `WITH wanted (id) AS (VALUES ${wanted.map(() => "(?)").join(", ")})
      SELECT i.conversation, i.position, m.size FROM wanted CROSS JOIN items i CROSS JOIN messages m
      WHERE i.owner = ? AND i.id = wanted.id
        AND i.created_at = (SELECT MAX(n.created_at) FROM items n WHERE n.owner = ? AND n.id = wanted.id)
        AND m.conversation = i.conversation AND m.position = i.position`,
    [owner, owner],
  );
  const placed = yield* lookUp(
    ids.flatMap((id) => {
      const place = placeOfId(id);
      return place ? [[place.conversation, place.position]] : [];
    }),
    (wanted) => `WITH wanted (id, position) AS (VALUES ${wanted.map(() => "(?, CAST(? AS BIGINT))").join(", ")})
      SELECT m.conversation, m.position, m.size FROM wanted CROSS JOIN conversations c CROSS JOIN messages m
      WHERE c.id = wanted.id AND c.owner = ? AND m.conversation = c.id AND m.position = wanted.position`,
    [owner],
  );
  const places = new Map<string, ItemPlace>();
  for (const row of [...named, ...placed]) {
    const place = placeOf(row);
    places.set(`${place.position} ${place.conversation}`, place);
  }
  // The last one counts if an id occurs in several messages.
  return [...places.values()].sort((a, b) => a.position - b.position);
}

function* lookUp(
  wanted: readonly (readonly SqlValue[])[],
  text: (wanted: readonly unknown[]) => string,
  after: readonly SqlValue[],
): Operation<Row[]> {
  const found: Row[] = [];
  for (let at = 0; at < wanted.length; at += itemsAtOnce) {
    const some = wanted.slice(at, at + itemsAtOnce);
    for (const row of yield* sql(text(some), [...some.flat(), ...after])) found.push(row);
  }
  return found;
}

function placeOf(row: Row): ItemPlace {
  return {
    conversation: textOf(row, "conversation"),
    position: numberOf(row, "position"),
    size: numberOf(row, "size"),
  };
}
