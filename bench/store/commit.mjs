import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { progress } from "../measure/command.mjs";
import { median, percentile } from "../measure/numbers.mjs";
import { aligned } from "../measure/table.mjs";

const atOnce = [1, 50, 500];
const least = 200;
const timesEach = 8;

/** How long the end of a turn waits until the turn is on the disk. */
export async function runCommit(bench, { quick, rounds }) {
  const stores = [];
  for (const store of bench.stores) stores.push({ name: store.name, process: await bench.startStore(store) });
  const measured = new Map();
  const count = (workers) => Math.max(least, workers * timesEach);
  // The first round warms up.
  for (let round = 0; round <= Math.min(rounds, quick ? 2 : 5); round++) {
    for (const workers of atOnce) {
      for (const { name, process: server } of stores) {
        const result = await server.ask("commits", { workers, count: count(workers) }, 120_000);
        const key = `${name} ${workers}`;
        if (round > 0) measured.set(key, [...(measured.get(key) ?? []), result]);
      }
    }
    progress(`commits, round ${round}`);
  }
  const disk = diskTimes(bench.folder);
  const summaries = stores.flatMap(({ name }) => atOnce.map((workers) => summarise(name, workers, measured)));
  console.log(
    `\nms until a turn is committed (an fsync of the disk takes ${median(disk).toFixed(2)} ms, at p99 ${percentile(disk, 99).toFixed(2)} ms)\n\n${table(summaries)}\n`,
  );
  return { disk: median(disk), summaries };
}

function summarise(store, workers, measured) {
  const results = measured.get(`${store} ${workers}`);
  const times = results.flatMap((result) => result.times);
  return {
    store,
    workers,
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    max: Math.max(...times),
    perSecond: median(results.map((result) => result.times.length / result.seconds)),
    cpu: median(results.map((result) => result.cpu)),
  };
}

function table(summaries) {
  const rows = summaries.map(({ store, workers, p50, p99, max, perSecond, cpu }) => [
    store,
    String(workers),
    ...[p50, p99, max].map((number) => number.toFixed(2)),
    perSecond.toFixed(0),
    cpu.toFixed(0),
  ]);
  return aligned([["store", "at once", "p50", "p99", "max", "turns a second", "µs of CPU a turn"], ...rows]);
}

function diskTimes(folder) {
  const file = openSync(join(folder, "disk"), "w");
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 200 }, () => {
    writeSync(file, page);
    const start = performance.now();
    fsyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  return times;
}
