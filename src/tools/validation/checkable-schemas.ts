import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { JsonObject } from "../../turn/index.ts";
import { type Extent, measure, type Refusal } from "./caps.ts";
import { CheckableSchema } from "./checkable-schema.ts";
import { type Prepared, prepare } from "./prepare.ts";

/** Schemas that were seen lately, by the hash of their text: clients send the same tools with every request. */
const seen = new LRUCache<string, Entry>({ max: 1_000, maxSize: 64 * 1024 * 1024 });

type Entry = CheckableSchema | Refusal;

/** The schema ready for checks, or why it cannot be. */
export function checkable(schema: JsonObject, extent: Extent | Refusal = measure(schema)): CheckableSchema | Refusal {
  if ("because" in extent) return extent;
  const key = createHash("sha256").update(JSON.stringify(schema)).digest("base64");
  const known = seen.get(key);
  if (known) return known;
  const prepared = prepare(schema);
  const entry = "because" in prepared ? prepared : new CheckableSchema(schema, prepared);
  seen.set(key, entry, { size: bytes(extent, prepared) });
  return entry;
}

/** Roughly: a node has a place for every keyword. */
function bytes({ size, nodes }: Extent, prepared: Prepared | Refusal): number {
  const patterns = "root" in prepared ? prepared.patterns : [];
  return patterns.reduce((sum, pattern) => sum + pattern.bytes, 2 * size + 800 * nodes);
}
