import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { findCodex } from "../codex/binary.mjs";
import { startChild } from "../codex/child.mjs";
import { isKnown } from "../codex/process-tree.mjs";
import { machine, progress, runBench } from "../measure/command.mjs";
import { batchSize, runTasks, tasksOfBatch } from "./codex/batch.mjs";
import { LateCuts } from "./codex/late-cuts.mjs";
import { readOptions, usage } from "./codex/options.mjs";
import { table } from "./codex/report.mjs";
import { codexPid, takeSample } from "./codex/samples.mjs";
import { createTaps } from "./codex/taps.mjs";
import { Tasks } from "./codex/tasks.mjs";
import { judge } from "./codex/verdict.mjs";

/** Many requests of every kind through a gateway before the real Codex: whether anything is left of them. */
async function main(options) {
  if (!isKnown) throw new Error("this needs a system with /proc, which tells the memory of other processes");
  const codex = findCodex(options.codex);
  const taps = await createTaps();
  const started = [];
  const start = async (name, ...args) => {
    const child = await startChild(new URL(`./codex/${name}.mjs`, import.meta.url), args);
    started.push(child);
    return child;
  };
  let tasks;
  try {
    const provider = await start("provider");
    const gateway = await start("gateway", provider.url, codex, String(taps.port));
    tasks = new Tasks(gateway.url);
    const places = { gateway, provider, taps };
    const { samples, failures, cuts } = await soak(places, tasks, options);
    const pid = codexPid(taps);
    const left = await gateway.ask("close");
    const verdict = [
      { ok: failures.length === 0, sentence: `wrong answers: ${failures.length} of ${options.requests} requests` },
      ...cuts.judge(),
      ...judge(samples),
      { ok: left.length === 0, sentence: `temporary files behind the gateway: ${left.length}` },
      { ok: await isGone(pid), sentence: "Codex ends with the gateway" },
    ];
    report(samples, failures, verdict);
    if (options.json) {
      writeFileSync(options.json, `${JSON.stringify({ machine: machine(), samples, failures, verdict }, null, 2)}\n`);
    }
  } finally {
    await tasks?.close();
    await Promise.all(started.map((child) => child.stop()));
    taps.close();
  }
}

async function soak(places, tasks, { requests, concurrency }) {
  const failures = [];
  const cuts = new LateCuts();
  const samples = [await takeSample(places, 0)];
  for (let batch = 0; batch < requests / batchSize; batch++) {
    failures.push(...(await runTasks(tasks, tasksOfBatch(batch), concurrency)));
    samples.push(await takeSample(places, (batch + 1) * batchSize));
    cuts.add(await places.provider.ask("takeCut"), tasks.left);
    const { requests: done, threads, busyThreads } = samples.at(-1);
    progress(`${done} requests, ${failures.length} wrong, ${busyThreads} threads, then ${threads}`);
  }
  return { samples, failures, cuts };
}

function report(samples, failures, verdict) {
  console.log(`\n${table(samples)}\n`);
  for (const failure of failures.slice(0, 20)) console.log(`wrong  ${failure}`);
  for (const { ok, sentence } of verdict) console.log(`${ok ? "ok    " : "FAIL  "} ${sentence}`);
  if (verdict.some(({ ok }) => !ok)) process.exitCode = 1;
}

async function isGone(pid) {
  for (let tries = 0; tries < 20; tries++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await sleep(100);
  }
  return false;
}

await runBench({ readOptions, usage, limitOf: ({ requests }) => 120_000 + requests * 1_000, main });
