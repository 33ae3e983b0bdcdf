import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { JsonObject } from "../../turn/index.ts";
import { type Extent, measure, type Refusal } from "./caps.ts";
import { CheckableSchema } from "./checkable-schema.ts";

/** Recent schemas by the hash of their text: clients send the same tools with every request. */
const seen = new LRUCache<string, CheckableSchema | Refusal>({ max: 1_000, maxSize: 64 * 1024 * 1024 });

/** The schema ready for checks, or why it cannot be checked. */
export function checkable(schema: JsonObject, extent: Extent | Refusal = measure(schema)): CheckableSchema | Refusal {
  if ("because" in extent) return extent;
  const key = createHash("sha256").update(JSON.stringify(schema)).digest("base64");
  const known = seen.get(key);
  if (known) return known;
  const entry = CheckableSchema.of(schema);
  // An estimate: a node has a field for every keyword.
  const bytes = 4 * extent.size + 1_000 * extent.nodes;
  seen.set(key, entry, { size: "because" in entry ? bytes : bytes + entry.bytes });
  return entry;
}
