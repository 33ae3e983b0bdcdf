import type { JsonObject, JsonValue } from "../../turn/index.ts";
import type { Piece, PieceKind } from "./question.ts";
import { type Allowance, fits, isLight, limit, typeOf, valuesOf } from "./schema.ts";
import { stemsOf } from "./words.ts";

/** What a parameter seems to need: which kinds of pieces, the best first, and an example if the question has none. */
export interface ParameterSense {
  kinds: readonly PieceKind[];
  example: string;
  /** Whether any kind of piece will do if it follows the parameter's own name. */
  isLoose?: boolean;
  /** Converts a piece to the schema's format. */
  write?: (text: string) => string;
}

const vocabulary: [string, ParameterSense][] = [
  ["email", { kinds: ["email"], example: "alex@example.com" }],
  ["url uri link website", { kinds: ["url"], example: "https://example.com/" }],
  ["path file filename directory folder", { kinds: ["path", "quote"], example: "example.txt" }],
  ["timezone zone", { kinds: ["path", "name"], example: "UTC" }],
  [
    "location city place town country region state address origin destination airport",
    { kinds: ["name", "quote"], example: "Paris", isLoose: true },
  ],
  ["date day", { kinds: ["date"], example: "2025-01-01" }],
  ["time hour", { kinds: ["time"], example: "12:00" }],
  ["query search question topic text message content body prompt title", { kinds: ["quote"], example: "example" }],
];
const meanings = vocabulary.map(([words, sense]) => ({ roots: new Set(stemsOf(words)), sense }));

const formats = new Map<string, ParameterSense>([
  ["date", { kinds: ["date"], example: "2025-01-01" }],
  ["date-time", { kinds: ["date"], example: "2025-01-01T12:00:00Z", write: (date) => `${date}T12:00:00Z` }],
  ["time", { kinds: ["time"], example: "12:00:00Z", write: (time) => `${time.padStart(5, "0")}:00Z` }],
  ["email", { kinds: ["email"], example: "alex@example.com" }],
  ["uri", { kinds: ["url"], example: "https://example.com/" }],
  ["uuid", { kinds: [], example: "123e4567-e89b-12d3-a456-426614174000" }],
]);

const any: ParameterSense = { kinds: ["quote", "name"], example: "example", isLoose: true };
const number: ParameterSense = { kinds: ["number"], example: "1" };
const none: ParameterSense = { kinds: [], example: "" };

/** By the schema, then by the words of the name. The first matching row of the vocabulary wins: "city name" is a place. */
export function senseOf(name: string, schema: JsonObject): ParameterSense {
  const type = typeOf(schema);
  if (valuesOf(schema) || type === "boolean" || type === "null") return none;
  if (type === "number" || type === "integer") return number;
  const format = typeof schema.format === "string" ? formats.get(schema.format) : undefined;
  const roots = stemsOf(name.slice(0, 200));
  return format ?? meanings.find((row) => roots.some((root) => row.roots.has(root)))?.sense ?? any;
}

interface Wanted {
  schema: JsonObject;
  type: string;
  sense: ParameterSense;
}

/** The value made from a piece of the question. */
export function made(piece: Piece, { schema, sense }: Wanted): JsonValue {
  if (sense === number) return withinBounds(piece.number ?? 1, schema);
  return withinLength(sense.write?.(piece.text) ?? piece.text, schema);
}

/** A value for a parameter that the question does not mention. */
export function plausible({ schema, type, sense }: Wanted, allowance: Allowance): JsonValue {
  const [value] = valuesOf(schema) ?? [];
  if (value !== undefined && isLight(value, allowance)) return value;
  if (type === "number" || type === "integer") return withinBounds(1, schema);
  if (type === "boolean") return false;
  return type === "null" ? null : withinLength(sense.example, schema);
}

/** The number, changed as little as the schema's limits require. */
function withinBounds(wanted: number, schema: JsonObject): number {
  const step = limit(schema.multipleOf, typeOf(schema) === "integer" ? 1 : 0);
  const low = Math.max(limit(schema.minimum, -Infinity), limit(schema.exclusiveMinimum, -Infinity));
  const high = Math.min(limit(schema.maximum, Infinity), limit(schema.exclusiveMaximum, Infinity));
  // Floating point: 3 × 0.1 must be written 0.3.
  const onStep = (value: number): number =>
    step > 0 ? Number((Math.round(value / step) * step).toPrecision(12)) : value;
  const [near, far] = wanted > high ? [high, low] : [low, high];
  const pace = near === high ? -(step || 1) : step || 1;
  const candidates = [wanted, near, near + pace, (near + far) / 2, far].map(onStep).filter(Number.isFinite);
  return candidates.find((value) => fits(value, schema)) ?? candidates[0] ?? 0;
}

const longestPadding = 10_000;

/** The text, changed as little as the schema's limits require. */
export function withinLength(text: string, schema: JsonObject): string {
  if (fits(text, schema)) return text;
  const least = Math.min(limit(schema.minLength, 0), longestPadding);
  const filler = `${text || "example"} `;
  const padded = Array.from(text).length < least ? filler.repeat(Math.ceil(least / Array.from(filler).length)) : text;
  const most = padded === text ? limit(schema.maxLength, Infinity) : least;
  return Array.from(padded).slice(0, Math.max(0, most)).join("");
}
