import { parseArgs } from "node:util";

export const parts = ["cpu", "commit", "loop", "growth"];

export const usage = `node bench/store.mjs [options]

  --postgres URL  a Postgres server on which databases may be created; without it, SQLite and memory alone
  --only NAME     one part: ${parts.join(", ")}
  --rounds N      measured rounds (15)
  --quick         three rounds and small databases: whether something is badly off, not by how much
  --json FILE     writes every number to a file
  --profile DIR   writes CPU profiles of the gateways of the part cpu to a folder`;

/** Throws with a sentence that says what is wrong. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      postgres: { type: "string" },
      only: { type: "string" },
      rounds: { type: "string" },
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      profile: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.only !== undefined && !parts.includes(values.only))
    throw new Error(`--only must be one of ${parts.join(", ")}, not "${values.only}"`);
  const rounds = Number(values.rounds ?? (values.quick ? 3 : 15));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 1000)
    throw new Error(`--rounds must be a whole number from 1 to 1000, not "${values.rounds}"`);
  return { ...values, rounds };
}
