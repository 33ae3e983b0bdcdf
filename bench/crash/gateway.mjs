import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const startLimit = 30_000;

/** The program as users start it. */
export class Gateway {
  #build;
  #folder;
  #child;
  #ended;

  constructor(build, folder) {
    this.#build = build;
    this.#folder = folder;
    this.log = join(folder, "gateway.log");
  }

  configure(store, provider) {
    const config = {
      backends: { scripted: { kind: "chat", base_url: `${provider}/v1`, api_key: "secret" } },
      store: { url: store },
      log: { level: "warn" },
    };
    // YAML is a superset of JSON.
    writeFileSync(join(this.#folder, "toolwire.yaml"), JSON.stringify(config));
  }

  /** Starts it, and returns its address. */
  async start() {
    this.spawn();
    const began = performance.now();
    while (performance.now() - began < startLimit) {
      const url = /listening on (\S+)/.exec(readFileSync(this.#output, "utf8"))?.[1];
      if (url) return url;
      if (this.#child.exitCode !== null) break;
      await sleep(10);
    }
    throw new Error(`the gateway did not start: ${readFileSync(this.log, "utf8").slice(-2_000)}`);
  }

  /** Starts it without waiting until it listens. */
  spawn() {
    const output = openSync(this.#output, "w");
    const log = openSync(this.log, "a");
    const args = [join(this.#build, "dist", "cli", "main.js"), "serve", "--port", "0"];
    this.#child = spawn(process.execPath, args, { cwd: this.#folder, stdio: ["ignore", output, log] });
    this.#ended = new Promise((resolve) => this.#child.once("exit", resolve));
    closeSync(output);
    closeSync(log);
  }

  async kill() {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** Lets it end by itself. Returns its exit code. */
  async stop() {
    this.#child.kill("SIGTERM");
    return await this.#ended;
  }

  /** Ends with this process, whatever happens to that. */
  killNow() {
    this.#child?.kill("SIGKILL");
  }

  get #output() {
    return join(this.#folder, "gateway.out");
  }
}
