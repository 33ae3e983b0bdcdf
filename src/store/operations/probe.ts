import { randomInt } from "node:crypto";
import type { Operation, OperationDefinition } from "../operation.ts";
import { sql } from "./statements.ts";

export interface Probe {
  id: number;
  at: number;
}

/** Of this process: another one that hangs while it writes its row must not block this one. */
const id = randomInt(2 ** 47);

export function newProbe(): Probe {
  return { id, at: Date.now() };
}

/** Writes one row: it shows that the database can be written. */
export const probe: OperationDefinition<Probe, void> = {
  writes: true,
  *run({ id, at }) {
    yield* sql("INSERT INTO probes (id, at) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at", [id, at]);
  },
};

const kept = 24 * 60 * 60_000;

/** Deletes the rows of processes that have ended. */
export function* deleteProbes(now: number): Operation<void> {
  yield* sql("DELETE FROM probes WHERE at < ?", [now - kept]);
}
