import { writeFileSync } from "node:fs";
import { findCodex } from "./codex/binary.mjs";
import { startChild } from "./codex/child.mjs";
import { Client } from "./codex/client.mjs";
import { readOptions, usage } from "./codex/options.mjs";
import { lastBelow } from "./codex/process-tree.mjs";
import { cpuTable, summarise, timeTable } from "./codex/report.mjs";
import { directRun, gatewayRun, measureRounds, warmUpAll } from "./codex/rounds.mjs";
import { scenarios, warmUp } from "./codex/scenarios.mjs";
import { machine, progress, runBench } from "./measure/command.mjs";

/** What Toolwire costs between a client and Codex, against a client of Codex's app-server that is written by hand. */
async function main(options) {
  const chosen = scenarios.filter(({ name }) => name.startsWith(options.only));
  if (chosen.length === 0) throw new Error(`there is no scenario "${options.only}"`);
  const codex = findCodex(options.codex);

  const clients = [];
  const started = [];
  const start = async (name, ...args) => {
    const child = await startChild(new URL(`./codex/${name}.mjs`, import.meta.url), args);
    started.push(child);
    return child;
  };
  try {
    const provider = await start("provider");
    // Each has a Codex of its own: what one leaves behind is tidied up a second later, in somebody else's turn.
    const gateways = { stream: await start("toolwire", provider.url, codex) };
    gateways.whole = await start("toolwire", provider.url, codex);
    const driver = await start("direct", gateways.stream.folder, gateways.stream.launch);
    const contenders = [{ name: "direct", run: directRun(driver), program: lastBelow(driver.pid) }];
    for (const [name, gateway] of Object.entries(gateways)) {
      const client = new Client(gateway.url);
      clients.push(client);
      contenders.push({ name, run: gatewayRun(gateway, client, name === "stream"), program: lastBelow(gateway.pid) });
    }
    if (!options.quick) await warmUpAll(contenders, warmUp);
    progress("started");
    const summaries = [];
    for (const scenario of chosen) {
      summaries.push(summarise(scenario, await measureRounds(contenders, scenario, options.rounds, provider)));
      progress(`${scenario.name} ${summaries.at(-1).ratios.stream.total.median.median.toFixed(2)}`);
    }
    console.log(`\n${cpuTable(summaries)}\n\n${timeTable(summaries)}\n`);
    if (options.json) writeFileSync(options.json, `${JSON.stringify(record(options, summaries), null, 2)}\n`);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(started.map((child) => child.stop()));
  }
}

function record({ rounds }, summaries) {
  return { machine: machine(), rounds, scenarios: summaries };
}

await runBench({ readOptions, usage, limitOf: ({ rounds }) => 120_000 + rounds * 30_000, main });
