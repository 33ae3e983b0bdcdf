import type { RepeatMark, UpstreamBase } from "../../turn/index.ts";
import type { ContentRow } from "../contents.ts";
import type { MessageRow } from "../messages.ts";
import type { Operation, OperationDefinition, SqlValue } from "../operation.ts";
import { deleteResponse, deleteUnusedContents, lockContents, neededLength, truncate } from "./release.ts";
import { hasRepeated, lastResponse } from "./repeats.ts";
import { count, insertInto, numberOf, sql, textOf } from "./statements.ts";

/** A turn as rows. Texts to find it by are index keys. */
export interface TurnRows {
  owner: string;
  id: string;
  api: string;
  model: string;
  status: string;
  createdAt: number;
  body: string;
  metadata: string;
  legacy: boolean;
  previous: string | null;
  /** The client's name of the conversation. */
  name: string | null;
  /** Whether the named conversation begins anew with this turn. */
  restarts: boolean;
  /** The id of the conversation, if the turn begins one. */
  newConversation: string;
  /** Whether a conversation with this id may exist already: it has one turn, which this one then replaces. */
  replaces: boolean;
  base: UpstreamBase | null;
  repeat: RepeatMark | null;
  input: readonly MessageRow[];
  output: readonly MessageRow[];
  contents: readonly ContentRow[];
}

/** Where a turn is added. */
interface Place {
  conversation: string;
  start: number;
  /** Contents of messages that the turn replaces. */
  unused?: readonly string[];
}

/** Returns whether the turn is stored. */
export const keepTurn: OperationDefinition<TurnRows, boolean> = { writes: true, run: keep };

function* keep(turn: TurnRows): Operation<boolean> {
  const place = yield* findPlace(turn);
  if (!place) return yield* isKept(turn);
  const { unused = [] } = place;
  if (unused.length > 0) yield* lockContents(turn.owner, [...unused, ...turn.contents.map(({ digest }) => digest)]);
  yield* insertResponse(turn, place);
  yield* insertMessages(turn, place);
  if (unused.length > 0) yield* deleteUnusedContents(turn.owner, unused);
  return true;
}

/** `undefined` if the turn is stored already, another one has repeated it, or what it continues is not there any more. */
function* findPlace(turn: TurnRows): Operation<Place | undefined> {
  if (turn.name !== null || turn.replaces) return yield* placeInNamed(turn);
  return yield* turn.previous === null ? placeAtStart(turn) : placeBehind(turn, turn.previous);
}

const isNew = "NOT EXISTS (SELECT 1 FROM responses WHERE owner = ? AND id = ?)";

function* isKept({ owner, id }: TurnRows): Operation<boolean> {
  return (yield* sql("SELECT 1 AS found FROM responses WHERE owner = ? AND id = ?", [owner, id])).length > 0;
}

const conversationColumns = [
  "id",
  "owner",
  "name",
  "parent",
  "base_backend",
  "base_response",
  "parent_position",
  "length",
  "created_at",
  "used_at",
];
/** Postgres does not know the types of parameters in a SELECT. */
const conversationValues = conversationColumns.map((_, at) => (at < 6 ? "?" : "CAST(? AS BIGINT)"));
const insertNew = `INSERT INTO conversations (${conversationColumns.join(", ")})
  SELECT ${conversationValues.join(", ")} WHERE ${isNew}`;

function* placeAtStart(turn: TurnRows): Operation<Place | undefined> {
  const inserted = yield* count(insertNew, [...conversationRow(turn, lengthOf(turn)), turn.owner, turn.id]);
  return inserted > 0 ? { conversation: turn.newConversation, start: 0 } : undefined;
}

const onUse = `DO UPDATE SET used_at = CASE WHEN excluded.used_at > conversations.used_at THEN excluded.used_at
  ELSE conversations.used_at END RETURNING id, length, owner`;
const insertConversation = insertInto("conversations", conversationColumns);
const insertById = insertInto("conversations", conversationColumns, `ON CONFLICT (id) ${onUse}`);
const insertByName = insertInto(
  "conversations",
  conversationColumns,
  `ON CONFLICT (owner, name) WHERE name IS NOT NULL ${onUse}`,
);

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

/** The values of `conversationColumns`. */
function conversationRow(turn: TurnRows, length: number, parent: string | null = null, from = 0): SqlValue[] {
  const { newConversation, owner, name, base, createdAt } = turn;
  const texts = [newConversation, owner, name, parent, base?.backend ?? null, base?.responseId ?? null];
  return [...texts, from, length, createdAt, createdAt];
}

function lengthOf({ input, output }: TurnRows): number {
  return input.length + output.length;
}

const insertResponseRow = insertInto("responses", [
  "owner",
  "id",
  "api",
  "conversation",
  "previous",
  "start_position",
  "output_position",
  "end_position",
  "status",
  "model",
  "legacy",
  "repeat_digest",
  "created_at",
  "metadata",
  "body",
]);

function* insertResponse(turn: TurnRows, { conversation, start }: Place): Operation<void> {
  const { owner, id, api, previous, status, model, createdAt, metadata, body } = turn;
  const positions = [start, start + turn.input.length, start + lengthOf(turn)];
  const marks = [turn.legacy ? 1 : 0, turn.repeat?.digest ?? null];
  yield* insertResponseRow([
    [owner, id, api, conversation, previous, ...positions, status, model, ...marks, createdAt, metadata, body],
  ]);
}

const insertMessageRows = insertInto("messages", [
  "conversation",
  "position",
  "role",
  "size",
  "created_at",
  "tool_call_id",
  "content",
  "content_json",
  "tool_calls",
  "function_call",
]);
const insertItems = insertInto(
  "items",
  ["owner", "id", "created_at", "conversation", "position"],
  "ON CONFLICT DO NOTHING",
);
const insertUses = insertInto("message_contents", ["conversation", "position", "digest", "owner"]);

/** Messages are added a few at a time: no step of the operation takes long. */
const messagesAtOnce = 256;

function* insertMessages(turn: TurnRows, { conversation, start }: Place): Operation<void> {
  yield* insertContents(turn.owner, turn.contents);
  const rows = [...turn.input, ...turn.output];
  for (let at = 0; at < rows.length; at += messagesAtOnce)
    yield* insertSome(turn, rows.slice(at, at + messagesAtOnce), conversation, start + at);
}

function* insertSome(
  { owner, createdAt }: TurnRows,
  rows: readonly MessageRow[],
  conversation: string,
  start: number,
): Operation<void> {
  const messages: SqlValue[][] = [];
  const items: SqlValue[][] = [];
  const uses: SqlValue[][] = [];
  for (const [at, row] of rows.entries()) {
    const place = [conversation, start + at];
    const columns = [row.toolCallId, row.content, row.contentJson, row.toolCalls, row.functionCall];
    messages.push([...place, row.role, row.size, createdAt, ...columns]);
    for (const id of row.items) items.push([owner, id, createdAt, ...place]);
    for (const digest of row.contents) uses.push([...place, digest, owner]);
  }
  yield* insertMessageRows(messages);
  yield* insertItems(items);
  yield* insertUses(uses);
}

/** A content that exists is updated without a change, because that locks it: see `lockContents`. The rows are sorted. */
const insertContentRows = insertInto(
  "contents",
  ["owner", "digest", "part", "size", "data"],
  "ON CONFLICT (owner, digest, part) DO UPDATE SET size = excluded.size",
);

function* insertContents(owner: string, contents: readonly ContentRow[]): Operation<void> {
  yield* insertContentRows(contents.map(({ digest, part, data }) => [owner, digest, part, data.length, data]));
}
