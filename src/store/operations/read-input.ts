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
  /** The positions at which sections begin. */
  sections: number[];
  start: number;
  end: number;
  length: number;
  legacy: boolean;
  size: number;
}

/** Sections that come after as many characters are not read. */
const mostCharacters = 4 * 1024 * 1024;
/** Messages that are looked at in search of the end of a section. */
const outlinedAtOnce = 64;

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
    const sections = direction === "up" ? firstOf(around) : firstOf(around.reverse()).reverse();
    const positions = sections.map(([first]) => first?.position ?? 0);
    const range = { from: positions[0] ?? 0, until: (sections.at(-1)?.at(-1)?.position ?? -1) + 1 };
    const size = sections.reduce((sum, section) => sum + sizeOf(section), 0);
    const read = yield* readRange({ owner, end }, { ...range, size });
    const legacy = numberOf(row, "legacy") === 1;
    return { ...read, sections: positions, start: range.from, end: range.until, length, legacy, size };
  },
};

type Section = readonly OutlinedMessage[];

/** The sections that have messages in a window, whole. */
function* sectionsAround(
  history: { owner: string; end: HistoryEnd },
  length: number,
  { from, until }: { from: number; until: number },
): Operation<Section[]> {
  if (from >= until) return [];
  let outline = yield* readOutline(history, from, until);
  let sections = sectionsOf(outline);
  for (let start = from; start > 0 && (sections[0]?.[0]?.position ?? until) > from; start -= outlinedAtOnce) {
    outline = [...(yield* readOutline(history, Math.max(0, start - outlinedAtOnce), start)), ...outline];
    sections = sectionsOf(outline);
  }
  for (let end = until; end < length && (sections.at(-1)?.[0]?.position ?? 0) < until; end += outlinedAtOnce) {
    outline = [...outline, ...(yield* readOutline(history, end, Math.min(end + outlinedAtOnce, length)))];
    sections = sectionsOf(outline);
  }
  return sections.filter((section) => (section[0]?.position ?? 0) < until && (section.at(-1)?.position ?? 0) >= from);
}

/** A message and the outputs of its calls are a section, and so is an answer for which the gateway ran tools. */
function sectionsOf(outline: readonly OutlinedMessage[]): Section[] {
  const sections: OutlinedMessage[][] = [];
  // Nothing is known of what comes before the first message.
  let isOpen = true;
  for (const message of outline) {
    const { role, position } = message;
    const isBeginning = role !== "tool" && (role !== "assistant" || !isOpen);
    if (isBeginning || position === 0) sections.push([message]);
    else sections.at(-1)?.push(message);
    if (role !== "tool") isOpen = message.isOpen;
  }
  return sections;
}

/** The first sections up to a size, at least one. */
function firstOf(sections: readonly Section[]): Section[] {
  let size = 0;
  const end = sections.findIndex((section) => {
    if (size > mostCharacters) return true;
    size += sizeOf(section);
    return false;
  });
  return end === -1 ? [...sections] : sections.slice(0, end);
}

function sizeOf(section: Section): number {
  return section.reduce((sum, { size }) => sum + size, 0);
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
