import type { RepeatMark, UpstreamBase } from "../../turn/index.ts";
import type { Operation, OperationDefinition } from "../operation.ts";
import { findItems } from "./find-items.ts";
import { findHistory, type History, type ReadMessages, readHistory, readPlaces } from "./history.ts";
import { lastResponse } from "./repeats.ts";
import { numberOf, sql, textOf } from "./statements.ts";

export interface ContextRequest {
  owner: string;
  previous: string | null;
  name: string | null;
  repeat: RepeatMark | null;
  items: readonly string[];
  limit: number;
  /** When the request came in. */
  at: number;
}

export interface ReadContext {
  isTooLarge: boolean;
  /** In characters. */
  size: number;
  /** `null` if the owner has no such response. */
  history: ReadMessages | null;
  base: UpstreamBase | null;
  /** The messages with the items that were asked for. */
  items: ReadMessages;
}

export const readContext: OperationDefinition<ContextRequest, ReadContext> = { writes: false, run: read };

function* read(request: ContextRequest): Operation<ReadContext> {
  const items: ReadMessages = { messages: [], contents: [] };
  const history = yield* historyOf(request);
  const places = yield* findItems(request.owner, request.items);
  const size = places.reduce((sum, place) => sum + place.size, history?.size ?? 0);
  if (size > request.limit) return { isTooLarge: true, size, history: null, base: null, items };
  yield* readPlaces(items, places);
  if (history) return { isTooLarge: false, size, history: yield* readHistory(history), base: history.base, items };
  const isMissing = request.previous !== null;
  return { isTooLarge: false, size, history: isMissing ? null : { messages: [], contents: [] }, base: null, items };
}

function* historyOf(request: ContextRequest): Operation<History | undefined> {
  const { owner, previous: id, name } = request;
  if (id !== null) return yield* findHistory(owner, { by: "response", id, api: null, until: "end_position" });
  return name === null ? undefined : yield* namedHistory(request, name);
}

function* namedHistory({ owner, repeat, at }: ContextRequest, name: string): Operation<History | undefined> {
  const [row] = yield* sql("SELECT id, length FROM conversations WHERE owner = ? AND name = ?", [owner, name]);
  if (!row) return undefined;
  const id = textOf(row, "id");
  const last = repeat ? yield* lastResponse(owner, id, repeat, at) : undefined;
  const until = last?.isRepeated ? last.start : numberOf(row, "length");
  return yield* findHistory(owner, { by: "conversation", id, until });
}
