import type { RepeatMark, UpstreamBase } from "../../turn/index.ts";
import type { ContentRow } from "../contents.ts";
import type { MessageRow } from "../messages.ts";
import type { Operation, OperationDefinition, Row, SqlValue } from "../operation.ts";
import { deleteResponse, neededLength, truncate } from "./release.ts";
import { hasRepeated, lastResponse } from "./repeats.ts";
import { insert, numberOf, sql, textOf } from "./statements.ts";

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
}

export const keepTurn: OperationDefinition<TurnRows, void> = { writes: true, run: keep };

function* keep(turn: TurnRows): Operation<void> {
  const place = yield* findPlace(turn);
  if (!place) return;
  yield* insertResponse(turn, place);
  yield* insertMessages(turn, place);
}

/** `undefined` if the turn is stored already. */
function* findPlace(turn: TurnRows): Operation<Place | undefined> {
  if (turn.name !== null || turn.replaces) return yield* placeInNamed(turn);
  const continued = turn.previous === null ? undefined : yield* placeBehind(turn, turn.previous);
  return continued ?? (yield* placeAtStart(turn));
}

const isNew = "NOT EXISTS (SELECT 1 FROM responses WHERE owner = ? AND id = ?)";

function* isKept({ owner, id }: TurnRows): Operation<boolean> {
  return (yield* sql("SELECT 1 AS found FROM responses WHERE owner = ? AND id = ?", [owner, id])).length > 0;
}

function* placeAtStart(turn: TurnRows): Operation<Place | undefined> {
  const row = conversationRow(turn, null, 0);
  // Postgres does not know the types of parameters in a SELECT.
  const values = Object.values(row).map((value) => (typeof value === "number" ? "CAST(? AS BIGINT)" : "?"));
  const inserted = yield* sql(
    `INSERT INTO conversations (${Object.keys(row).join(", ")}) SELECT ${values.join(", ")} WHERE ${isNew} RETURNING id`,
    [...Object.values(row), turn.owner, turn.id],
  );
  return inserted.length > 0 ? { conversation: turn.newConversation, start: 0 } : undefined;
}

/** Creates the conversation, or locks the one that exists: of two gateways that create the same name, one waits and appends. */
function* placeInNamed(turn: TurnRows): Operation<Place | undefined> {
  if (yield* isKept(turn)) return undefined;
  const [row] = yield* insertConversation(
    turn,
    null,
    0,
    `ON CONFLICT ${turn.name === null ? "(id)" : "(owner, name) WHERE name IS NOT NULL"}
      DO UPDATE SET used_at = CASE WHEN excluded.used_at > conversations.used_at THEN excluded.used_at
      ELSE conversations.used_at END RETURNING id, length, owner`,
  );
  if (!row || textOf(row, "owner") !== turn.owner) return undefined;
  const conversation = textOf(row, "id");
  const start = yield* startOf(turn, conversation, numberOf(row, "length"));
  if (start === undefined) return undefined;
  yield* sql("UPDATE conversations SET length = ? WHERE id = ? AND owner = ?", [
    start + lengthOf(turn),
    conversation,
    turn.owner,
  ]);
  return { conversation, start };
}

/** The position of a turn in an existing conversation; `undefined` if a stored turn is the same. */
function* startOf(
  { owner, repeat, createdAt, status }: TurnRows,
  conversation: string,
  length: number,
): Operation<number | undefined> {
  if (!repeat || length === 0) return length;
  const last = yield* lastResponse(owner, conversation, repeat, createdAt);
  if (last?.isRepeated) {
    // A first attempt may end after its retry. It never replaces what a client saw completed.
    const isCompleted = status === "completed";
    const isLate = isCompleted === last.isCompleted ? createdAt < last.createdAt : last.isCompleted;
    if (isLate) return undefined;
    yield* deleteResponse(owner, last.id);
    // A fork may need the messages of the turn.
    const needed = (yield* neededLength(owner, conversation)) ?? 0;
    if (needed > last.start) return length;
    yield* truncate(owner, conversation, last.start);
    return last.start;
  }
  if (repeat.within === null && (yield* hasRepeated(owner, conversation, repeat))) return undefined;
  return length;
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
    yield* insertConversation(turn, conversation, end);
    return { conversation: turn.newConversation, start: end };
  }
  yield* sql("UPDATE conversations SET length = ? WHERE id = ? AND owner = ?", [
    end + lengthOf(turn),
    conversation,
    owner,
  ]);
  return { conversation, start: end };
}

function insertConversation(turn: TurnRows, parent: string | null, from: number, ending?: string): Operation<Row[]> {
  const row = conversationRow(turn, parent, from);
  return insert("conversations", Object.keys(row), [Object.values(row)], ending);
}

function conversationRow(turn: TurnRows, parent: string | null, from: number): Record<string, SqlValue> {
  return {
    id: turn.newConversation,
    owner: turn.owner,
    name: turn.name,
    parent,
    parent_position: from,
    base_backend: turn.base?.backend ?? null,
    base_response: turn.base?.responseId ?? null,
    // A conversation that may exist already gets its length when its place is known.
    length: turn.name === null && !turn.replaces ? from + lengthOf(turn) : 0,
    created_at: turn.createdAt,
    used_at: turn.createdAt,
  };
}

function lengthOf({ input, output }: TurnRows): number {
  return input.length + output.length;
}

function* insertResponse(turn: TurnRows, { conversation, start }: Place): Operation<void> {
  const row: Record<string, SqlValue> = {
    owner: turn.owner,
    id: turn.id,
    api: turn.api,
    conversation,
    previous: turn.previous,
    start_position: start,
    output_position: start + turn.input.length,
    end_position: start + lengthOf(turn),
    status: turn.status,
    model: turn.model,
    legacy: turn.legacy ? 1 : 0,
    repeat_digest: turn.repeat?.digest ?? null,
    created_at: turn.createdAt,
    metadata: turn.metadata,
    body: turn.body,
  };
  yield* insert("responses", Object.keys(row), [Object.values(row)]);
}

const messageColumns = [
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
];

/** Messages are added a few at a time: no step of the operation takes long. */
const messagesAtOnce = 256;

function* insertMessages(turn: TurnRows, { conversation, start }: Place): Operation<void> {
  yield* insertContents(turn.owner, turn.contents);
  let position = start;
  for (const rows of [turn.input, turn.output])
    for (let at = 0; at < rows.length; at += messagesAtOnce) {
      const some = rows.slice(at, at + messagesAtOnce);
      yield* insertSome(turn, some, conversation, position);
      position += some.length;
    }
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
  yield* insert("messages", messageColumns, messages);
  yield* insert("items", ["owner", "id", "created_at", "conversation", "position"], items, "ON CONFLICT DO NOTHING");
  yield* insert("message_contents", ["conversation", "position", "digest", "owner"], uses);
}

/** A content that exists is updated without a change, because that locks it: see `releaseContents`. */
function* insertContents(owner: string, contents: readonly ContentRow[]): Operation<void> {
  const rows = contents.map(({ digest, part, data }) => [owner, digest, part, data.length, data]);
  const ending = "ON CONFLICT (owner, digest, part) DO UPDATE SET size = excluded.size";
  yield* insert("contents", ["owner", "digest", "part", "size", "data"], rows, ending);
}
