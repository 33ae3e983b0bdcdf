import { isObject, type JsonValue } from "../../turn/index.ts";
import type { Prepared } from "./prepare.ts";
import { SchemaNode } from "./schema-node.ts";
import { clipped } from "./words.ts";

/** The names and indexes of a location as cfworker writes it: `#/list/0/a~1b%20c`. */
export function segmentsOf(location: string): string[] {
  return location
    .split("/")
    .slice(1)
    .map((segment) => decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A JSON pointer; long names are clipped. */
export function pointer(segments: readonly string[]): string {
  const names = segments.map((name) => clipped(name, 100).replaceAll("~", "~0").replaceAll("/", "~1"));
  return clipped(names.map((name) => `/${name}`).join(""), 1_000);
}

export function valueAt(value: JsonValue, segments: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const segment of segments) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, segment)) return undefined;
    at = Array.isArray(at) ? at[Number(segment)] : at[segment];
  }
  return at;
}

const named = new Set(["properties", "dependentSchemas"]);
const numbered = new Set(["anyOf", "allOf", "oneOf", "prefixItems"]);

/** The keywords on the path to a location in a schema, without property names and indexes of alternatives. */
export function keywordsOf(location: string): string[] {
  const segments = segmentsOf(location);
  const keywords: string[] = [];
  for (let at = 0; at < segments.length; at++) {
    const keyword = segments[at] ?? "";
    keywords.push(keyword);
    if (named.has(keyword) || numbered.has(keyword)) at++;
  }
  return keywords;
}

/** The schema that has the keyword at this location. */
export function nodeAt(location: string, { root, referenced }: Prepared): SchemaNode | undefined {
  let at: unknown = root;
  for (const segment of segmentsOf(location).slice(0, -1)) {
    if (at instanceof SchemaNode && segment === "$ref") at = at.$ref === undefined ? undefined : referenced[at.$ref];
    else if (Array.isArray(at)) at = at[Number(segment)];
    else if (at instanceof SchemaNode) at = Reflect.get(at, segment);
    else if (isObject(at) && Object.hasOwn(at, segment)) at = at[segment];
    else return undefined;
  }
  return at instanceof SchemaNode ? at : undefined;
}
