import { progress } from "../measure/command.mjs";
import { measureRounds } from "../measure/rounds.mjs";
import { argumentsFor } from "./contenders.mjs";
import { summarise, table } from "./report.mjs";
import { requestOf } from "./scenarios.mjs";

const concurrency = 8;

/** What an event or a request costs each contender, scenario by scenario. */
export async function runScenarios(chosen, { provider, load, start, contenders }, options) {
  const { rounds, requests, log, profile } = options;
  // No process stands in the middle: the provider's own CPU is told, and its answers are checked as everyone's are.
  const taking = [{ name: "direct", url: provider.url, translates: false, middle: provider, load }];
  for (const contender of contenders) {
    const { name, server, translates } = contender;
    const flags = profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${name}.cpuprofile`] : [];
    const middle = await start(name, { server, args: argumentsFor(contender, provider, log), flags });
    taking.push({ name, url: middle.url, translates, middle, load });
  }

  const summaries = [];
  for (const scenario of chosen) {
    const count = requests ?? scenario.requests;
    // A whole answer has no events to print again.
    const running = taking.filter(({ name }) => scenario.stream || name !== "reprint");
    const batchOf = (contender) => {
      const { api, url, body } = requestOf(scenario, contender);
      const { stream, kind, pieces } = scenario;
      return { url, body, size: { count, concurrency }, expected: { api, stream, kind, pieces } };
    };
    const alternating = options.base !== undefined;
    const results = await measureRounds(running, batchOf, { rounds, warmUps: scenario.warmUps, alternating });
    summaries.push(summarise(scenario, count, results));
    progress(`${scenario.name} ${summaries.at(-1).ratio.median.toFixed(2)}`);
  }
  console.log(`\n${table(summaries)}\n`);
  return summaries;
}
