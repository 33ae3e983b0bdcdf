import { progress } from "../measure/command.mjs";
import { median } from "../measure/numbers.mjs";
import { aligned } from "../measure/table.mjs";

const patience = 900_000;

/** Whether a follow-up costs more where more is stored, and where its chain is longer. */
export async function runGrowth(bench, { quick }) {
  const sizes = quick ? [1_000, 10_000] : [1_000, 100_000];
  const summaries = [];
  for (const store of bench.stores.filter(({ name }) => name !== "memory")) {
    const processes = [];
    for (const conversations of sizes) {
      const server = await bench.startStore(store);
      await server.ask("fill", { conversations }, patience);
      processes.push({ name: `${conversations} conversations`, server });
      progress(`${store.name}: ${conversations} conversations`);
    }
    summaries.push(
      ...(await followUps(store.name, processes)),
      ...(await chains(store.name, processes[0].server, quick)),
    );
  }
  console.log(`\na follow-up: its context is read, then the turn is kept; ms, and µs of CPU\n\n${table(summaries)}\n`);
  return summaries;
}

async function followUps(store, processes) {
  const results = new Map(processes.map(({ name }) => [name, []]));
  for (let round = 0; round < 6; round++) {
    for (const { name, server } of processes) {
      const result = await server.ask("followUps", { count: 100 }, patience);
      if (round > 0) results.get(name).push(result);
    }
  }
  return [...results].map(([name, all]) => summarise(store, name, all));
}

async function chains(store, server, quick) {
  const summaries = [];
  for (const [length, chains, more] of [
    [9, 40, 1],
    [quick ? 299 : 999, 1, 40],
  ]) {
    await server.ask("chain", { length: 9, chains: 10, more: 1 }, patience);
    const result = await server.ask("chain", { length, chains, more }, patience);
    summaries.push(summarise(store, `turn ${length + 1} of a chain`, [result]));
  }
  progress(`${store}: chains`);
  return summaries;
}

function summarise(store, name, results) {
  const of = (part, what) => median(results.flatMap((result) => result[part][what]));
  return {
    store,
    name,
    size: results.at(-1).size,
    read: { time: of("read", "times"), cpu: of("read", "cpu") },
    keep: { time: of("keep", "times"), cpu: of("keep", "cpu") },
  };
}

function table(summaries) {
  const rows = summaries.map(({ store, name, size, read, keep }) => [
    store,
    name,
    (size / 1024).toFixed(1),
    read.time.toFixed(2),
    read.cpu.toFixed(0),
    keep.time.toFixed(2),
    keep.cpu.toFixed(0),
  ]);
  return aligned([["store", "where", "KB of context", "read", "CPU", "keep", "CPU"], ...rows], 2);
}
