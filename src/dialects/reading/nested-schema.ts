import type { JsonObject, JsonValue } from "../../turn/index.ts";
import { mostSchemas, propertyOf, resolve } from "../core/tools.ts";

/** The schema of one key of an object, also if it is inside `anyOf`, `oneOf` or `allOf`. */
export function memberOf(schema: JsonObject | undefined, key: string, root: JsonObject | undefined) {
  return within({ root, find: (choice) => propertyOf(choice, key, root), left: mostSchemas }, schema, 0);
}

/** The schema of the items of a list, also if it is inside `anyOf`, `oneOf` or `allOf`. */
export function itemOf(schema: JsonObject | undefined, root: JsonObject | undefined) {
  return within({ root, find: (choice) => resolve(choice.items, root), left: mostSchemas }, schema, 0);
}

interface Search {
  root: JsonObject | undefined;
  find(schema: JsonObject): JsonObject | undefined;
  /** How many more schemas are looked at. */
  left: number;
}

function within(search: Search, given: JsonValue | undefined, depth: number): JsonObject | undefined {
  const schema = resolve(given, search.root);
  if (!schema || depth > 8 || search.left-- <= 0) return undefined;
  const own = search.find(schema);
  if (own) return own;
  for (const choices of [schema.anyOf, schema.oneOf, schema.allOf]) {
    for (const choice of Array.isArray(choices) ? choices.slice(0, mostSchemas) : []) {
      const found = within(search, choice, depth + 1);
      if (found) return found;
    }
  }
  return undefined;
}
