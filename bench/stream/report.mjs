import { median, ratioOf } from "../measure/numbers.mjs";
import { aligned } from "../measure/table.mjs";

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
  return { name, unit, unitsPerRequest, requests, contenders, baseline, ratio, budget, within: ratio.median <= budget };
}

const columns = [
  "scenario",
  "CPU a",
  "direct",
  "pipe",
  "reprint",
  "toolwire",
  "ratio",
  "min–max",
  "total",
  "to",
  "budget",
  "",
];

/** µs of CPU; `direct` is the provider's own, which is in no other column. */
export function table(summaries) {
  const rows = summaries.map(({ name, unit, contenders, baseline, ratio, budget, within }) => [
    name,
    unit,
    ...["direct", "pipe", "reprint", "toolwire"].map((contender) => contenders[contender]?.cpu.toFixed(1) ?? "–"),
    ratio.median.toFixed(2),
    `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`,
    ratio.total.toFixed(2),
    baseline,
    `≤ ${budget.toFixed(1)}`,
    within ? "pass" : "OVER",
  ]);
  return aligned([columns, ...rows]);
}

export function summariseMemory(streams, budget) {
  const above = streams.toolwire.heap - streams.pipe.heap;
  const aboveRss = streams.toolwire.rss - streams.pipe.rss;
  return { ...streams, above, aboveRss, budget, within: above <= budget };
}

export function memoryTable({ pipe, toolwire, above, aboveRss, budget, within }) {
  const kilobytes = (bytes) => (bytes / 1024).toFixed(1);
  return aligned([
    ["KB an idle stream", "pipe", "toolwire", "above", "budget", ""],
    [
      "heap and buffers",
      kilobytes(pipe.heap),
      kilobytes(toolwire.heap),
      kilobytes(above),
      `≤ ${budget / 1024}`,
      within ? "pass" : "OVER",
    ],
    ["rss", kilobytes(pipe.rss), kilobytes(toolwire.rss), kilobytes(aboveRss), "", ""],
  ]);
}
