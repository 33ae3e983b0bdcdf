import type { Operation } from "../operation.ts";
import { each, numberOf, numberOrNull, sql, textOf, textOrNull } from "./statements.ts";

/**
 * Deletes the messages of a conversation from a position on, and returns the contents that they used, for `releaseContents`. The caller
 * has locked the conversation's row: on Postgres nobody else adds messages or forks meanwhile.
 */
export function* deleteMessages(conversation: string, from: number): Operation<string[]> {
  const place = [conversation, from];
  const rows = yield* sql(
    "DELETE FROM message_contents WHERE conversation = ? AND position >= ? RETURNING digest",
    place,
  );
  yield* sql("DELETE FROM items WHERE conversation = ? AND position >= ?", place);
  yield* sql("DELETE FROM messages WHERE conversation = ? AND position >= ?", place);
  return rows.map((row) => textOf(row, "digest"));
}

/**
 * Deletes those contents that no message uses any more. On Postgres, transactions that lock rows in different orders would block each
 * other: each one locks its conversations first, and then contents in the order of their digests.
 */
export function* releaseContents(owner: string, digests: readonly string[]): Operation<void> {
  yield* lockContents(owner, digests);
  yield* deleteUnusedContents(owner, digests);
}

/** On Postgres, a turn that stores one of the contents either is committed before this, or waits for this transaction. */
export function* lockContents(owner: string, digests: readonly string[]): Operation<void> {
  yield* each(
    [...new Set(digests)].sort(),
    (list) => `SELECT digest FROM contents WHERE owner = ? AND digest IN ${list} AND part = 0 ORDER BY digest`,
    [owner],
    [],
    true,
  );
}

/** The caller has locked the contents. */
export function* deleteUnusedContents(owner: string, digests: readonly string[]): Operation<void> {
  yield* each(
    [...new Set(digests)].sort(),
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

/** Deletes what nothing needs any more: messages at the end of a conversation, or the conversation and then the same of its parent. */
export function* releaseConversation(owner: string, start: LockedConversation): Operation<void> {
  const unused: string[] = [];
  for (let conversation: LockedConversation | undefined = start; conversation; ) {
    const { id, length, parent }: LockedConversation = conversation;
    const needed: number | null = yield* neededLength(owner, id);
    if (needed !== null) {
      if (needed < length) for (const digest of yield* truncate(owner, id, needed)) unused.push(digest);
      break;
    }
    for (const digest of yield* deleteMessages(id, 0)) unused.push(digest);
    yield* sql("DELETE FROM conversations WHERE id = ? AND owner = ?", [id, owner]);
    conversation = parent === null ? undefined : yield* lockConversation(owner, parent);
  }
  yield* releaseContents(owner, unused);
}

/** Returns the contents that the deleted messages used, for `releaseContents`. */
export function* truncate(owner: string, conversation: string, length: number): Operation<string[]> {
  const unused = yield* deleteMessages(conversation, length);
  yield* sql("UPDATE conversations SET length = ? WHERE id = ? AND owner = ?", [length, conversation, owner]);
  return unused;
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
