import type { JsonObject, JsonValue } from "../../turn/index.ts";
import type { Evidence } from "./evidence.ts";
import { isGlue, type Piece, type PieceKind, type Span } from "./question.ts";
import {
  type Allowance,
  fits,
  isLight,
  isNullable,
  limit,
  maxDepth,
  objectOf,
  plain,
  requiredOf,
  typeOf,
  valuesOf,
} from "./schema.ts";
import { made, type ParameterSense, plausible, senseOf, withinLength } from "./values.ts";
import { stemsOf } from "./words.ts";

export interface Walk {
  root: JsonObject;
  evidence: Evidence;
  allowance: Allowance;
  /** All properties count as required. */
  strict: boolean;
}

/** A parameter that takes pieces of the question: one, or a list of them. */
interface Leaf {
  name: string;
  required: boolean;
  whole: JsonObject;
  /** Of the value, or of each item of the list. */
  schema: JsonObject;
  type: string;
  isList: boolean;
  sense: ParameterSense;
  /** The stems of its name. */
  words: ReadonlySet<string>;
}

const maxProperties = 256;
/** Below this depth, lists are as short as the schema allows. */
const deep = 4;

/** Makes a value for a JSON Schema from the question. The schema comes from a client, so the walk is bounded. */
export function fillSchema(walk: Walk): JsonValue {
  return fill("", plain(walk.root, walk.root, walk.allowance), 0, walk);
}

function fill(name: string, schema: JsonObject, depth: number, walk: Walk): JsonValue {
  const leaf = leafOf(name, schema, true, walk);
  if (leaf) return readLeaves([leaf], walk).get(name) ?? null;
  if (isNullable(schema)) return null;
  const isList = typeOf(schema) === "array";
  if (depth > maxDepth || walk.allowance.left <= 0) return isList ? [] : {};
  return isList ? fillList(name, schema, depth, walk) : fillObject(schema, depth, walk);
}

/** `undefined` for an object, and for a list of anything but plain values. */
function leafOf(name: string, whole: JsonObject, required: boolean, walk: Walk): Leaf | undefined {
  const isList = typeOf(whole) === "array" && valuesOf(whole) === undefined;
  const schema = isList ? plain(whole.items, walk.root, walk.allowance) : whole;
  const type = typeOf(schema);
  if ((type === "object" || type === "array") && valuesOf(schema) === undefined) return undefined;
  const words = new Set(stemsOf(name.slice(0, 200)));
  return { name, required, whole, schema, type, isList, sense: senseOf(name, schema), words };
}

function fillList(name: string, schema: JsonObject, depth: number, walk: Walk): JsonValue[] {
  const { least, room } = listSize(schema);
  const count = Math.max(least, depth < deep ? Math.min(1, room) : 0);
  const items = plain(schema.items, walk.root, walk.allowance);
  return Array.from({ length: count }, () => fill(name, items, depth + 1, walk));
}

function fillObject(schema: JsonObject, depth: number, walk: Walk): JsonObject {
  const properties = objectOf(schema.properties);
  const declared = Object.keys(properties);
  walk.allowance.left -= declared.length / 32;
  const required = new Set(walk.strict ? [...requiredOf(schema), ...declared] : requiredOf(schema));
  const names = [...new Set([...declared.slice(0, maxProperties), ...required])];
  const leaves: Leaf[] = [];
  const nested = new Map<string, JsonObject>();
  for (const name of names) {
    const raw = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
    const property = plain(raw, walk.root, walk.allowance);
    const leaf = leafOf(name, property, required.has(name), walk);
    if (leaf) leaves.push(leaf);
    else if (required.has(name)) nested.set(name, property);
  }
  const values = readLeaves(leaves, walk);
  for (const [name, property] of nested) values.set(name, fill(name, property, depth + 1, walk));
  // `fromEntries` makes own properties, also for a name like `__proto__`.
  return Object.fromEntries(names.filter((name) => values.has(name)).map((name) => [name, values.get(name)]));
}

type Reading = (leaf: Leaf, walk: Walk) => JsonValue | undefined;

const named: Reading = ({ schema, type, words }, { evidence, allowance }) => {
  if (type === "boolean") return readFlag([...words].at(-1) ?? "", evidence);
  const values = (valuesOf(schema) ?? []).filter((value) => typeof value === "string" || typeof value === "number");
  allowance.left -= values.length / 4;
  if (allowance.left <= 0) return undefined;
  let first: { span: Span; value: JsonValue } | undefined;
  for (const value of values) {
    const words = stemsOf(String(value).slice(0, 100)).join(" ");
    const span = words === "" || isGlue(String(value).toLowerCase()) ? undefined : evidence.find(words);
    if (span && span.start < (first?.span.start ?? Infinity)) first = { span, value };
  }
  if (first) evidence.claim(first.span);
  return first?.value;
};

/** Whether the question mentions the flag, and whether it negates it. */
function readFlag(root: string, evidence: Evidence): boolean | undefined {
  const span = evidence.find(root);
  if (span === undefined) return undefined;
  const around = evidence.question.pieces.slice(Math.max(0, span.start - 2), span.end + 2);
  return !around.some((piece) => /^(?:no|not|without|don['’]t|disable|never|off|false)$/iu.test(piece.text));
}

const labelled: Reading = (leaf, { evidence }) => {
  const isFor = (piece: Piece): boolean => piece.labels.some((root) => leaf.words.has(root));
  const piece =
    evidence.take((one) => leaf.sense.kinds.includes(one.kind) && isFor(one)) ??
    evidence.take((one) => leaf.sense.isLoose === true && isFor(one));
  return piece && made(piece, leaf);
};

const distinctive: readonly PieceKind[] = ["email", "url", "date", "time", "path"];
const placing = new Set(["in", "at", "near"]);

/** A piece that hardly fits another parameter: an address, a date, a name after a preposition. */
const evidentIn =
  (everywhere: boolean): Reading =>
  (leaf, { evidence }) => {
    const [kind = "mark"] = leaf.sense.kinds;
    const isName = kind === "name";
    const piece =
      evidence.take(
        (one) => one.kind === kind && (isName ? one.after !== "" : distinctive.includes(kind)),
        everywhere,
      ) ?? evidence.take((one) => isName && one.kind === "word" && placing.has(one.after), everywhere);
    return piece && made(piece, leaf);
  };

const byDefault: Reading = ({ whole }, { allowance }) => {
  const ready = whole.default;
  return ready !== undefined && fits(ready, whole) && isLight(ready, allowance) ? ready : undefined;
};

const leftNull: Reading = ({ whole }) => (isNullable(whole) ? null : undefined);

const leftover: Reading = (leaf, { evidence }) => {
  const { kinds } = leaf.sense;
  for (const kind of kinds) {
    const piece = evidence.take((one) => one.kind === kind);
    if (piece) return made(piece, leaf);
  }
  const word = evidence.take((one) => kinds[0] === "name" && one.kind === "word" && one.after !== "");
  return word && made(word, leaf);
};

const wholePhrase: Reading = ({ sense, schema }, { evidence }) => {
  const text = sense.kinds[0] === "quote" ? evidence.phrase() : "";
  return text === "" ? undefined : withinLength(text, schema);
};

const plausibly: Reading = (leaf, { allowance }) => plausible(leaf, allowance);

const maxItems = 32;

/** Applies the reading to each item of a list, until it finds no more. */
function each(reading: Reading, most = maxItems): Reading {
  return (leaf, walk) => {
    if (!leaf.isList) return reading(leaf, walk);
    const { least, room } = listSize(leaf.whole);
    const items: JsonValue[] = [];
    while (items.length < Math.min(most, room)) {
      const item = reading(leaf, walk);
      if (item === undefined) break;
      items.push(item);
    }
    if (items.length === 0 && reading !== plausibly) return undefined;
    while (items.length < least) items.push(plausible(leaf, walk.allowance));
    return items;
  };
}

function listSize(schema: JsonObject): { least: number; room: number } {
  const room = Math.min(maxItems, limit(schema.maxItems, maxItems));
  return { least: Math.min(room, limit(schema.minItems, 0)), room };
}

/** Ordered from what the question clearly says to mere guesses. */
const sure = [each(named), each(labelled), each(evidentIn(false))];
const guesses = [byDefault, leftNull, each(evidentIn(true)), each(leftover), each(wholePhrase, 1), each(plausibly, 1)];

/** The values of an object's parameters. The surest readings run first, across all parameters; guesses only for required ones. */
function readLeaves(leaves: readonly Leaf[], walk: Walk): Map<string, JsonValue> {
  const values = new Map<string, JsonValue>();
  for (const reading of [...sure, ...guesses]) {
    for (const leaf of leaves) {
      if (values.has(leaf.name) || (guesses.includes(reading) && !leaf.required)) continue;
      const value = reading(leaf, walk);
      if (value !== undefined) values.set(leaf.name, value);
    }
  }
  return values;
}
