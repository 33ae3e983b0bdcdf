import type { CustomTool, FunctionTool, JsonObject, JsonValue, Tool } from "../../turn/index.ts";
import { directionOf, type Meaning, meaningOf } from "./meaning.ts";
import { Allowance, alternatives, propertiesOf, requiredOf, resolve, typesOf } from "./schema.ts";
import { contentStems } from "./words.ts";

export type OwnTool = FunctionTool | CustomTool;

/** A parameter as the planner sees it: which kind of piece of the question it takes. */
export interface Slot {
  /** place: any word that is written like a name. */
  kind: "place" | "number" | "enum" | "text" | "other";
  required: boolean;
  isList: boolean;
  values: JsonValue[];
}

/** A tool with the words that a question may call it by. */
export interface CatalogEntry {
  tool: OwnTool;
  nameStems: Set<string>;
  descriptionStems: Set<string>;
  parameterStems: Set<string>;
  valueStems: Set<string>;
  slots: Slot[];
  /** The tool's own words, which are never the name of a place. */
  knownStems: Set<string>;
}

const maxParameters = 64;
/** Of one parameter, and of all of a tool. */
const maxValues = 100;
const maxAllValues = 500;

/** Only the beginning of a description counts: somewhere in a long one is every word. */
const descriptionHead = 300;

export function isOwnTool(tool: Tool): tool is OwnTool {
  return tool.type !== "hosted";
}

export function catalogEntry(tool: OwnTool): CatalogEntry {
  const nameStems = new Set(contentStems(tool.name.slice(0, 200)));
  const entry: CatalogEntry = {
    tool,
    nameStems,
    descriptionStems: new Set(contentStems((tool.description ?? "").slice(0, descriptionHead))),
    parameterStems: new Set(),
    valueStems: new Set(),
    slots: tool.type === "custom" ? [{ kind: "text", required: true, isList: false, values: [] }] : [],
    knownStems: new Set(nameStems),
  };
  if (tool.type === "function" && tool.parameters) readParameters(entry, tool.parameters);
  for (const root of [...entry.parameterStems, ...entry.valueStems]) entry.knownStems.add(root);
  return entry;
}

function readParameters(entry: CatalogEntry, root: JsonObject): void {
  const allowance = new Allowance(300);
  const schema = resolve(root, root, allowance);
  const required = new Set(requiredOf(schema));
  let left = maxAllValues;
  for (const [name, property] of propertiesOf(schema, allowance).slice(0, maxParameters)) {
    const resolved = resolve(property, root, allowance);
    const items = typesOf(resolved).includes("array") ? resolve(resolved.items, root, allowance) : undefined;
    for (const stem of contentStems(name.slice(0, 200))) entry.parameterStems.add(stem);
    const values = valuesOf(items ?? resolved).slice(0, left);
    left -= values.length;
    for (const value of values) {
      if (typeof value === "string") for (const stem of contentStems(value.slice(0, 100))) entry.valueStems.add(stem);
    }
    const kind = kindOf(name, items ?? resolved, root, allowance);
    entry.slots.push({ kind, required: required.has(name), isList: items !== undefined, values });
  }
}

function valuesOf(schema: JsonObject): JsonValue[] {
  return Array.isArray(schema.enum) ? schema.enum.slice(0, maxValues) : [];
}

const placeMeanings = new Set<Meaning>(["place", "timezone", "language", "code"]);
const textMeanings = new Set<Meaning>(["query", "text", "plain", "expression", "command", "path", "person", "id"]);

function kindOf(name: string, schema: JsonObject, root: JsonObject, allowance: Allowance): Slot["kind"] {
  if (Array.isArray(schema.enum)) return "enum";
  const options = alternatives(schema, root, allowance);
  const types = (options.length > 0 ? options : [schema]).flatMap(typesOf);
  if (types.includes("number") || types.includes("integer")) return "number";
  if (!types.includes("string") && types.length > 0) return "other";
  const meaning = meaningOf(name, typeof schema.description === "string" ? schema.description : "");
  if (placeMeanings.has(meaning) || (meaning === "plain" && directionOf(name) !== undefined)) return "place";
  return textMeanings.has(meaning) ? "text" : "other";
}
