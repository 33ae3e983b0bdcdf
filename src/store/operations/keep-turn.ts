import type { ContentRow } from "../contents.ts";
import type { MessageRow } from "../messages.ts";
import type { Operation, OperationDefinition, SqlValue } from "../operation.ts";
import { deleteUnusedContents, lockContents } from "./release.ts";
import { insertInto } from "./statements.ts";
import { lengthOf, type TurnRows } from "./stored-turn.ts";
import { findPlace, isKept, type Place } from "./turn-place.ts";

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

const insertResponseRow = insertInto("responses");

function* insertResponse(turn: TurnRows, { conversation, start }: Place): Operation<void> {
  const { owner, id, api, previous, status, model, createdAt, metadata, body } = turn;
  const positions = [start, start + turn.input.length, start + lengthOf(turn)];
  const marks = [turn.legacy ? 1 : 0, turn.repeat?.digest ?? null];
  yield* insertResponseRow([
    [owner, id, api, conversation, previous, ...positions, status, model, ...marks, createdAt, metadata, body],
  ]);
}

const insertMessageRows = insertInto("messages");
const insertItems = insertInto("items", "ON CONFLICT DO NOTHING");
const insertUses = insertInto("message_contents");

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
  "ON CONFLICT (owner, digest, part) DO UPDATE SET size = excluded.size",
);

function* insertContents(owner: string, contents: readonly ContentRow[]): Operation<void> {
  yield* insertContentRows(contents.map(({ digest, part, data }) => [owner, digest, part, data.length, data]));
}
