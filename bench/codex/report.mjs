import { median, ratioOf } from "../measure/numbers.mjs";
import { aligned } from "../measure/table.mjs";

const clients = ["stream", "whole"];

/** The numbers of one scenario: CPU in µs, times in milliseconds, and each client's ratio to the driver written by hand. */
export function summarise({ name, requests, concurrency }, results) {
  const contenders = Object.fromEntries([...results].map(([contender, rounds]) => [contender, numbersOf(rounds)]));
  const { direct } = contenders;
  const ratios = Object.fromEntries(clients.map((client) => [client, ratiosOf(contenders[client], direct)]));
  return { name, requests, concurrency, contenders, ratios };
}

function numbersOf(rounds) {
  const timesOf = (what) => ({
    median: median(rounds.flatMap(({ answers }) => answers.map((answer) => answer[what]))),
    p95: p95(rounds.flatMap(({ answers }) => answers.map((answer) => answer[what]))),
    medians: rounds.map(({ answers }) => median(answers.map((answer) => answer[what]))),
    p95s: rounds.map(({ answers }) => p95(answers.map((answer) => answer[what]))),
  });
  const cpus = rounds.map(({ cpu }) => cpu);
  const codex = rounds.flatMap((round) => round.codex ?? []);
  return {
    cpu: median(cpus),
    cpus,
    codexCpu: codex.length > 0 ? median(codex) : undefined,
    first: timesOf("first"),
    total: timesOf("total"),
    readsPerRequest: median(rounds.flatMap(({ answers }) => answers.map(({ reads }) => reads ?? 0))),
  };
}

function ratiosOf(client, direct) {
  const timeRatios = (what) => ({
    median: ratioOf(client[what].medians, direct[what].medians),
    p95: ratioOf(client[what].p95s, direct[what].p95s),
    // Of all requests of all rounds.
    pooledP95: client[what].p95 / direct[what].p95,
  });
  return { cpu: ratioOf(client.cpus, direct.cpus), first: timeRatios("first"), total: timeRatios("total") };
}

function p95(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1];
}

/** ms of CPU a request: of the process that drives Codex, and beside it of Codex. */
export function cpuTable(summaries) {
  const columns = [
    "CPU, ms",
    "client",
    "direct",
    "toolwire",
    "above",
    "ratio",
    "min–max",
    "codex of direct",
    "of toolwire",
  ];
  const rows = summaries.flatMap(({ name, contenders, ratios }) =>
    clients.map((client) => [
      name,
      client,
      milliseconds(contenders.direct.cpu),
      milliseconds(contenders[client].cpu),
      milliseconds(contenders[client].cpu - contenders.direct.cpu),
      ...ratioCells(ratios[client].cpu),
      codexCell(contenders.direct),
      codexCell(contenders[client]),
    ]),
  );
  return aligned([columns, ...rows], 2);
}

/** Wall time a request. A whole answer has its first content when it has its last. */
export function timeTable(summaries) {
  const columns = [
    "time, ms",
    "client",
    "direct",
    "p95",
    "toolwire",
    "p95",
    "ratio",
    "min–max",
    "p95 ratio",
    "min–max",
  ];
  const rows = summaries.flatMap(({ name, contenders, ratios }) =>
    [
      ["first content", "first", "stream"],
      ["total", "total", "stream"],
      ["total", "total", "whole"],
    ].map(([title, what, client]) => [
      `${name}, ${title}`,
      client,
      ...timeCells(contenders.direct[what]),
      ...timeCells(contenders[client][what]),
      ...ratioCells(ratios[client][what].median),
      ...ratioCells(ratios[client][what].p95),
    ]),
  );
  return aligned([columns, ...rows], 2);
}

function codexCell({ codexCpu }) {
  return codexCpu === undefined ? "–" : milliseconds(codexCpu);
}

function timeCells({ median: middle, p95: late }) {
  return [middle.toFixed(1), late.toFixed(1)];
}

function ratioCells({ median: middle, min, max }) {
  return [middle.toFixed(2), `${min.toFixed(2)}–${max.toFixed(2)}`];
}

function milliseconds(microseconds) {
  return (microseconds / 1000).toFixed(2);
}
