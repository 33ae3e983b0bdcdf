import { writeFileSync } from "node:fs";
import { machine, runBench } from "./measure/command.mjs";
import { Load } from "./measure/load.mjs";
import { startProcess } from "./measure/process.mjs";
import { calls } from "./stream/calls.mjs";
import { contendersOf } from "./stream/contenders.mjs";
import { runScenarios } from "./stream/cpu.mjs";
import { runCalls, runIdleStreams } from "./stream/memory.mjs";
import { readOptions, usage } from "./stream/options.mjs";
import { idle, scenarios } from "./stream/scenarios.mjs";

/** The first benchmark: what Toolwire costs between a client and a provider, against the least that could stand there. */
async function main(options) {
  const isChosen = (name) => name.startsWith(options.only);
  const chosen = scenarios.filter(({ name }) => isChosen(name));
  const withIdle = isChosen(idle.name);
  const withCalls = calls.names.some(isChosen);
  if (chosen.length === 0 && !withIdle && !withCalls) throw new Error(`there is no scenario "${options.only}"`);
  const contenders = contendersOf(options.base);

  let load;
  const started = [];
  const start = async (name, more) => {
    const server = await startProcess(name, more);
    started.push(server);
    return server;
  };
  try {
    const provider = await start("provider");
    load = new Load(provider);
    const bench = { provider, load, start, contenders };
    const results = chosen.length > 0 ? await runScenarios(chosen, bench, options) : [];
    const memory = withIdle ? await runIdleStreams(bench, options) : undefined;
    const callMemory = withCalls ? await runCalls(bench, options) : undefined;
    const numbers = { scenarios: results, memory, calls: callMemory };
    if (options.json) writeFileSync(options.json, `${JSON.stringify(record(options, numbers), null, 2)}\n`);
  } finally {
    await load?.close();
    await Promise.all(started.map((server) => server.stop()));
  }
}

function record({ rounds, base }, numbers) {
  return { machine: machine(), rounds, base, ...numbers };
}

/** Two builds take longer: one more contender in each round, and several rounds of memory. */
function limitOf({ rounds, base }) {
  return base === undefined ? 240_000 + rounds * 10_000 : 900_000 + rounds * 13_000;
}

await runBench({ readOptions, usage, limitOf, main });
