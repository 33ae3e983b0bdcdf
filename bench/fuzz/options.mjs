import { parseArgs } from "node:util";

export const kinds = ["request", "answer", "text"];

export const usage = `npm run fuzz -- [options]

  --seed TEXT       what all cases are made from (a new one each time; it is printed)
  --cases N         how many (${2400})
  --seconds N       no case begins after so many seconds (600)
  --case N          runs this one case alone and shows its bytes; give the seed, too
  --first N         begins with this case (0)
  --only KIND       request (mutated requests), answer (mutated answers of a provider) or text (what a model may write)
  --most-stall MS   the longest time for which the event loop may be held (250)
  --build FOLDER    another checkout of Toolwire with a build, in place of this one
  --dump FOLDER     writes what went over the wire in each case with a finding or a long stall; with --case, always
  --json FILE       writes every case to a file`;

/** Throws with a sentence that says what is wrong. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: "string" },
      cases: { type: "string", default: "2400" },
      seconds: { type: "string", default: "600" },
      case: { type: "string" },
      first: { type: "string", default: "0" },
      only: { type: "string" },
      "most-stall": { type: "string", default: "250" },
      build: { type: "string" },
      dump: { type: "string" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.only !== undefined && !kinds.includes(values.only)) {
    throw new Error(`--only must be one of ${kinds.join(", ")}, not "${values.only}"`);
  }
  const single = values.case === undefined ? undefined : whole("case", values.case, 0);
  if (single !== undefined && values.seed === undefined) throw new Error("--case needs the --seed of its run");
  return {
    ...values,
    seed: values.seed ?? String(Date.now() % 1_000_000),
    cases: single === undefined ? whole("cases", values.cases, 1) : 1,
    first: single ?? whole("first", values.first, 0),
    single: single !== undefined,
    seconds: whole("seconds", values.seconds, 1),
    mostStall: whole("most-stall", values["most-stall"], 1),
  };
}

function whole(name, text, least) {
  const number = Number(text);
  if (text !== "" && Number.isInteger(number) && number >= least && number <= 10_000_000) return number;
  throw new Error(`--${name} must be a whole number from ${least}, not "${text}"`);
}
