import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Random } from "../fuzz/random.mjs";
import { progress, runBench } from "../measure/command.mjs";
import { postgresDatabase, sqliteDatabase } from "../measure/databases.mjs";
import { checkAnswers } from "./check-answers.mjs";
import { checkRows, readTables } from "./check-rows.mjs";
import { Client } from "./client.mjs";
import { Gateway } from "./gateway.mjs";
import { loadAndKill, resume } from "./load.mjs";
import { readOptions, usage } from "./options.mjs";
import { Provider } from "./provider.mjs";
import { Plan } from "./turns.mjs";

const ownFolder = fileURLToPath(new URL("../..", import.meta.url));
/** Kills that one database lives through. Then a new one is begun, so that its creation is hit, too. */
const roundsPerDatabase = 10;
const mostFindings = 20;

// The gateway ends when this process does.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

class Crash {
  #options;
  #folder = mkdtempSync(join(tmpdir(), "toolwire-crash-"));
  #build;
  #gateway;
  #provider;
  #openStore;
  #database;
  #plan;
  /** The first turn of the round before. */
  #since = 0;
  #round = 0;
  findings = [];
  totals = { rounds: 0, turns: 0, completed: 0, cut: 0, kept: 0, refused: 0, rows: 0 };

  constructor(options) {
    this.#options = options;
    this.#build = options.build === undefined ? ownFolder : resolve(options.build);
    this.#gateway = new Gateway(this.#build, this.#folder);
    this.#provider = new Provider(this.#finding);
    process.once("exit", () => {
      this.#gateway.killNow();
      if (options.keep) process.stderr.write(`${this.#folder}\n`);
      else rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  get log() {
    return readFileSync(this.#gateway.log, "utf8");
  }

  #finding = (text) => {
    if (this.findings.length < mostFindings) progress(`VIOLATION in round ${this.#round}: ${text}`);
    this.findings.push(text);
  };

  async run() {
    ({ openStore: this.#openStore } = await import(pathToFileURL(join(this.#build, "dist/store/index.js")).href));
    await this.#provider.start();
    try {
      const { rounds } = this.#options;
      for (this.#round = 0; this.#round < rounds; this.#round++) {
        if (this.#round % roundsPerDatabase === 0) await this.#changeDatabase();
        await this.#kill();
        if ((this.#round + 1) % 10 === 0) progress(`${this.#round + 1} of ${rounds}: ${JSON.stringify(this.totals)}`);
      }
      await this.#endDatabase();
    } finally {
      await this.#gateway.stop?.();
      this.#provider.stop();
      await this.#database?.remove();
    }
  }

  async #changeDatabase() {
    await this.#endDatabase();
    await this.#database?.remove();
    const { seed, postgres } = this.#options;
    this.#database = postgres ? await postgresDatabase(postgres) : sqliteDatabase(this.#folder, this.#round);
    this.#plan = new Plan(seed, String(this.#round));
    this.#since = 0;
    this.#provider.use(this.#plan);
    this.#gateway.configure(this.#database.url, this.#provider.url);
    for (const api of ["chat", "responses", "chat", "responses"]) {
      this.#plan.conversation(`talk ${this.#plan.conversations.length}`, api);
    }
  }

  /** After the last kill: every turn of the database is looked at once more. */
  async #endDatabase() {
    if (!this.#plan) return;
    const client = new Client(await this.#gateway.start(), this.#finding);
    await this.#check(client, this.#plan.turns);
    this.totals.rows += await this.#checkRows();
    await client.close();
    const code = await this.#gateway.stop();
    if (code !== 0) this.#finding(`the gateway ended with ${code}`);
  }

  async #kill() {
    const random = new Random(this.#options.seed, "round", String(this.#round));
    // Some starts are killed, too: at first they create the tables, later they recover what was committed.
    for (
      let times = random.weighted([
        [3, 0],
        [1, 1],
        [1, 2],
      ]);
      times > 0;
      times--
    ) {
      this.#gateway.spawn();
      await sleep(random.between(50, 900));
      await this.#gateway.kill();
    }
    const client = new Client(await this.#gateway.start(), this.#finding);
    const plan = this.#plan;
    const counts = await this.#check(client, plan.turns.slice(this.#since));
    this.totals.kept += counts.kept;
    const since = this.#since;
    this.#since = plan.turns.length;
    await resume({ plan, since, client, random });
    await this.#checkRows();
    const { workers } = this.#options;
    await loadAndKill({ plan, provider: this.#provider, client, gateway: this.#gateway, random, workers });
    await client.close();
    this.#count(plan.turns.slice(this.#since));
  }

  async #check(client, turns) {
    return await checkAnswers(turns, client, this.#finding);
  }

  /** By another connection, while the gateway has the database open. Returns how many responses there are. */
  async #checkRows() {
    for (const text of await this.#database.check()) this.#finding(`the database is damaged: ${text}`);
    const quiet = { debug() {}, info() {}, warn() {}, error() {} };
    const store = await this.#openStore({ url: this.#database.url, keep: null, log: quiet });
    try {
      return checkRows(await readTables(store), this.#plan, this.#finding);
    } finally {
      await store.close();
    }
  }

  #count(turns) {
    const { totals } = this;
    totals.rounds++;
    totals.turns += turns.length;
    for (const { outcome, isRefused } of turns) {
      if (outcome === "completed") totals.completed++;
      if (outcome === "cut") totals.cut++;
      if (isRefused) totals.refused++;
    }
  }
}

async function main(options) {
  const crash = new Crash(options);
  progress(`seed ${options.seed}, ${options.postgres ? "Postgres" : "SQLite"}`);
  await crash.run();
  const { rounds, turns, completed, cut, refused, rows } = crash.totals;
  const failures = crash.log.split("\n").filter((line) => /store/i.test(line)).length;
  console.log(
    `${rounds} kills, ${turns} turns: ${completed} completed, ${cut} cut off; ${rows} stored; ${refused} not stored and said so; ${failures} log lines about the store; ${crash.findings.length} violations (seed ${options.seed})`,
  );
  if (failures > 0 && crash.findings.length > 0) console.error(crash.log.slice(-2_000));
  if (crash.findings.length > 0) process.exitCode = 1;
}

const limitOf = ({ rounds }) => 120_000 + rounds * 20_000;

await runBench({ readOptions, usage, limitOf, main });
