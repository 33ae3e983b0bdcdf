import { isObject, parseJson } from "../../turn/index.ts";
import type { Operation, OperationDefinition, Row, SqlValue } from "../operation.ts";
import { type ReadAnswer, responseColumns, responseOf, withOutput } from "./read-answer.ts";
import { each, numberOf, sql, textOf } from "./statements.ts";

export interface ListRequest {
  owner: string;
  api: string;
  limit: number;
  order: "asc" | "desc";
  after: string | null;
  model: string | null;
  metadata: readonly (readonly [string, string])[];
}

export interface ReadList {
  answers: ReadAnswer[];
  hasMore: boolean;
}

/** `null` if `after` names no response of the owner. */
export const listAnswers: OperationDefinition<ListRequest, ReadList | null> = { writes: false, run: list };

/** Rows of one scan, and the most rows that one list looks at. */
const page = 500;
const mostRows = 20_000;
/** When the answers of a list have this many characters, the list ends early. */
const mostCharacters = 16 * 1024 * 1024;

interface Cursor {
  createdAt: number;
  id: string;
}

function* list(request: ListRequest): Operation<ReadList | null> {
  const start = request.after === null ? undefined : yield* cursorOf(request, request.after);
  if (start === null) return null;
  const { ids, hasMore } = yield* findMatches(request, start);
  const rows = yield* each(
    ids.slice(0, request.limit),
    (list) => `SELECT ${responseColumns} FROM responses WHERE owner = ? AND id IN ${list}`,
    [request.owner],
  );
  const responses = new Map(rows.map((row) => [textOf(row, "id"), responseOf(row)]));
  const answers: ReadAnswer[] = [];
  let characters = 0;
  for (const id of ids.slice(0, request.limit)) {
    const response = responses.get(id);
    if (!response) continue;
    if (characters > mostCharacters) return { answers, hasMore: true };
    const answer = yield* withOutput(response);
    characters += answer.size;
    answers.push(answer);
  }
  return { answers, hasMore };
}

function* cursorOf({ owner, api }: ListRequest, id: string): Operation<Cursor | null> {
  const text = "SELECT created_at, id FROM responses WHERE owner = ? AND id = ? AND api = ?";
  const [row] = yield* sql(text, [owner, id, api]);
  return row ? { createdAt: numberOf(row, "created_at"), id: textOf(row, "id") } : null;
}

/** The ids of the responses that match. No index finds them by model or metadata, so a list looks at a bounded number of rows. */
function* findMatches(request: ListRequest, start: Cursor | undefined): Operation<{ ids: string[]; hasMore: boolean }> {
  const ids: string[] = [];
  let cursor = start;
  for (let seen = 0; seen < mostRows; seen += page) {
    const rows = yield* scan(request, cursor);
    for (const row of rows) {
      if (!matches(row, request)) continue;
      if (ids.length === request.limit) return { ids, hasMore: true };
      ids.push(textOf(row, "id"));
    }
    const last = rows.at(-1);
    if (!last || rows.length < page) return { ids, hasMore: false };
    cursor = { createdAt: numberOf(last, "created_at"), id: textOf(last, "id") };
  }
  // Clients go on behind the last answer of a page. Behind an empty page they would stop, or ask for the same page for ever.
  return { ids, hasMore: ids.length > 0 };
}

function* scan({ owner, api, order, model, limit, metadata }: ListRequest, cursor: Cursor | undefined) {
  const values: SqlValue[] = [owner, api];
  let conditions = "owner = ? AND api = ?";
  if (cursor) {
    conditions += ` AND (created_at, id) ${order === "asc" ? ">" : "<"} (?, ?)`;
    values.push(cursor.createdAt, cursor.id);
  }
  const rows = model === null && metadata.length === 0 ? Math.min(page, limit + 1) : page;
  const by = order === "asc" ? "created_at, id" : "created_at DESC, id DESC";
  return yield* sql(
    `SELECT id, created_at, model, metadata FROM responses WHERE ${conditions} ORDER BY ${by} LIMIT ?`,
    [...values, rows],
  );
}

function matches(row: Row, { model, metadata: pairs }: ListRequest): boolean {
  if (model !== null && textOf(row, "model") !== model) return false;
  if (pairs.length === 0) return true;
  const metadata = parseJson(textOf(row, "metadata"));
  return isObject(metadata) && pairs.every(([key, value]) => metadata[key] === value);
}
