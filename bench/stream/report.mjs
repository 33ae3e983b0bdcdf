import { median, ratioOf } from "../measure/numbers.mjs";
import { aligned } from "../measure/table.mjs";
import { baseCells, baseColumns, toBase } from "./to-base.mjs";

/** The numbers of one scenario: µs of CPU for each contender, and Toolwire's ratio to the one that its budget is about. */
export function summarise(scenario, requests, results) {
  const units = requests * scenario.unitsPerRequest;
  const perUnit = (name) => results.get(name).map(({ cpu }) => cpu / units);
  const contenders = Object.fromEntries(
    [...results].map(([name, rounds]) => [
      name,
      {
        cpu: median(perUnit(name)),
        rounds: perUnit(name),
        systemShare: median(rounds.map(({ cpu, system }) => system / cpu)),
        batchMilliseconds: median(rounds.map(({ milliseconds }) => milliseconds)),
        readsPerRequest: median(rounds.map(({ reads }) => reads)),
      },
    ]),
  );
  const ratio = ratioOf(perUnit("toolwire"), perUnit(scenario.baseline));
  const { name, units: unit, unitsPerRequest, baseline, budget } = scenario;
  const within = ratio.median <= budget;
  const ratios = { baseline, ratio, budget, within, toBase: toBase(results, perUnit) };
  return { name, unit, unitsPerRequest, requests, contenders, ...ratios };
}

/** µs of CPU; `direct` is the provider's own, which is in no other column. */
export function table(summaries) {
  const hasBase = summaries[0].toBase !== undefined;
  const names = ["direct", "pipe", "reprint", "toolwire", ...(hasBase ? ["base"] : [])];
  const rows = summaries.map(({ name, unit, contenders, baseline, ratio, budget, within, toBase: other }) => [
    name,
    unit,
    ...names.map((contender) => contenders[contender]?.cpu.toFixed(1) ?? "–"),
    ratio.median.toFixed(2),
    `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`,
    ratio.total.toFixed(2),
    baseline,
    `≤ ${budget.toFixed(1)}`,
    within ? "pass" : "OVER",
    ...(hasBase ? baseCells(other) : []),
  ]);
  const columns = ["scenario", "CPU a", ...names, "ratio", "min–max", "total", "to", "budget", ""];
  return aligned([[...columns, ...(hasBase ? baseColumns : [])], ...rows]);
}
