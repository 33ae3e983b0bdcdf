import { ratioOf } from "../measure/numbers.mjs";

/** Toolwire's ratio to the other build, round by round; nothing where none takes part. `numbersOf` has the rounds of a contender. */
export function toBase(results, numbersOf) {
  return results.has("base") ? ratioOf(numbersOf("toolwire"), numbersOf("base")) : undefined;
}

export const baseColumns = ["toolwire/base", "min–max"];

export function baseCells({ median, min, max }) {
  return [ratio(median), `${ratio(min)}–${ratio(max)}`];
}

/** Of what costs nothing there is no ratio. */
function ratio(number) {
  return Number.isFinite(number) ? number.toFixed(2) : "?";
}
