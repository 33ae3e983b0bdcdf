import type { OutputUnit } from "@cfworker/json-schema";
import { isObject, type JsonValue } from "../../turn/index.ts";
import { blame } from "./blame.ts";
import { keywordsOf, nodeAt, pointer, segmentsOf, valueAt } from "./locations.ts";
import type { Prepared } from "./prepare.ts";
import type { SchemaNode } from "./schema-node.ts";
import { ruleIndex } from "./text-rule.ts";
import { clipped, counted, quoted } from "./words.ts";

/**
 * What is wrong with arguments: where (a JSON pointer, "" for the whole) and what, in a short English sentence that a model can
 * act on. It never contains argument values, which are private; it may contain property names.
 */
export interface Mismatch {
  path: string;
  message: string;
}

export function describe(errors: readonly OutputUnit[], value: JsonValue, prepared: Prepared): Mismatch {
  const chosen = blame(errors, prepared);
  if (!chosen) return mismatch([], "must fit the tool's schema");
  if (chosen.kind === "error") return describeError(chosen.error, value, prepared);
  const segments = segmentsOf(chosen.place);
  if (chosen.kind === "values") return mismatch(segments, notOneOf(chosen.values));
  return mismatch(segments, wrongType(chosen.types, valueAt(value, segments), segments.length === 0));
}

function describeError(error: OutputUnit, arguments_: JsonValue, prepared: Prepared): Mismatch {
  const segments = segmentsOf(error.instanceLocation);
  const node = nodeAt(error.keywordLocation, prepared);
  const keywords = keywordsOf(error.keywordLocation);
  if (!node) return mismatch(segments, "must fit the tool's schema");
  const isName = keywords.includes("propertyNames");
  const value = isName ? segments.at(-1) : valueAt(arguments_, segments);
  if (error.keyword === "required") return missing(segments, node.required ?? [], value);
  if (error.keyword === "dependentRequired") return missingBeside(segments, node.dependentRequired ?? {}, value);
  if (node.isNothing) return mismatch(segments, unwanted(keywords.at(-2), segments.length));
  if (error.keyword === "type") return mismatch(segments, wrongType(node.type ?? [], value, segments.length === 0));
  const words = sentence(error.keyword, node, value, prepared);
  return mismatch(segments, isName ? `has a name that does not fit: it ${words}` : words);
}

function mismatch(segments: readonly string[], message: string): Mismatch {
  return { path: pointer(segments), message: clipped(message, 300) };
}

function sentence(keyword: string, node: SchemaNode, value: JsonValue | undefined, { rules }: Prepared): string {
  switch (keyword) {
    case "enum":
      return notOneOf(node.enum ?? []);
    case "format": {
      const rule = rules[ruleIndex(node.format ?? "")];
      return (typeof value === "string" ? rule?.complaint(value) : undefined) ?? "must have the right format";
    }
    case "not":
      return "must not be what its schema excludes (`not`)";
    case "oneOf":
      return "must fit only one of the alternatives of its schema, but fits several";
    case "contains":
      return "must contain an item of the kind that its schema demands";
    case "uniqueItems":
      return "must not contain the same item twice";
    default: {
      const words = limits.get(keyword);
      const limit = Reflect.get(node, keyword);
      return words && typeof limit === "number" ? words(limit) : "must fit the tool's schema";
    }
  }
}

const limits = new Map<string, (limit: number) => string>([
  ["minimum", (limit) => `must be at least ${limit}`],
  ["maximum", (limit) => `must be at most ${limit}`],
  ["exclusiveMinimum", (limit) => `must be greater than ${limit}`],
  ["exclusiveMaximum", (limit) => `must be less than ${limit}`],
  ["multipleOf", (limit) => `must be a multiple of ${limit}`],
  ["minItems", (limit) => `must have at least ${counted(limit, "item")}`],
  ["maxItems", (limit) => `must have at most ${counted(limit, "item")}`],
  ["minContains", (limit) => `must contain at least ${counted(limit, "item")} of the kind that its schema demands`],
  ["maxContains", (limit) => `must contain at most ${counted(limit, "item")} of the kind that its schema names`],
  ["minProperties", (limit) => `must have at least ${counted(limit, "property", "properties")}`],
  ["maxProperties", (limit) => `must have at most ${counted(limit, "property", "properties")}`],
]);

function missing(segments: string[], required: readonly string[], value: JsonValue | undefined): Mismatch {
  const [first = "", ...others] = absent(required, value);
  const more = others.slice(0, 5).map(quoted).join(", ");
  const also = more === "" ? "" : ` (missing too: ${more}${others.length > 5 ? ", …" : ""})`;
  return mismatch([...segments, first], `is required but missing${also}`);
}

function missingBeside(
  segments: string[],
  demands: Readonly<Record<string, string[]>>,
  value: JsonValue | undefined,
): Mismatch {
  for (const [key, required] of Object.entries(demands)) {
    const [first] = isObject(value) && Object.hasOwn(value, key) ? absent(required, value) : [];
    if (first !== undefined) return mismatch([...segments, first], `is required beside ${quoted(key)} but missing`);
  }
  return mismatch(segments, "must have the properties that others require");
}

function absent(required: readonly string[], value: JsonValue | undefined): string[] {
  return required.filter((key) => !isObject(value) || !Object.hasOwn(value, key));
}

/** The message for a value whose schema is `false`; `around` is the keyword that contains the schema. */
function unwanted(around: string | undefined, depth: number): string {
  if (around === "additionalProperties" || around === "unevaluatedProperties") {
    return `must not be there: the ${depth === 1 ? "tool has no parameter" : "object has no property"} of this name`;
  }
  if (around === "items" || around === "unevaluatedItems") return "must not be there: the list has no room for it";
  return "must not be there";
}

const typeNames = new Map([
  ["array", "an array"],
  ["object", "an object"],
  ["integer", "an integer"],
  ["null", "null"],
]);

function wrongType(types: readonly string[], value: JsonValue | undefined, isWhole: boolean): string {
  const names = types.map((type) => typeNames.get(type) ?? `a ${type}`);
  const last = names.pop();
  const wanted = names.length === 0 ? last : `${names.join(", ")} or ${last}`;
  return `must be ${wanted}, but ${isWhole ? "are" : "is"} ${kindOf(value, types)}`;
}

function kindOf(value: JsonValue | undefined, types: readonly string[]): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "object") return Array.isArray(value) ? "an array" : "an object";
  return typeof value === "number" && types.includes("integer") ? "a fraction" : `a ${typeof value}`;
}

function notOneOf(values: readonly JsonValue[]): string {
  const [only, ...others] = values.slice(0, 20).map((value) => clipped(JSON.stringify(value), 100));
  if (only === undefined) return "must fit the tool's schema";
  if (others.length === 0) return `must be ${only}`;
  const list = clipped([only, ...others].join(", "), 250);
  return `is not one of ${list}${values.length > 20 ? ", …" : ""}`;
}
