import type { Operation, OperationDefinition, SqlValue } from "../operation.ts";
import type { ImportCount } from "../store.ts";
import { each, insertInto, numberOf, textOf } from "./statements.ts";
import { type TableName, tableNames, tables } from "./tables.ts";

/** In the order of the table's columns. */
type Values = readonly SqlValue[];

export interface ImportedRow {
  table: TableName;
  values: Values;
}

/** Adds rows. Those that exist stay as they are. A file may be old or edited: every conversation can be continued all the same. */
export const importRows: OperationDefinition<readonly ImportedRow[], ImportCount> = {
  writes: true,
  *run(rows) {
    let added = 0;
    let leftOut = 0;
    for (const table of tableNames) {
      const all = rows.filter((row) => row.table === table).map(({ values }) => values);
      if (all.length === 0) continue;
      const placed = yield* placedOf(table, all);
      added += yield* add(table, placed);
      leftOut += all.length - placed.length;
    }
    return { added, leftOut };
  },
};

function cellOf(table: TableName, column: string, values: Values): SqlValue {
  return values[tables[table].columns.indexOf(column)] ?? null;
}

/** Without rows that refer to what is not there: nobody could find or delete them, and later messages would take their places. */
function* placedOf(table: TableName, rows: readonly Values[]): Operation<readonly Values[]> {
  if (!tables[table].columns.includes("conversation")) return rows;
  const conversationOf = (row: Values) => String(cellOf(table, "conversation", row));
  const conversations = yield* lockConversations(rows.map(conversationOf));
  return rows.filter((row) => {
    const conversation = conversations.get(conversationOf(row));
    if (!conversation) return false;
    const owner = cellOf(table, "owner", row) ?? conversation.owner;
    return owner === conversation.owner && neededLength(table, row) <= conversation.length;
  });
}

/** How many messages the conversation of a row must have. A message itself makes it longer. */
function neededLength(table: TableName, row: Values): number {
  if (table === "messages") return 0;
  return table === "responses"
    ? Number(cellOf(table, "end_position", row))
    : Number(cellOf(table, "position", row)) + 1;
}

interface Conversation {
  owner: string;
  length: number;
}

/** On Postgres, a gateway that deletes one of them either has done so before, or waits for this transaction. */
function* lockConversations(ids: readonly string[]): Operation<Map<string, Conversation>> {
  const rows = yield* each(
    [...new Set(ids)],
    (list) => `UPDATE conversations SET used_at = used_at WHERE id IN ${list} RETURNING id, owner, length`,
    [],
  );
  return new Map(
    rows.map((row) => [textOf(row, "id"), { owner: textOf(row, "owner"), length: numberOf(row, "length") }]),
  );
}

function* add(table: TableName, rows: readonly Values[]): Operation<number> {
  let added = yield* insert(table, rows);
  if (table === "conversations") {
    // Another conversation of the owner may have the name. Under its id, each can still be continued.
    if (added < rows.length) added += yield* insert(table, rows.map(withoutName));
    yield* coverMessages(rows.map((row) => String(cellOf(table, "id", row))));
  }
  if (table === "messages") yield* coverMessages(rows.map((row) => String(cellOf(table, "conversation", row))));
  return added;
}

function* insert(table: TableName, rows: readonly Values[]): Operation<number> {
  const { key } = tables[table];
  const insertRows = insertInto(table, `ON CONFLICT DO NOTHING RETURNING ${key[0]}`);
  return (yield* insertRows(rows)).length;
}

function withoutName(values: Values): Values {
  return values.with(tables.conversations.columns.indexOf("name"), null);
}

const messages = "(SELECT MAX(position) + 1 FROM messages WHERE conversation = conversations.id)";

/** A turn is added at the length of its conversation, so no message may be stored there already. */
function* coverMessages(conversations: readonly string[]): Operation<void> {
  yield* each(
    [...new Set(conversations)],
    (list) => `UPDATE conversations SET length = ${messages} WHERE id IN ${list} AND length < ${messages}`,
    [],
  );
}
