import { measureCalls } from "../measure/call-memory.mjs";
import { progress } from "../measure/command.mjs";
import { measureIdleStreams } from "../measure/memory.mjs";
import { startProcess } from "../measure/process.mjs";
import { calls } from "./calls.mjs";
import { argumentsFor } from "./contenders.mjs";
import { callsTable, memoryTable, summariseCalls, summariseMemory } from "./memory-report.mjs";
import { idle, requestOf } from "./scenarios.mjs";

/** Memory moves little from one process to the next: a few tell how much. */
const mostRounds = 3;

/** What an idle stream costs. */
export async function runIdleStreams({ provider, load, contenders }, options) {
  const running = contenders.filter(({ name }) => name !== "reprint");
  const results = await inRounds(running, provider, options, (middle, contender) => {
    const request = requestOf(idle.scenario, { ...contender, url: middle.url });
    return measureIdleStreams(middle, load, request, idle.count);
  });
  const memory = summariseMemory(results, idle.budget);
  console.log(`${memoryTable(memory)}\n`);
  return memory;
}

/** What a call costs, while it is open, when it is done, and after its stream. */
export async function runCalls({ provider, load, contenders }, options) {
  // Who reads nothing holds nothing of a call.
  const running = contenders.filter(({ translates }) => translates);
  const measured = [];
  for (const { client, state, mark, argumentBytes, scenario } of calls.runs) {
    const results = await inRounds(running, provider, options, (middle, contender) => {
      const requestFor = (count) => requestOf(scenario(count), { ...contender, url: middle.url });
      return measureCalls(middle, load, requestFor, { ...calls.size, mark });
    });
    measured.push({ client, state, argumentBytes, results });
    progress(`calls, ${client} client, ${state}`);
  }
  const summary = summariseCalls(measured, calls.budget);
  console.log(`\n${callsTable(summary)}\n`);
  return summary;
}

/** Each measurement has a process that is new. One is enough, unless two builds are compared: they take turns. */
async function inRounds(contenders, provider, { rounds, base }, measure) {
  const results = new Map(contenders.map(({ name }) => [name, []]));
  for (let left = base === undefined ? 1 : Math.min(rounds, mostRounds); left > 0; left--) {
    for (const contender of contenders) {
      const { name, server } = contender;
      const middle = await startProcess(name, { server, args: argumentsFor(contender, provider) });
      try {
        results.get(name).push(await measure(middle, contender));
      } finally {
        await middle.stop();
      }
    }
  }
  return results;
}
