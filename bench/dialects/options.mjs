import { parseArgs } from "node:util";

export const usage = `node bench/dialects.mjs [options]

  --rounds N      measured rounds (4)
  --only NAME     the dialects whose names begin so
  --quick         two rounds of small batches: whether something is badly off, not by how much
  --no-peer       without the other parser: nothing is fetched
  --peer FOLDER   the other parser, where it is installed already (the folder that has node_modules)
  --json FILE     writes every number to a file`;

/** Throws with a sentence that says what is wrong. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string" },
      only: { type: "string", default: "" },
      quick: { type: "boolean", default: false },
      "no-peer": { type: "boolean", default: false },
      peer: { type: "string" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const { rounds, "no-peer": noPeer, ...others } = values;
  return { ...others, noPeer, rounds: positive("rounds", rounds ?? (values.quick ? "2" : "4")) };
}

function positive(name, text) {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= 1000) return number;
  throw new Error(`--${name} must be a whole number from 1 to 1000, not "${text}"`);
}
