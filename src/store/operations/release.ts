import type { Operation } from "../operation.ts";
import { each, numberOf, numberOrNull, sql, textOf, textOrNull } from "./statements.ts";

/**
 * Deletes the messages of a conversation from a position on. The caller has locked the conversation's row: on Postgres nobody else
 * adds messages or forks meanwhile.
 */
export function* deleteMessages(owner: string, conversation: string, from: number): Operation<void> {
  const place = [conversation, from];
  const rows = yield* sql(
    "DELETE FROM message_contents WHERE conversation = ? AND position >= ? RETURNING digest",
    place,
  );
  yield* sql("DELETE FROM items WHERE conversation = ? AND position >= ?", place);
  yield* sql("DELETE FROM messages WHERE conversation = ? AND position >= ?", place);
  const digests = new Set(rows.map((row) => textOf(row, "digest")));
  yield* releaseContents(owner, [...digests].sort());
}

/**
 * Deletes those contents that no message refers to any more. The first statement locks them: on Postgres a turn that stores the
 * same content either is committed before the second statement looks for references, or waits for this transaction.
 */
export function* releaseContents(owner: string, digests: readonly string[]): Operation<void> {
  yield* each(digests, (list) => `UPDATE contents SET size = size WHERE owner = ? AND digest IN ${list} AND part = 0`, [
    owner,
  ]);
  yield* each(
    digests,
    (list) => `DELETE FROM contents WHERE owner = ? AND digest IN ${list} AND NOT EXISTS (
      SELECT 1 FROM message_contents u WHERE u.owner = contents.owner AND u.digest = contents.digest)`,
    [owner],
  );
}

/** Locks a conversation against changes by others until the end of the transaction. */
export function* lockConversation(owner: string, id: string): Operation<LockedConversation | undefined> {
  const [row] = yield* sql(
    "UPDATE conversations SET used_at = used_at WHERE id = ? AND owner = ? RETURNING id, length, parent",
    [id, owner],
  );
  return row && { id: textOf(row, "id"), length: numberOf(row, "length"), parent: textOrNull(row, "parent") };
}

export interface LockedConversation {
  id: string;
  length: number;
  parent: string | null;
}

/** How many messages of a conversation its responses and its forks need; `null` if it has neither. */
export function* neededLength(owner: string, conversation: string): Operation<number | null> {
  const [row] = yield* sql(
    `SELECT (SELECT MAX(end_position) FROM responses WHERE conversation = ? AND owner = ?) AS answered,
      (SELECT MAX(parent_position) FROM conversations WHERE parent = ? AND owner = ?) AS forked`,
    [conversation, owner, conversation, owner],
  );
  const answered = row ? numberOrNull(row, "answered") : null;
  const forked = row ? numberOrNull(row, "forked") : null;
  return answered === null && forked === null ? null : Math.max(answered ?? 0, forked ?? 0);
}

/** Deletes what nothing needs any more: the end of a conversation, or all of it and then perhaps of its parent. */
export function* releaseConversation(owner: string, start: LockedConversation): Operation<void> {
  for (let conversation: LockedConversation | undefined = start; conversation; ) {
    const { id, length, parent }: LockedConversation = conversation;
    const needed: number | null = yield* neededLength(owner, id);
    if (needed !== null) {
      if (needed < length) yield* truncate(owner, id, needed);
      return;
    }
    yield* deleteMessages(owner, id, 0);
    yield* sql("DELETE FROM conversations WHERE id = ? AND owner = ?", [id, owner]);
    conversation = parent === null ? undefined : yield* lockConversation(owner, parent);
  }
}

export function* truncate(owner: string, conversation: string, length: number): Operation<void> {
  yield* deleteMessages(owner, conversation, length);
  yield* sql("UPDATE conversations SET length = ? WHERE id = ? AND owner = ?", [length, conversation, owner]);
}

/** Deletes a response, and the ids under which its items are found. Its messages stay. */
export function* deleteResponse(owner: string, id: string): Operation<void> {
  const [row] = yield* sql(
    "DELETE FROM responses WHERE owner = ? AND id = ? RETURNING conversation, start_position, end_position",
    [owner, id],
  );
  if (!row) return;
  yield* sql("DELETE FROM items WHERE conversation = ? AND position >= ? AND position < ?", [
    textOf(row, "conversation"),
    numberOf(row, "start_position"),
    numberOf(row, "end_position"),
  ]);
}
