import type { InputPlaces } from "../../turn/index.ts";
import type { Operation, OperationDefinition } from "../operation.ts";
import type { ItemPosition } from "../placed-ids.ts";
import {
  chainOf,
  type HistoryEnd,
  type OutlinedMessage,
  type ReadMessages,
  readOutline,
  readRange,
} from "./history.ts";
import type { AnswerName } from "./read-answer.ts";
import { numberOf, numberOrNull, sql, textOf } from "./statements.ts";

export interface InputRequest extends AnswerName {
  direction: "up" | "down";
  from: number | null;
  count: number;
}

/** Whole sections of what a model was given: see `InputWindow`. */
export interface ReadInput extends ReadMessages {
  start: number;
  end: number;
  length: number;
  legacy: boolean;
  size: number;
}

/** Sections that come after as many characters are not read. */
const mostCharacters = 4 * 1024 * 1024;
/** Messages that are looked at in search of the end of a section. */
const outlinedAtOnce = 256;

export const readInput: OperationDefinition<InputRequest, ReadInput | null> = {
  writes: false,
  *run({ owner, api, id, direction, from, count }) {
    const text = "SELECT conversation, output_position, legacy FROM responses WHERE owner = ? AND id = ? AND api = ?";
    const [row] = yield* sql(text, [owner, id, api]);
    if (!row) return null;
    const length = numberOf(row, "output_position");
    const end: HistoryEnd = { by: "conversation", id: textOf(row, "conversation"), until: length };
    const start = direction === "up" ? (from ?? 0) : Math.min(from ?? length, length - 1) - count + 1;
    const window = { from: Math.max(0, start), until: Math.min(start + count, length) };
    const around = yield* sectionsAround({ owner, end }, length, window);
    const outline = direction === "up" ? withoutLast(around) : withoutFirst(around);
    const positions = { start: outline.at(0)?.position ?? 0, end: (outline.at(-1)?.position ?? -1) + 1 };
    const size = outline.reduce((sum, message) => sum + message.size, 0);
    const read = yield* readRange({ owner, end }, { from: positions.start, until: positions.end, size });
    return { ...read, ...positions, length, legacy: numberOf(row, "legacy") === 1, size };
  },
};

/** Whether a section begins with the message. */
export function isBeginning({ role }: { role: string }): boolean {
  return role !== "assistant" && role !== "tool";
}

/** All messages of the sections that have messages in a window. */
function* sectionsAround(
  history: { owner: string; end: HistoryEnd },
  length: number,
  { from, until }: { from: number; until: number },
): Operation<OutlinedMessage[]> {
  let outline = from < until ? yield* readOutline(history, from, until) : [];
  const [first] = outline;
  if (!first) return outline;
  let isWhole = isBeginning(first);
  for (let start = from; start > 0 && !isWhole; start -= outlinedAtOnce) {
    const before = yield* readOutline(history, Math.max(0, start - outlinedAtOnce), start);
    const at = before.findLastIndex(isBeginning);
    isWhole = at !== -1;
    outline = [...before.slice(Math.max(0, at)), ...outline];
  }
  isWhole = false;
  for (let end = until; end < length && !isWhole; end += outlinedAtOnce) {
    const behind = yield* readOutline(history, end, Math.min(end + outlinedAtOnce, length));
    const at = behind.findIndex(isBeginning);
    isWhole = at !== -1;
    outline = [...outline, ...(isWhole ? behind.slice(0, at) : behind)];
  }
  return outline;
}

function withoutLast(outline: OutlinedMessage[]): OutlinedMessage[] {
  let size = 0;
  const end = outline.findIndex((message) => {
    const isTooMuch = size > mostCharacters && isBeginning(message);
    size += message.size;
    return isTooMuch;
  });
  return end === -1 ? outline : outline.slice(0, end);
}

function withoutFirst(outline: OutlinedMessage[]): OutlinedMessage[] {
  let size = 0;
  const start = outline.findLastIndex((message) => {
    size += message.size;
    return size > mostCharacters && isBeginning(message);
  });
  return outline.slice(Math.max(0, start));
}

export interface PlacesRequest extends AnswerName {
  item: string;
  /** Where the item is, if its id says so. */
  placed: ItemPosition | null;
}

/** `null` if the model was not given the item. */
export const findInput: OperationDefinition<PlacesRequest, InputPlaces | null> = {
  writes: false,
  *run({ owner, api, id, item, placed }) {
    const chain = chainOf(owner, { by: "response", id, api, until: "output_position" });
    const [row = {}] = yield* sql(
      `${chain.sql} SELECT MIN(i.position) AS low, MAX(i.position) AS high FROM items i CROSS JOIN chain
      WHERE i.owner = ? AND i.id = ? AND i.conversation = chain.id AND i.position < chain.until`,
      [...chain.values, owner, item],
    );
    const found = [numberOrNull(row, "low"), numberOrNull(row, "high")];
    if (placed) {
      const text = `${chain.sql} SELECT 1 AS found FROM chain WHERE chain.id = ? AND chain.until > ?`;
      const rows = yield* sql(text, [...chain.values, placed.conversation, placed.position]);
      if (rows.length > 0) found.push(placed.position);
    }
    const positions = found.filter((position) => position !== null);
    return positions.length > 0 ? { first: Math.min(...positions), last: Math.max(...positions) } : null;
  },
};
