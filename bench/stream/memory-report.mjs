import { median } from "../measure/numbers.mjs";
import { aligned } from "../measure/table.mjs";
import { baseCells, baseColumns, toBase } from "./to-base.mjs";

/** Each contender's KB for an idle stream, and how much of Toolwire's is above the pipe's. */
export function summariseMemory(results, budget) {
  const middle = (rounds, key) => median(rounds.map((round) => round[key]));
  const streams = Object.fromEntries(
    [...results].map(([name, rounds]) => [
      name,
      { streams: rounds[0].streams, heap: middle(rounds, "heap"), rss: middle(rounds, "rss") },
    ]),
  );
  const above = streams.toolwire.heap - streams.pipe.heap;
  const aboveRss = streams.toolwire.rss - streams.pipe.rss;
  const ratios = Object.fromEntries(["heap", "rss"].map((key) => [key, toBase(results, roundsOf(results, key))]));
  return { ...streams, above, aboveRss, budget, within: above <= budget, ...(ratios.heap && { toBase: ratios }) };
}

export function memoryTable({ pipe, toolwire, base, above, aboveRss, budget, within, toBase: ratios }) {
  const kilobytes = (bytes) => (bytes / 1024).toFixed(1);
  const row = (name, key, aboveIt, judged) => [
    name,
    kilobytes(pipe[key]),
    kilobytes(toolwire[key]),
    ...(base ? [kilobytes(base[key])] : []),
    kilobytes(aboveIt),
    ...judged,
    ...(base ? baseCells(ratios[key]) : []),
  ];
  const names = ["pipe", "toolwire", ...(base ? ["base"] : [])];
  return aligned([
    ["KB an idle stream", ...names, "above", "budget", "", ...(base ? baseColumns : [])],
    row("heap and buffers", "heap", above, [`≤ ${budget / 1024}`, within ? "pass" : "OVER"]),
    row("rss", "rss", aboveRss, ["", ""]),
  ]);
}

/** Bytes of a call beside its arguments. Of what is kept after the end nothing is subtracted: no arguments are needed then. */
export function summariseCalls(measured, budget) {
  const rows = measured.flatMap(({ client, state, argumentBytes, results }) => {
    const held = rowOf({ client, state, argumentBytes }, results, (round) => round.held - argumentBytes);
    // Calls that were mixed leave the same behind when they are done.
    if (state === "open") return [held];
    return [held, rowOf({ client, state: "kept after the end", argumentBytes: 0 }, results, (round) => round.kept)];
  });
  return { budget, rows: rows.map((row) => ({ ...row, within: row.toolwire.bytes <= budget })) };
}

function rowOf(what, results, bytesOf) {
  const numbersOf = (name) => results.get(name).map(bytesOf);
  const contenders = [...results.keys()].map((name) => [
    name,
    { bytes: median(numbersOf(name)), rounds: numbersOf(name) },
  ]);
  const [{ calls }] = results.get("toolwire");
  return { ...what, calls, ...Object.fromEntries(contenders), toBase: toBase(results, numbersOf) };
}

export function callsTable({ budget, rows }) {
  const hasBase = rows[0].base !== undefined;
  const cells = rows.map(({ client, state, toolwire, base, within, toBase: ratio }) => [
    `${client}, ${state}`,
    toolwire.bytes.toFixed(0),
    ...(hasBase ? [base.bytes.toFixed(0)] : []),
    `≤ ${budget}`,
    within ? "pass" : "OVER",
    ...(hasBase ? baseCells(ratio) : []),
  ]);
  const names = ["toolwire", ...(hasBase ? ["base"] : [])];
  return aligned([["bytes a call", ...names, "budget", "", ...(hasBase ? baseColumns : [])], ...cells]);
}

function roundsOf(results, key) {
  return (name) => results.get(name).map((round) => round[key]);
}
