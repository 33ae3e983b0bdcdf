import { parseArgs } from "node:util";

export const usage = `node bench/stream.mjs [options]

  --rounds N      measured rounds of each scenario (15)
  --requests N    requests in a measured batch, in place of each scenario's own number
  --only NAME     the scenarios whose names begin so; memory is the idle streams and the calls, calls is the calls alone
  --base FOLDER   another checkout of Toolwire with a build: it takes turns with this one, and the tables have the ratio
  --json FILE     writes every number to a file
  --log LEVEL     Toolwire's log level, in place of its default
  --profile DIR   writes a CPU profile of each contender to a folder`;

/** Throws with a sentence that says what is wrong. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "15" },
      requests: { type: "string" },
      only: { type: "string", default: "" },
      base: { type: "string" },
      json: { type: "string" },
      log: { type: "string", default: "" },
      profile: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  return {
    ...values,
    rounds: positive("rounds", values.rounds),
    requests: values.requests === undefined ? undefined : positive("requests", values.requests),
  };
}

function positive(name, text) {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= 100_000) return number;
  throw new Error(`--${name} must be a whole number from 1 to 100000, not "${text}"`);
}
