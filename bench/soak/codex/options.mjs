import { parseArgs } from "node:util";
import { where } from "../../codex/binary.mjs";
import { batchSize } from "./batch.mjs";

export const usage = `node bench/soak/codex.mjs [options]

  --requests N     how many, a multiple of ${batchSize} (500)
  --concurrency N  how many at a time (4)
  --codex PATH     the program, in place of ${where}
  --json FILE      writes every sample to a file`;

/** Throws with a sentence that says what is wrong. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: "string", default: "500" },
      concurrency: { type: "string", default: "4" },
      codex: { type: "string" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const requests = Number(values.requests);
  if (!Number.isInteger(requests) || requests < 200 || requests > 100_000 || requests % batchSize !== 0) {
    throw new Error(`--requests must be a multiple of ${batchSize} from 200 to 100000, not "${values.requests}"`);
  }
  const concurrency = Number(values.concurrency);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 100) {
    throw new Error(`--concurrency must be a whole number from 1 to 100, not "${values.concurrency}"`);
  }
  return { ...values, requests, concurrency };
}
