/** JSON from outside that has not been validated yet. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether objects and arrays are nested more than `limit` levels deep. */
export function isDeeperThan(value: JsonValue | undefined, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  if (Array.isArray(value)) return value.some((inside) => isDeeperThan(inside, limit - 1));
  // Parsed JSON has own keys only, so `for…in` finds nothing else.
  for (const key in value) if (isDeeperThan(value[key], limit - 1)) return true;
  return false;
}

/** Parses untrusted text without throwing: `undefined` means that it is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
