import type { Extensions, WireFormat } from "./item.ts";
import type { JsonObject } from "./json.ts";

/**
 * The fields of an object that were not read, with the API that they came from; `undefined` if there are none. A null counts as
 * absent: SDKs write null for absent fields, and Open Responses refuses some nulls.
 */
export function unread(object: JsonObject, read: ReadonlySet<string>, format: WireFormat): Extensions | undefined {
  const fields: JsonObject = {};
  let some = false;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (read.has(key) || value === null || value === undefined) continue;
    fields[key] = value;
    some = true;
  }
  return some ? { format, fields } : undefined;
}

/** The unread fields, if the object is written for the API that they came from. */
export function givenBack(extensions: Extensions | undefined, format: WireFormat): JsonObject | undefined {
  return extensions?.format === format ? extensions.fields : undefined;
}
