import type { Extensions, WireFormat } from "./item.ts";
import type { JsonObject } from "./json.ts";

/**
 * What stands in an object beside the keys that were read, for the API that it came from; nothing where that is nothing. A null
 * says nothing either: SDKs write it for what is not there, and Open Responses refuses some.
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

/** The unread fields, for an object that is written for this API. */
export function givenBack(extensions: Extensions | undefined, format: WireFormat): JsonObject | undefined {
  return extensions?.format === format ? extensions.fields : undefined;
}
