import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { machine, runBench } from "../measure/command.mjs";
import { createCase } from "./cases/case.mjs";
import { loadDialects } from "./cases/fragments.mjs";
import { checkExchange } from "./check/case.mjs";
import { checkLog } from "./check/leaks.mjs";
import { readOptions, usage } from "./options.mjs";
import { Progress, report, show } from "./report.mjs";
import { exchange } from "./run/client.mjs";
import { ownFolder, startGateway } from "./run/gateway.mjs";
import { configuration } from "./run/settings.mjs";

/** How often memory is looked at, in cases. */
const memoryEvery = 200;
/** A gateway that does not come back in this time is ended, and another is started. */
const stuckAfter = 120_000;

/** A wait without CPU is the machine's, unless it is this many times as long as a stall may be. */
const blockedAfter = 20;
const megabyte = 1024 * 1024;
const mostMemory = 1024 * megabyte;

// The children end when this process does; its folder is removed then.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

class Bench {
  #options;
  #folder = mkdtempSync(join(tmpdir(), "toolwire-fuzz-"));
  #build;
  #forms;
  #config;
  #provider;
  #gateway;
  #gateways = 0;
  #probe;

  constructor(options) {
    this.#options = options;
    this.#build = options.build === undefined ? ownFolder : resolve(options.build);
    process.once("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  async start() {
    const { names, forms } = await loadDialects(this.#build);
    this.#forms = forms;
    this.#provider = await startProvider(this.#options, this.#build);
    this.#config = await configuration(this.#build, this.#provider.url, join(this.#folder, "events.ndjson"), names);
    await this.#startGateway();
    const data = { url: this.#gateway.url };
    this.#probe = new Worker(new URL("./run/probe.mjs", import.meta.url), { workerData: data });
  }

  async #startGateway() {
    const number = this.#gateways++;
    this.#gateway = await startGateway({ build: this.#build, folder: this.#folder, config: this.#config, number });
    this.#gateway.newLog();
    this.#probe?.postMessage({ url: this.#gateway.url });
  }

  async run(number) {
    const { seed, only, mostStall, single, dump } = this.#options;
    const one = createCase({ seed, number, only, forms: this.#forms });
    await this.#provider.begin(number);
    const request = one.request();
    const before = await this.#gateway.ask("stall");
    await this.#takeProbe();
    const startedAt = performance.now();
    const port = Number(new URL(this.#gateway.url).port);
    const all = await Promise.all(Array.from({ length: request.times ?? 1 }, () => exchange(port, request)));
    const took = performance.now() - startedAt;
    const stall = await this.#gateway.ask("stall", stuckAfter);
    const checked = all.map((one) => checkExchange(request, one));
    const [exchanged] = all;
    const probed = await this.#takeProbe();
    const findings = [
      ...new Set(checked.flatMap(({ findings }) => findings)),
      ...checkLog(this.#gateway.newLog()),
      ...probed.failures.map((failure) => `health: ${failure}`),
    ];
    if (stall === null) findings.push(await this.#replaceGateway());
    const { held, late, rss } = stall ?? { held: took, late: took, rss: 0 };
    if (held > mostStall) findings.push(`stall of ${held.toFixed(0)} ms`);
    else if (late > blockedAfter * mostStall)
      findings.push(`the event loop waited for ${late.toFixed(0)} ms without using the CPU`);
    // What a case before this one took is not given back at once.
    if (rss > mostMemory && rss > (before?.rss ?? 0) * 1.2)
      findings.push(`${(rss / megabyte).toFixed(0)} MB of memory`);
    const wantsDump = single || (dump !== undefined && findings.length > 0);
    const told = await this.#provider.end(wantsDump);
    const result = {
      number,
      kind: one.kind,
      label: [request.label, ...told.requests.slice(0, 1).map(({ label }) => label)].join(" | "),
      size: request.pieces.reduce((sum, piece) => sum + piece.length, 0) + (told.requests[0]?.size ?? 0),
      asked: told.requests.length,
      took,
      held,
      late,
      rss,
      waited: probed.longest,
      probes: probed.asked,
      how: exchanged.how,
      statuses: checked.flatMap(({ statuses }) => statuses),
      endings: checked.flatMap(({ endings }) => endings),
      findings,
    };
    if (single) show(result, request, exchanged.bytes, told.dump);
    if (wantsDump && dump !== undefined) writeDump(dump, result, request, exchanged.bytes, told.dump);
    return result;
  }

  async #replaceGateway() {
    const how =
      this.#gateway.ended === null
        ? "did not answer any more and was ended"
        : `ended by itself (${this.#gateway.ended})`;
    const log = this.#gateway.newLog().trim().split("\n").slice(-3).join(" ").slice(-300);
    await this.#gateway.kill();
    await this.#startGateway();
    return `the gateway ${how} ${log}`;
  }

  memory() {
    return this.#gateway.ask("memory");
  }

  /** Turns that the gateway takes for open although nobody is there any more. */
  async openTurns() {
    await sleep(1_500);
    const metrics = await (await fetch(`${this.#gateway.url}/metrics`)).text();
    return Number(/^toolwire_open_turns (\d+)/m.exec(metrics)?.[1] ?? Number.NaN);
  }

  #takeProbe() {
    return new Promise((taken) => {
      this.#probe.once("message", taken);
      this.#probe.postMessage({});
    });
  }

  async stop() {
    await this.#probe?.terminate();
    await this.#gateway?.stop();
    this.#provider?.stop();
  }
}

async function startProvider({ seed, only = "" }, build) {
  const child = fork(fileURLToPath(new URL("./run/provider.mjs", import.meta.url)), [seed, build, only]);
  const next = (key) =>
    new Promise((answered, failed) => {
      const gone = () => failed(new Error("the provider of the fuzz is gone"));
      const take = (message) => {
        if (!(key in message)) return;
        child.off("message", take).off("exit", gone);
        answered(message[key]);
      };
      child.on("message", take).once("exit", gone);
    });
  const url = await next("url");
  return {
    url,
    begin(number) {
      const begun = next("begun");
      child.send({ begin: number });
      return begun;
    },
    end(show) {
      const ended = next("ended");
      child.send({ end: true, show });
      return ended;
    },
    stop: () => child.connected && child.disconnect(),
  };
}

function writeDump(folder, { number, findings, label }, request, bytes, answers) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${number}.request`), Buffer.concat(request.pieces));
  writeFileSync(join(folder, `${number}.reply`), bytes);
  for (const [index, { body, ...rest }] of answers.entries()) {
    writeFileSync(join(folder, `${number}.answer-${index}`), Buffer.from(body, "base64"));
    writeFileSync(join(folder, `${number}.answer-${index}.json`), JSON.stringify(rest));
  }
  writeFileSync(join(folder, `${number}.txt`), `${label}\n${findings.join("\n")}\n`);
}

async function main(options) {
  const { seed, cases, seconds, first, single, json } = options;
  console.log(`seed ${seed}, cases ${first} to ${first + cases - 1}`);
  const bench = new Bench(options);
  const results = [];
  const memory = [];
  let openTurns = 0;
  const startedAt = performance.now();
  try {
    await bench.start();
    const progress = new Progress(cases);
    for (let number = first; number < first + cases; number++) {
      if (performance.now() - startedAt > seconds * 1_000) break;
      results.push(await bench.run(number));
      progress.tell(results);
      if (results.length % memoryEvery === 0) memory.push({ after: results.length, ...(await bench.memory()) });
    }
    progress.end();
    openTurns = await bench.openTurns();
    memory.push({ after: results.length, ...(await bench.memory()) });
  } finally {
    await bench.stop();
  }
  const took = performance.now() - startedAt;
  const isWell = report({ results, memory, openTurns, took, options });
  if (json !== undefined)
    writeFileSync(json, `${JSON.stringify({ machine: machine(), seed, took, openTurns, memory, results }, null, 1)}\n`);
  if (!isWell && !single) process.exitCode = 1;
}

await runBench({ readOptions, usage, limitOf: ({ seconds }) => (seconds + 300) * 1_000, main });
