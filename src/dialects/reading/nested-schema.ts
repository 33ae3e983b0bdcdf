import type { JsonObject, JsonValue } from "../../turn/index.ts";
import { propertyOf, resolve } from "../core/tools.ts";

/** The schema of one key of an object, also if it is inside `anyOf`, `oneOf` or `allOf`. */
export function memberOf(schema: JsonObject | undefined, key: string, root: JsonObject | undefined) {
  return within(schema, root, (choice) => propertyOf(choice, key, root), 0);
}

/** The schema of the items of a list, also if it is inside `anyOf`, `oneOf` or `allOf`. */
export function itemOf(schema: JsonObject | undefined, root: JsonObject | undefined) {
  return within(schema, root, (choice) => resolve(choice.items, root), 0);
}

function within(
  given: JsonValue | undefined,
  root: JsonObject | undefined,
  find: (schema: JsonObject) => JsonObject | undefined,
  depth: number,
): JsonObject | undefined {
  const schema = resolve(given, root);
  if (!schema || depth > 8) return undefined;
  const own = find(schema);
  if (own) return own;
  for (const choices of [schema.anyOf, schema.oneOf, schema.allOf]) {
    for (const choice of Array.isArray(choices) ? choices : []) {
      const found = within(choice, root, find, depth + 1);
      if (found) return found;
    }
  }
  return undefined;
}
