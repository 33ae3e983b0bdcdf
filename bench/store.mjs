import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { machine, runBench } from "./measure/command.mjs";
import { postgresDatabase, sqliteDatabase } from "./measure/databases.mjs";
import { Load } from "./measure/load.mjs";
import { startProcess } from "./measure/process.mjs";
import { runCommit } from "./store/commit.mjs";
import { runCpu } from "./store/cpu.mjs";
import { runGrowth } from "./store/growth.mjs";
import { runLoop } from "./store/loop.mjs";
import { readOptions, usage } from "./store/options.mjs";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const runs = { cpu: runCpu, commit: runCommit, loop: runLoop, growth: runGrowth };

/** What it costs to keep what happened: CPU, the wait for the commit, the event loop, and whether it grows with what is stored. */
async function main(options) {
  const bench = new Bench(options);
  const numbers = {};
  try {
    await bench.start();
    for (const [name, run] of Object.entries(runs)) {
      if (options.only === undefined || options.only === name) numbers[name] = await run(bench, options);
    }
    const record = { machine: machine(), rounds: options.rounds, quick: options.quick, ...numbers };
    if (options.json) writeFileSync(options.json, `${JSON.stringify(record, null, 2)}\n`);
  } finally {
    await bench.stop();
  }
}

class Bench {
  #options;
  #folder = mkdtempSync(join(tmpdir(), "toolwire-bench-"));
  #started = [];
  #databases = [];
  #provider;
  load;

  constructor(options) {
    this.#options = options;
    process.once("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
    const sqlite = { name: "sqlite", create: () => sqliteDatabase(this.#folder, this.#databases.length) };
    const postgres = { name: "postgres", create: () => postgresDatabase(options.postgres) };
    const memory = { name: "memory", create: () => ({ url: "memory:", remove() {} }) };
    this.stores = [sqlite, ...(options.postgres ? [postgres] : []), memory];
    this.folder = this.#folder;
  }

  async start() {
    this.#provider = await this.#start("provider");
    this.load = new Load(this.#provider);
  }

  /** A gateway with a new database. */
  async startGateway(store) {
    const { profile } = this.#options;
    const flags = profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : [];
    const args = [this.#provider.url, "", dist, (await this.#create(store)).url];
    return await this.#start(store.name, { server: "toolwire", args, flags });
  }

  /** A process with nothing but a store. */
  async startStore(store) {
    return await this.#start(store.name, { server: "store", args: [dist, (await this.#create(store)).url] });
  }

  async stop() {
    await this.load?.close();
    await Promise.all(this.#started.map((server) => server.stop()));
    for (const database of this.#databases) await database.remove();
  }

  async #create(store) {
    const database = await store.create();
    this.#databases.push(database);
    return database;
  }

  async #start(name, more) {
    const server = await startProcess(name, more);
    this.#started.push(server);
    return server;
  }
}

await runBench({ readOptions, usage, limitOf: ({ rounds }) => 900_000 + rounds * 20_000, main });
