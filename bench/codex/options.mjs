import { parseArgs } from "node:util";
import { where } from "./binary.mjs";

export const usage = `node bench/codex.mjs [options]

  --rounds N     measured rounds of each scenario (8)
  --only NAME    the scenarios whose names begin so
  --quick        two rounds and no warm-up: whether something is badly off, not by how much
  --codex PATH   the program, in place of ${where}
  --json FILE    writes every number to a file`;

/** Throws with a sentence that says what is wrong. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string" },
      only: { type: "string", default: "" },
      quick: { type: "boolean", default: false },
      codex: { type: "string" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const { quick } = values;
  return { ...values, rounds: positive("rounds", values.rounds ?? (quick ? "2" : "8")) };
}

function positive(name, text) {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= 1000) return number;
  throw new Error(`--${name} must be a whole number from 1 to 1000, not "${text}"`);
}
