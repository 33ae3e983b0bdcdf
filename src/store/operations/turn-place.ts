import type { Operation, SqlValue } from "../operation.ts";
import { deleteResponse, neededLength, truncate } from "./release.ts";
import { hasRepeated, lastResponse } from "./repeats.ts";
import { count, insertInto, numberOf, sql, textOf } from "./statements.ts";
import { lengthOf, type TurnRows } from "./stored-turn.ts";
import { tables } from "./tables.ts";

/** Where a turn is added. */
export interface Place {
  conversation: string;
  start: number;
  /** Contents of messages that the turn replaces. */
  unused?: readonly string[];
}

/** `undefined` if the turn is stored already, another one has repeated it, or what it continues is not there any more. */
export function* findPlace(turn: TurnRows): Operation<Place | undefined> {
  if (turn.name !== null || turn.replaces) return yield* placeInNamed(turn);
  return yield* turn.previous === null ? placeAtStart(turn) : placeBehind(turn, turn.previous);
}

const isNew = "NOT EXISTS (SELECT 1 FROM responses WHERE owner = ? AND id = ?)";

/** Whether a turn of this id is stored. */
export function* isKept({ owner, id }: TurnRows): Operation<boolean> {
  return (yield* sql("SELECT 1 AS found FROM responses WHERE owner = ? AND id = ?", [owner, id])).length > 0;
}

const { columns } = tables.conversations;
const numbers = new Set(["parent_position", "length", "created_at", "used_at"]);
/** Postgres does not know the types of parameters in a SELECT. */
const values = columns.map((column) => (numbers.has(column) ? "CAST(? AS BIGINT)" : "?"));
const insertNew = `INSERT INTO conversations (${columns.join(", ")})
  SELECT ${values.join(", ")} WHERE ${isNew}`;

function* placeAtStart(turn: TurnRows): Operation<Place | undefined> {
  const inserted = yield* count(insertNew, [...conversationRow(turn, lengthOf(turn)), turn.owner, turn.id]);
  return inserted > 0 ? { conversation: turn.newConversation, start: 0 } : undefined;
}

const onUse = `DO UPDATE SET used_at = CASE WHEN excluded.used_at > conversations.used_at THEN excluded.used_at
  ELSE conversations.used_at END RETURNING id, length, owner`;
const insertConversation = insertInto("conversations");
const insertById = insertInto("conversations", `ON CONFLICT (id) ${onUse}`);
const insertByName = insertInto("conversations", `ON CONFLICT (owner, name) WHERE name IS NOT NULL ${onUse}`);

/** Creates the conversation, or locks the one that exists: of two gateways that create the same name, one waits and appends. */
function* placeInNamed(turn: TurnRows): Operation<Place | undefined> {
  if (yield* isKept(turn)) return undefined;
  const insert = turn.name === null ? insertById : insertByName;
  // It gets its length when the place of the turn is known.
  const [row] = yield* insert([conversationRow(turn, 0)]);
  if (!row || textOf(row, "owner") !== turn.owner) return undefined;
  const conversation = textOf(row, "id");
  const length = numberOf(row, "length");
  const place = yield* placeIn(turn, conversation, length);
  if (!place) return undefined;
  if (turn.restarts && place.start === length && length > 0) return yield* placeInstead(turn, conversation);
  yield* sql("UPDATE conversations SET length = ? WHERE id = ? AND owner = ?", [
    place.start + lengthOf(turn),
    conversation,
    turn.owner,
  ]);
  return place;
}

/** In a new conversation that takes over the name. The answers of the old one can still be continued by their ids. */
function* placeInstead(turn: TurnRows, old: string): Operation<Place> {
  yield* sql("UPDATE conversations SET name = NULL WHERE id = ? AND owner = ?", [old, turn.owner]);
  yield* insertConversation([conversationRow(turn, lengthOf(turn))]);
  return { conversation: turn.newConversation, start: 0 };
}

/** The place of a turn in an existing conversation; `undefined` if a stored turn is the same. */
function* placeIn(
  { owner, repeat, createdAt, status }: TurnRows,
  conversation: string,
  length: number,
): Operation<Place | undefined> {
  const end = { conversation, start: length };
  if (!repeat || length === 0) return end;
  const last = yield* lastResponse(owner, conversation, repeat, createdAt);
  if (last?.isRepeated) {
    // A first attempt may end after its retry. It never replaces what a client saw completed.
    const isCompleted = status === "completed";
    const isLate = isCompleted === last.isCompleted ? createdAt < last.createdAt : last.isCompleted;
    if (isLate) return undefined;
    yield* deleteResponse(owner, last.id);
    // A fork may need the messages of the turn.
    const needed = (yield* neededLength(owner, conversation)) ?? 0;
    if (needed > last.start) return end;
    return { conversation, start: last.start, unused: yield* truncate(owner, conversation, last.start) };
  }
  if (repeat.within === null && (yield* hasRepeated(owner, conversation, repeat))) return undefined;
  return end;
}

/**
 * Behind the previous response if that is the end of its conversation; otherwise in a fork. `undefined` if the response is not there
 * any more, or the turn is stored already.
 */
function* placeBehind(turn: TurnRows, previous: string): Operation<Place | undefined> {
  return (yield* append(turn, previous)) ?? (yield* fork(turn, previous));
}

const used = "used_at = CASE WHEN used_at < ? THEN ? ELSE used_at END";

/**
 * The usual case, in one statement. If the statement has to wait for another turn of the conversation, it compares the length that the
 * conversation has then.
 */
function* append(turn: TurnRows, previous: string): Operation<Place | undefined> {
  const { owner, id, createdAt } = turn;
  const [row] = yield* sql(
    `UPDATE conversations SET ${used}, length = length + ? WHERE owner = ?
      AND id = (SELECT conversation FROM responses WHERE owner = ? AND id = ?)
      AND length = (SELECT end_position FROM responses WHERE owner = ? AND id = ?)
      AND ${isNew} RETURNING id, length`,
    [createdAt, createdAt, lengthOf(turn), owner, owner, previous, owner, previous, owner, id],
  );
  return row && { conversation: textOf(row, "id"), start: numberOf(row, "length") - lengthOf(turn) };
}

function* fork(turn: TurnRows, previous: string): Operation<Place | undefined> {
  const { owner, createdAt } = turn;
  if (yield* isKept(turn)) return undefined;
  const [locked] = yield* sql(
    `UPDATE conversations SET ${used} WHERE owner = ?
      AND id = (SELECT conversation FROM responses WHERE owner = ? AND id = ?) RETURNING id, length`,
    [createdAt, createdAt, owner, owner, previous],
  );
  if (!locked) return undefined;
  const conversation = textOf(locked, "id");
  // Read after the lock, because the response may have been deleted meanwhile.
  const [row] = yield* sql("SELECT end_position FROM responses WHERE owner = ? AND id = ? AND conversation = ?", [
    owner,
    previous,
    conversation,
  ]);
  if (!row) return undefined;
  const end = numberOf(row, "end_position");
  if (numberOf(locked, "length") > end) {
    yield* insertConversation([conversationRow(turn, end + lengthOf(turn), conversation, end)]);
    return { conversation: turn.newConversation, start: end };
  }
  yield* sql("UPDATE conversations SET length = ? WHERE id = ? AND owner = ?", [
    end + lengthOf(turn),
    conversation,
    owner,
  ]);
  return { conversation, start: end };
}

/** In the order of the table's columns. */
function conversationRow(turn: TurnRows, length: number, parent: string | null = null, from = 0): SqlValue[] {
  const { newConversation, owner, name, base, createdAt } = turn;
  const basis = [base?.backend ?? null, base?.responseId ?? null];
  return [newConversation, owner, name, parent, from, ...basis, length, createdAt, createdAt];
}
