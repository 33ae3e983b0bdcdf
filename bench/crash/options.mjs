import { parseArgs } from "node:util";

export const usage = `npm run crash -- [options]

  --rounds N        how often the gateway is killed (100)
  --seed TEXT       what turns and moments are made from (a new one each time; it is printed)
  --workers N       turns at once (24)
  --postgres URL    a Postgres server on which databases may be created, in place of a SQLite file
  --build FOLDER    another checkout of Toolwire with a build, in place of this one
  --keep            leaves the folder with the database and the logs`;

/** Throws with a sentence that says what is wrong. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "100" },
      seed: { type: "string" },
      workers: { type: "string", default: "24" },
      postgres: { type: "string" },
      build: { type: "string" },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  return {
    ...values,
    seed: values.seed ?? String(Date.now() % 1_000_000),
    rounds: whole("rounds", values.rounds),
    workers: whole("workers", values.workers),
  };
}

function whole(name, text) {
  const number = Number(text);
  if (text !== "" && Number.isInteger(number) && number >= 1 && number <= 100_000) return number;
  throw new Error(`--${name} must be a whole number from 1, not "${text}"`);
}
