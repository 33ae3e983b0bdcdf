import { writeFileSync } from "node:fs";
import { machine, progress, runBench } from "./measure/command.mjs";
import { Load } from "./measure/load.mjs";
import { measureIdleStreams } from "./measure/memory.mjs";
import { startProcess } from "./measure/process.mjs";
import { measureRounds } from "./measure/rounds.mjs";
import { readOptions, usage } from "./stream/options.mjs";
import { memoryTable, summarise, summariseMemory, table } from "./stream/report.mjs";
import { idle, requestOf, scenarios } from "./stream/scenarios.mjs";

/** The first benchmark: what Toolwire costs between a client and a provider, against the least that could stand there. */
const concurrency = 8;

async function main(options) {
  const chosen = scenarios.filter(({ name }) => name.startsWith(options.only));
  const withMemory = idle.name.startsWith(options.only);
  if (chosen.length === 0 && !withMemory) throw new Error(`there is no scenario "${options.only}"`);

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
    const results = chosen.length > 0 ? await runScenarios(chosen, provider, load, start, options) : [];
    const memory = withMemory ? await runMemory(provider, load) : undefined;
    if (options.json) writeFileSync(options.json, `${JSON.stringify(record(options, results, memory), null, 2)}\n`);
  } finally {
    await load?.close();
    await Promise.all(started.map((server) => server.stop()));
  }
}

async function runScenarios(chosen, provider, load, start, { rounds, requests, log, profile }) {
  const args = [provider.url, log];
  const startMiddle = (name) => {
    const flags = profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${name}.cpuprofile`] : [];
    return start(name, { args, flags });
  };
  const middles = {
    // No process stands in the middle: the provider's own CPU is told, and its answers are checked as everyone's are.
    direct: provider,
    pipe: await startMiddle("pipe"),
    reprint: await startMiddle("reprint"),
    toolwire: await startMiddle("toolwire"),
  };
  const contenders = Object.entries(middles).map(([name, middle]) => ({ name, url: middle.url, middle, load }));

  const summaries = [];
  for (const scenario of chosen) {
    const count = requests ?? scenario.requests;
    // A whole answer has no events to print again.
    const running = contenders.filter(({ name }) => scenario.stream || name !== "reprint");
    const batchOf = (contender) => {
      const { api, url, body } = requestOf(scenario, contender);
      const { stream, kind, pieces } = scenario;
      return { url, body, size: { count, concurrency }, expected: { api, stream, kind, pieces } };
    };
    const results = await measureRounds(running, batchOf, { rounds, warmUps: scenario.warmUps });
    summaries.push(summarise(scenario, count, results));
    progress(`${scenario.name} ${summaries.at(-1).ratio.median.toFixed(2)}`);
  }
  console.log(`\n${table(summaries)}\n`);
  return summaries;
}

async function runMemory(provider, load) {
  const streams = {};
  for (const name of ["pipe", "toolwire"]) {
    const requestFor = (middle) => requestOf(idle.scenario, { name, url: middle.url });
    streams[name] = await measureIdleStreams(name, provider, load, requestFor, idle.count);
  }
  const memory = summariseMemory(streams, idle.budget);
  console.log(`${memoryTable(memory)}\n`);
  return memory;
}

function record({ rounds }, results, memory) {
  return { machine: machine(), rounds, scenarios: results, memory };
}

await runBench({ readOptions, usage, limitOf: ({ rounds }) => 90_000 + rounds * 10_000, main });
