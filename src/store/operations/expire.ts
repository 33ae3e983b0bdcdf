import type { Operation, OperationDefinition, SqlValue } from "../operation.ts";
import { deleteProbes } from "./probe.ts";
import { deleteMessages, releaseContents, truncate } from "./release.ts";
import { each, numberOf, sql, textOf } from "./statements.ts";

/** What one batch deletes at most, because other work waits meanwhile. Characters are those of the messages with their contents; of records
 * they are bytes. */
const mostConversations = 50;
const mostMessages = 2_000;
const mostCharacters = 32 * 1024 * 1024;
const mostRecords = 500;

/**
 * Deletes a batch of what was last used before a time, of records that have expired, and old probes. Returns whether there may be more.
 * A conversation that was forked stays as long as its forks do.
 */
export const expire: OperationDefinition<{ before: number; now: number }, boolean> = {
  writes: true,
  *run({ before, now }) {
    const { hasMore } = yield* deleteUnused({ condition: "used_at < ?", values: [before] });
    const records = yield* deleteRecords({ condition: "expires_at <= ?", values: [now] });
    yield* deleteProbes(now);
    return hasMore || records.hasMore;
  },
};

/**
 * Deletes a batch of the records that expire first, or of the conversations that were used least recently: of records also if there are no
 * conversations. Returns how many were deleted or made shorter.
 */
export const evict: OperationDefinition<"records" | "conversations", number> = {
  writes: true,
  *run(kind) {
    const everything = { condition: "used_at >= ?", values: [0] };
    const conversations = kind === "records" ? 0 : (yield* deleteUnused(everything)).count;
    if (conversations > 0) return conversations;
    return (yield* deleteRecords({ condition: "expires_at >= ?", values: [0] })).count;
  },
};

function* deleteRecords({ condition, values }: Unused): Operation<Batch> {
  const rows = yield* sql(
    `WITH first AS (
      SELECT owner, key, expires_at, OCTET_LENGTH(value) AS size FROM records WHERE ${condition} ORDER BY expires_at LIMIT ?),
    summed AS (SELECT owner, key, size, SUM(size) OVER (ORDER BY expires_at, owner, key) AS total FROM first)
    DELETE FROM records WHERE ${condition} AND (owner, key) IN (SELECT owner, key FROM summed WHERE total - size < ?)
      RETURNING OCTET_LENGTH(value) AS size`,
    [...values, mostRecords, ...values, mostCharacters],
  );
  const size = rows.reduce((sum, row) => sum + numberOf(row, "size"), 0);
  return { count: rows.length, hasMore: rows.length === mostRecords || size >= mostCharacters };
}

/** Which conversations or records are deleted. */
interface Unused {
  condition: string;
  values: readonly SqlValue[];
}

interface Batch {
  count: number;
  hasMore: boolean;
}

const isNoParent = "NOT EXISTS (SELECT 1 FROM conversations f WHERE f.parent = conversations.id)";

function* deleteUnused(unused: Unused): Operation<Batch> {
  const found = yield* sql(
    `SELECT id, length - parent_position AS messages FROM conversations WHERE ${unused.condition} AND ${isNoParent}
      ORDER BY used_at, id LIMIT ?`,
    [...unused.values, mostConversations],
  );
  const conversations = found.map((row) => ({ id: textOf(row, "id"), messages: numberOf(row, "messages") }));
  const [first] = conversations;
  if (!first) return { count: 0, hasMore: false };
  const fitting = yield* fittingOf(conversations);
  if (fitting.length === 0) return { count: yield* shorten(first.id, unused), hasMore: true };
  const count = yield* deleteWhole(fitting, unused);
  return { count, hasMore: found.length === mostConversations || fitting.length < found.length };
}

/** The first conversations, as many as one batch may delete. */
function* fittingOf(conversations: readonly { id: string; messages: number }[]): Operation<string[]> {
  let messages = 0;
  const few = conversations.filter((conversation) => {
    messages += conversation.messages;
    return messages <= mostMessages;
  });
  const rows = yield* each(
    few.map(({ id }) => id),
    (list) => `SELECT conversation, CAST(SUM(size) AS BIGINT) AS characters FROM messages
      WHERE conversation IN ${list} GROUP BY conversation`,
    [],
  );
  const sizes = new Map(rows.map((row) => [textOf(row, "conversation"), numberOf(row, "characters")]));
  let characters = 0;
  const small = few.filter(({ id }) => {
    characters += sizes.get(id) ?? 0;
    return characters <= mostCharacters;
  });
  return small.map(({ id }) => id);
}

/** On Postgres, the DELETE looks at the condition again after it has waited for a turn that uses the conversation. */
function* deleteWhole(ids: readonly string[], { condition, values }: Unused): Operation<number> {
  const rows = yield* each(
    ids,
    (list) => `DELETE FROM conversations WHERE id IN ${list} AND ${condition} AND ${isNoParent} RETURNING id, owner`,
    [],
    values,
  );
  const owners = new Map<string, string[]>();
  for (const row of rows) {
    const owner = textOf(row, "owner");
    owners.set(owner, [...(owners.get(owner) ?? []), textOf(row, "id")]);
  }
  for (const owner of [...owners.keys()].sort()) yield* deleteContentsOf(owner, owners.get(owner) ?? []);
  return rows.length;
}

function* deleteContentsOf(owner: string, conversations: readonly string[]): Operation<void> {
  const from = (table: string) => (list: string) => `DELETE FROM ${table} WHERE conversation IN ${list}`;
  yield* each(conversations, from("responses"), []);
  yield* each(conversations, from("items"), []);
  yield* each(conversations, from("messages"), []);
  const uses = yield* each(conversations, (list) => `${from("message_contents")(list)} RETURNING digest`, []);
  yield* releaseContents(
    owner,
    uses.map((row) => textOf(row, "digest")),
  );
}

/**
 * Deletes the last turns of a conversation that is too large for one batch. Turns are deleted whole, so every response that a client
 * still finds has all of its messages. The conversation loses its name first: under its name it would be seen without its end.
 * Returns how many conversations were made shorter or deleted.
 */
function* shorten(id: string, { condition, values }: Unused): Operation<number> {
  const [row] = yield* sql(
    `UPDATE conversations SET name = NULL WHERE id = ? AND ${condition} AND ${isNoParent}
      RETURNING owner, length, parent_position`,
    [id, ...values],
  );
  if (!row) return 0;
  const owner = textOf(row, "owner");
  const length = numberOf(row, "length");
  const start = yield* deleteLastResponses(id);
  const unused: string[] = [];
  // A single turn may be larger than a batch. No statement takes long even then.
  for (let at = length - mostMessages; at > start; at -= mostMessages)
    for (const digest of yield* deleteMessages(id, at)) unused.push(digest);
  const isEmptied = start <= numberOf(row, "parent_position");
  for (const digest of yield* isEmptied ? deleteEmptied(owner, id) : truncate(owner, id, start)) unused.push(digest);
  yield* releaseContents(owner, unused);
  return 1;
}

/** Returns the position of the first message that belongs to a deleted response, or that is deleted with them. */
function* deleteLastResponses(conversation: string): Operation<number> {
  const last = yield* sql("SELECT position, size FROM messages WHERE conversation = ? ORDER BY position DESC LIMIT ?", [
    conversation,
    mostMessages,
  ]);
  // Without messages, nothing of the conversation is left to keep.
  let start = 0;
  let characters = 0;
  for (const [index, row] of last.entries()) {
    characters += numberOf(row, "size");
    if (index > 0 && characters > mostCharacters) break;
    start = numberOf(row, "position");
  }
  const responses = yield* sql(
    "DELETE FROM responses WHERE conversation = ? AND end_position > ? RETURNING start_position",
    [conversation, start],
  );
  return responses.reduce((first, row) => Math.min(first, numberOf(row, "start_position")), start);
}

function* deleteEmptied(owner: string, conversation: string): Operation<string[]> {
  const unused = yield* deleteMessages(conversation, 0);
  yield* sql("DELETE FROM responses WHERE conversation = ? AND owner = ?", [conversation, owner]);
  yield* sql("DELETE FROM conversations WHERE id = ? AND owner = ?", [conversation, owner]);
  return unused;
}
