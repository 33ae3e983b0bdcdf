import type { OperationDefinition } from "../operation.ts";
import { sql } from "./statements.ts";

/** Writes one row: it shows that the database can be written. */
export const probe: OperationDefinition<{ at: number }, void> = {
  writes: true,
  *run({ at }) {
    yield* sql("INSERT INTO probes (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at", [at]);
  },
};
