import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";
import type { Evidence } from "./evidence.ts";
import { fits, limit } from "./fits.ts";
import { fillBoolean, fillEnum, fillNumber, fillText } from "./leaf.ts";
import { meaningOf } from "./meaning.ts";
import { Allowance, alternatives, propertiesOf, requiredOf, resolve, type SchemaType, typesOf } from "./schema.ts";
import { allowanceAt, type Filled, given, isUsable, nothing, type Spot, type Walk, weigh } from "./walk.ts";

const maxDepth = 24;
const maxItems = 32;

/** A value for a JSON Schema out of the question. The schema is a client's: the walk is bounded whatever it says. */
export function fillSchema(
  schema: JsonObject,
  evidence: Evidence,
  options: { strict: boolean; facts?: JsonObject },
): JsonValue {
  const walk: Walk = {
    root: schema,
    evidence,
    needed: new Allowance(2_000),
    looked: new Allowance(400),
    strict: options.strict,
    facts: options.facts ?? {},
  };
  return fill(schema, { name: "", depth: 0, reach: "all", needed: true, open: false }, walk).value;
}

function fill(raw: JsonValue | undefined, spot: Spot, walk: Walk): Filled {
  const allowance = allowanceAt(spot, walk);
  const schema = resolve(raw, walk.root, allowance);
  const types = typesOf(schema);
  if (!allowance.spend(1) || spot.depth > maxDepth) return { value: nothing(types[0]), evident: false, whole: false };
  const fact = Object.hasOwn(walk.facts, spot.name) ? walk.facts[spot.name] : undefined;
  if (fact !== undefined && isUsable(fact, schema, walk, allowance)) return { value: fact, evident: true, whole: true };
  const options = alternatives(schema, walk.root, allowance);
  if (options.length > 0) return fillAlternative(options, spot, walk);
  if (schema.const !== undefined && weigh(schema.const, allowance)) return given(schema.const);
  const filled = Array.isArray(schema.enum)
    ? fillEnum(schema.enum, types, spot, walk)
    : ofType(types.find((one) => one !== "null") ?? types[0] ?? "string", schema, wanting(types, spot), walk);
  if (filled.evident && (filled.whole || !types.includes("null"))) return filled;
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  for (const ready of [schema.default, example]) {
    if (ready !== undefined && isUsable(ready, schema, walk, allowance)) return given(ready);
  }
  return types.includes("null") && schema.enum === undefined ? given(null) : filled;
}

/** What may be null is left null unless the question clearly speaks of it. */
function wanting(types: readonly SchemaType[], spot: Spot): Spot {
  return types.includes("null") && spot.reach === "all" ? { ...spot, reach: "own", needed: false } : spot;
}

/** The alternative that the question speaks for, else the first that is more than null. */
function fillAlternative(options: JsonObject[], spot: Spot, walk: Walk): Filled {
  const isNull = (option: JsonObject): boolean => option.const === null || typesOf(option)[0] === "null";
  const named = options.find((option) => {
    const constants = propertiesOf(option, walk.looked).map(([, property]) =>
      isObject(property) ? property.const : undefined,
    );
    const values = [option.const, ...constants].filter((value) => value !== undefined);
    return walk.evidence.namedValues(values, "own").length > 0;
  });
  const chosen = named ?? options.find((option) => !isNull(option)) ?? options[0] ?? {};
  const filled = fill(chosen, options.some(isNull) ? wanting(["null"], spot) : spot, walk);
  return !(filled.evident && filled.whole) && options.some(isNull) ? given(null) : filled;
}

function ofType(type: SchemaType, schema: JsonObject, spot: Spot, walk: Walk): Filled {
  switch (type) {
    case "object":
      return fillObject(schema, spot, walk);
    case "array":
      return fillArray(schema, spot, walk);
    case "string":
      return fillText(schema, spot, walk);
    case "number":
    case "integer":
      return fillNumber(schema, spot, walk, type === "integer");
    case "boolean":
      return fillBoolean(spot, walk);
    case "null":
      return given(null);
  }
}

function fillArray(schema: JsonObject, spot: Spot, walk: Walk): Filled {
  const tuple = [schema.prefixItems, schema.items].find((list) => Array.isArray(list));
  const least = Math.min(maxItems, limit(schema.minItems, Array.isArray(tuple) ? tuple.length : 0));
  const most = Math.min(maxItems, limit(schema.maxItems, maxItems));
  const items: JsonValue[] = [];
  let evident = false;
  let whole = true;
  for (let at = 0; at < most; at++) {
    const item = Array.isArray(tuple) ? tuple[at] : schema.items;
    if (Array.isArray(tuple) && at >= tuple.length && at >= least) break;
    const isNeeded = at < Math.max(least, spot.needed && most > 0 ? 1 : 0);
    const filled = fill(
      item,
      {
        name: spot.name,
        depth: spot.depth + 1,
        reach: at === 0 ? spot.reach : "list",
        needed: spot.needed && isNeeded,
        open: false,
      },
      walk,
    );
    if (!filled.evident && !isNeeded) break;
    evident ||= filled.evident;
    whole &&= filled.whole;
    const isNew = schema.uniqueItems !== true || !items.includes(filled.value);
    const value = isNew ? filled.value : another(items, item, walk);
    if (value !== undefined) items.push(value);
    if (!filled.whole) break;
  }
  return { value: commandWords(items, schema, spot, walk) ?? items, evident, whole };
}

/** A command that is wanted as a list is wanted word by word. */
function commandWords(
  items: readonly JsonValue[],
  schema: JsonObject,
  spot: Spot,
  walk: Walk,
): JsonValue[] | undefined {
  if (meaningOf(spot.name, "") !== "command") return undefined;
  const words = items.flatMap((item): JsonValue[] => (typeof item === "string" ? item.split(/\s+/u) : [item]));
  return fits(words, schema, walk.root, walk.needed) ? words : undefined;
}

/** A value that the list does not have yet, for `uniqueItems`. */
function another(items: readonly JsonValue[], raw: JsonValue | undefined, walk: Walk): JsonValue | undefined {
  const schema = resolve(raw, walk.root, walk.needed);
  const [first] = items;
  const variants = Array.isArray(schema.enum)
    ? schema.enum.slice(0, 100)
    : Array.from({ length: maxItems }, (_, at) =>
        typeof first === "number" ? first + at : `${String(first)} ${at + 1}`,
      );
  return variants.find((value) => !items.includes(value) && fits(value, schema, walk.root, walk.needed));
}

function fillObject(schema: JsonObject, spot: Spot, walk: Walk): Filled {
  const properties = propertiesOf(schema, allowanceAt(spot, walk));
  const required = new Set([...requiredOf(schema), ...(walk.strict ? properties.map(([name]) => name) : [])]);
  const values = new Map<string, Filled>();
  const inside = (name: string): Spot => ({ ...spot, name, depth: spot.depth + 1, open: false });
  const undeclared =
    schema.additionalProperties === false
      ? []
      : [...required].map((name) => [name, schema.additionalProperties] as const);
  const declared = new Map<string, JsonValue | undefined>([...undeclared, ...properties]);
  for (const [name, property] of declared) {
    if (required.has(name)) values.set(name, fill(property, inside(name), walk));
  }
  const hasText = [...values.values()].some((filled) => typeof filled.value === "string" && filled.evident);
  const optional = spot.depth < 4 ? properties.filter(([name]) => !required.has(name)) : [];
  for (const [name, property] of optional) {
    const open = !hasText && spot.depth === 0 && meaningOf(name, "") === "query";
    const filled = fill(property, { ...inside(name), reach: "own", needed: false, open }, walk);
    if (filled.evident && filled.whole) values.set(name, filled);
  }
  for (const [name, property] of optional) {
    if (values.size >= limit(schema.minProperties, 0)) break;
    if (!values.has(name)) values.set(name, fill(property, inside(name), walk));
  }
  const names = [...declared.keys()].filter((name) => values.has(name));
  const filled = [...values.values()];
  return {
    // fromEntries makes own properties, also of a name like __proto__.
    value: Object.fromEntries(names.map((name) => [name, values.get(name)?.value ?? null])),
    evident: filled.some((one) => one.evident),
    whole: filled.every((one) => one.whole),
  };
}
