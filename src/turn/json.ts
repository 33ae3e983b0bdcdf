/** JSON as it crosses the seams: what came from outside and has not been read yet. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether objects and lists stand deeper inside one another than anything that is meant to be read. */
export function isDeeperThan(value: JsonValue | undefined, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  if (Array.isArray(value)) return value.some((inside) => isDeeperThan(inside, limit - 1));
  // Parsed JSON has no keys but its own.
  for (const key in value) if (isDeeperThan(value[key], limit - 1)) return true;
  return false;
}

/** Parses foreign text without throwing: `undefined` means that it is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
