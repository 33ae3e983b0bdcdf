import { TurnError } from "./errors.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";

/**
 * The functions in this file read untrusted JSON field by field. A wrong value is a 400 that names the field's path. `null` counts
 * as absent, as in both APIs.
 */
export function wrong(path: string, expected: string, found: JsonValue | undefined): TurnError {
  const code = found === undefined || found === null ? "missing_required_parameter" : "invalid_request";
  return new TurnError(code, `\`${path}\` must be ${expected}, but is ${kindOf(found)}.`, { param: path });
}

export function joinPath(parent: string, key: string | number): string {
  if (typeof key === "number") return `${parent}[${key}]`;
  return parent === "" ? key : `${parent}.${key}`;
}

export function optionalString(object: JsonObject, key: string, parent = ""): string | undefined {
  const value = object[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw wrong(joinPath(parent, key), "a string", value);
  return value;
}

export function requiredString(object: JsonObject, key: string, parent = ""): string {
  const value = object[key];
  if (typeof value !== "string") throw wrong(joinPath(parent, key), "a string", value);
  return value;
}

export function optionalNumber(object: JsonObject, key: string, parent = ""): number | undefined {
  const value = object[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number") throw wrong(joinPath(parent, key), "a number", value);
  return value;
}

export function optionalBoolean(object: JsonObject, key: string, parent = ""): boolean | undefined {
  const value = object[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw wrong(joinPath(parent, key), "true or false", value);
  return value;
}

export function optionalObject(object: JsonObject, key: string, parent = ""): JsonObject | undefined {
  const value = object[key];
  if (value === undefined || value === null) return undefined;
  return asObject(value, joinPath(parent, key));
}

export function optionalArray(object: JsonObject, key: string, parent = ""): JsonValue[] | undefined {
  const value = object[key];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrong(joinPath(parent, key), "a list", value);
  return value;
}

export function asObject(value: JsonValue | undefined, path: string): JsonObject {
  if (!isObject(value)) throw wrong(path, "an object", value);
  return value;
}

/** The object without the keys that were read. */
export function without(object: JsonObject, read: ReadonlySet<string>): JsonObject {
  const rest: JsonObject = {};
  for (const key of Object.keys(object)) if (!read.has(key)) rest[key] = object[key];
  return rest;
}

function kindOf(value: JsonValue | undefined): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "an object";
  return `a ${typeof value}`;
}
