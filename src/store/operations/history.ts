import type { UpstreamBase } from "../../turn/index.ts";
import type { ContentRow } from "../contents.ts";
import type { MessageColumns } from "../messages.ts";
import type { Operation, Row, Statement } from "../operation.ts";
import { originalText } from "../storable.ts";
import { readContents } from "./read-contents.ts";
import { numberOf, sql, textOf, textOrNull } from "./statements.ts";

/** A message where it is stored. */
export interface PlacedMessage extends MessageColumns {
  conversation: string;
  position: number;
}

/** Messages, and the large strings in them. */
export interface ReadMessages {
  messages: PlacedMessage[];
  contents: ContentRow[];
}

/** The end of a history: a response, or a conversation up to a position. */
export type HistoryEnd =
  | { by: "response"; id: string; api: string | null; until: "output_position" | "end_position" }
  | { by: "conversation"; id: string; until: number };

/** A history that was found, but whose messages were not read yet. */
export interface History {
  owner: string;
  end: HistoryEnd;
  /** Its length in messages, and its size in characters. */
  length: number;
  size: number;
  /** State at a provider before the first message. */
  base: UpstreamBase | null;
}

/** `undefined` if the owner has no such response or conversation. */
export function* findHistory(owner: string, end: HistoryEnd): Operation<History | undefined> {
  const chain = chainOf(owner, end);
  const rows = yield* sql(
    `${chain.sql}
    SELECT chain.until, c.base_backend, c.base_response,
      (SELECT CAST(COALESCE(SUM(m.size), 0) AS BIGINT) FROM messages m
        WHERE m.conversation = chain.id AND m.position < chain.until) AS size
    FROM chain CROSS JOIN conversations c WHERE c.id = chain.id ORDER BY chain.depth`,
    chain.values,
  );
  const newest = rows.at(0);
  const oldest = rows.at(-1);
  if (!newest || !oldest) return undefined;
  const size = rows.reduce((sum, row) => sum + numberOf(row, "size"), 0);
  return { owner, end, length: numberOf(newest, "until"), size, base: baseOf(oldest) };
}

/**
 * The conversations of a history: the newest one, the one that it was forked from, and so on. One statement reads a history,
 * whatever its length: it recurses over forks, not over turns.
 */
export function chainOf(owner: string, end: HistoryEnd): Statement {
  const seed = seedOf(owner, end);
  const text = `WITH RECURSIVE chain (id, parent, parent_position, until, depth) AS (
      ${seed.sql}
      UNION ALL
      SELECT c.id, c.parent, c.parent_position, chain.parent_position, chain.depth + 1
      FROM chain CROSS JOIN conversations c WHERE c.id = chain.parent AND c.owner = ?)`;
  return { sql: text, values: [...seed.values, owner] };
}

function seedOf(owner: string, end: HistoryEnd): Statement {
  if (end.by === "conversation") {
    const text = `SELECT id, parent, parent_position, CAST(? AS BIGINT), CAST(0 AS BIGINT)
      FROM conversations WHERE id = ? AND owner = ?`;
    return { sql: text, values: [end.until, end.id, owner] };
  }
  const text = `SELECT s.id, s.parent, s.parent_position, r.${end.until}, CAST(0 AS BIGINT)
      FROM responses r CROSS JOIN conversations s
      WHERE r.owner = ? AND r.id = ? AND s.id = r.conversation AND s.owner = ?`;
  const values = [owner, end.id, owner];
  return end.api === null ? { sql: text, values } : { sql: `${text} AND r.api = ?`, values: [...values, end.api] };
}

function baseOf(row: Row): UpstreamBase | null {
  const backend = textOrNull(row, "base_backend");
  const responseId = textOrNull(row, "base_response");
  return backend === null || responseId === null ? null : { backend, responseId: originalText(responseId) };
}

/** Characters and messages that one statement reads of a history, about. */
const charactersAtOnce = 2 * 1024 * 1024;
const messagesAtOnce = 1_000;

/** The messages of a history, oldest first. A large history takes several statements, so that none of them takes long. */
export function* readHistory(history: History): Operation<ReadMessages> {
  const { length, size } = history;
  return yield* readRange(history, { from: 0, until: length, size });
}

/** Messages of a history from a position up to another, and their size in characters. */
export interface HistoryRange {
  from: number;
  until: number;
  size: number;
}

type HistoryName = Pick<History, "owner" | "end">;

export function* readRange({ owner, end }: HistoryName, { from, until, size }: HistoryRange): Operation<ReadMessages> {
  const chain = chainOf(owner, end);
  const read: ReadMessages = { messages: [], contents: [] };
  const fitting = Math.floor(((until - from) * charactersAtOnce) / Math.max(size, 1));
  const step = Math.max(1, Math.min(fitting, messagesAtOnce));
  for (let at = from; at < until; at += step) {
    const range = [at, Math.min(at + step, until)];
    const condition = "m.conversation = chain.id AND m.position < chain.until AND m.position >= ? AND m.position < ?";
    const rows = yield* sql(
      `${chain.sql} SELECT ${messageColumns} FROM chain CROSS JOIN messages m WHERE ${condition} ORDER BY m.position`,
      [...chain.values, ...range],
    );
    yield* addMessages(read, rows, {
      sql: `${chain.sql} SELECT DISTINCT m.digest FROM chain CROSS JOIN message_contents m WHERE ${condition}`,
      values: [...chain.values, ...range],
    });
  }
  return read;
}

/** A message without its text. */
export interface OutlinedMessage {
  position: number;
  role: string;
  size: number;
  /** Whether the gateway runs calls of the message, or may run them: what follows it is the same answer. */
  isOpen: boolean;
}

/** `message-writer.ts` writes calls so, and very long JSON as a mark. */
const isOpen = `m.role = 'assistant' AND (m.content_json LIKE '%"owner":"gateway"%' OR m.content_json LIKE '{"digest":%')`;

export function* readOutline({ owner, end }: HistoryName, from: number, until: number): Operation<OutlinedMessage[]> {
  const chain = chainOf(owner, end);
  const rows = yield* sql(
    `${chain.sql} SELECT m.position, m.role, m.size, CASE WHEN ${isOpen} THEN 1 ELSE 0 END AS is_open
    FROM chain CROSS JOIN messages m WHERE m.conversation = chain.id AND m.position < chain.until AND m.position >= ? AND m.position < ? ORDER BY m.position`,
    [...chain.values, from, until],
  );
  return rows.map((row) => ({
    position: numberOf(row, "position"),
    role: textOf(row, "role"),
    size: numberOf(row, "size"),
    isOpen: numberOf(row, "is_open") === 1,
  }));
}

export const messageColumns =
  "m.conversation, m.position, m.role, m.tool_call_id, m.content, m.content_json, m.tool_calls, m.function_call";

/** Reads the messages of a conversation from a position up to another. */
export function* readMessages(to: ReadMessages, conversation: string, from: number, until: number): Operation<void> {
  const condition = "conversation = ? AND position >= ? AND position < ?";
  for (let at = from; at < until; at += messagesAtOnce) {
    const range = [conversation, at, Math.min(at + messagesAtOnce, until)];
    const rows = yield* sql(`SELECT ${messageColumns} FROM messages m WHERE ${condition} ORDER BY m.position`, range);
    const digests = `SELECT DISTINCT digest FROM message_contents WHERE ${condition}`;
    yield* addMessages(to, rows, { sql: digests, values: range });
  }
}

const placesAtOnce = 256;

/** Reads single messages. */
export function* readPlaces(
  to: ReadMessages,
  places: readonly Pick<PlacedMessage, "conversation" | "position">[],
): Operation<void> {
  for (let at = 0; at < places.length; at += placesAtOnce) {
    const some = places.slice(at, at + placesAtOnce);
    const wanted = `WITH wanted (conversation, position) AS (VALUES ${some.map(() => "(?, CAST(? AS BIGINT))").join(", ")})`;
    const values = some.flatMap(({ conversation, position }) => [conversation, position]);
    const condition = "m.conversation = wanted.conversation AND m.position = wanted.position";
    const rows = yield* sql(
      `${wanted} SELECT ${messageColumns} FROM wanted CROSS JOIN messages m WHERE ${condition} ORDER BY m.position`,
      values,
    );
    yield* addMessages(to, rows, {
      sql: `${wanted} SELECT DISTINCT m.digest FROM wanted CROSS JOIN message_contents m WHERE ${condition}`,
      values,
    });
  }
}

/** Adds messages, and those of their large strings that were not read yet. */
function* addMessages(to: ReadMessages, rows: readonly Row[], digests: Statement): Operation<void> {
  const messages = rows.map(messageOf);
  for (const message of messages) to.messages.push(message);
  if (!messages.some(hasContents)) return;
  const known = new Set(to.contents.map(({ digest }) => digest));
  const wanted = (yield digests).map((row) => textOf(row, "digest")).filter((digest) => !known.has(digest));
  yield* readContents(to.contents, messages[0]?.conversation ?? "", wanted);
}

export function messageOf(row: Row): PlacedMessage {
  return {
    conversation: textOf(row, "conversation"),
    position: numberOf(row, "position"),
    role: textOf(row, "role"),
    content: textOrNull(row, "content"),
    contentJson: textOrNull(row, "content_json"),
    toolCalls: textOrNull(row, "tool_calls"),
    functionCall: textOrNull(row, "function_call"),
    toolCallId: textOrNull(row, "tool_call_id"),
  };
}

/** Whether a message may have large strings that are stored elsewhere: every mark of one is written like this. */
function hasContents({ contentJson, toolCalls, functionCall }: PlacedMessage): boolean {
  return [contentJson, toolCalls, functionCall].some((json) => json?.includes('{"digest":"'));
}
