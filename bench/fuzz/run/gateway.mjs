import { spawn } from "node:child_process";
import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const watch = new URL("./loop-watch.mjs", import.meta.url).href;
const startLimit = 30_000;

/** The real gateway, as `toolwire serve` starts it, with a watch on its event loop. */
export async function startGateway({ build, folder, config, number }) {
  const file = join(folder, `toolwire-${number}.yaml`);
  const log = join(folder, `gateway-${number}.log`);
  writeFileSync(file, config);
  const output = openSync(log, "w");
  const flags = ["--expose-gc", "--import", watch];
  const child = spawn(process.execPath, [...flags, join(build, "dist", "cli", "main.js"), "serve", "--config", file], {
    cwd: folder,
    stdio: ["ignore", "pipe", output, "ipc"],
  });
  closeSync(output);
  const gateway = new Gateway(child, log);
  await gateway.started;
  return gateway;
}

export class Gateway {
  url = "";
  ended = null;
  started;
  over;
  #child;
  #log;
  #logged = 0;
  #waiting = new Map();
  #asked = 0;

  constructor(child, log) {
    this.#child = child;
    this.#log = log;
    this.started = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("the gateway did not start in time")), startLimit);
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text) => {
        said += text;
        const url = /listening on (\S+)/.exec(said)?.[1];
        if (url === undefined) return;
        this.url = url;
        clearTimeout(timer);
        resolve();
      });
      child.once("exit", () => reject(new Error(`the gateway did not start: ${this.newLog().slice(-2_000)}`)));
    });
    this.over = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.ended = signal ?? `exit code ${code}`;
        for (const { resolve: answered } of this.#waiting.values()) answered(null);
        this.#waiting.clear();
        resolve();
      });
    });
    child.on("message", ({ id, answer }) => {
      this.#waiting.get(id)?.resolve(answer);
      this.#waiting.delete(id);
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** `stall` or `memory`; see loop-watch.mjs. `null` if the gateway does not answer in time, or is gone. */
  ask(ask, limit = 120_000) {
    if (this.ended !== null || !this.#child.connected) return Promise.resolve(null);
    const id = ++this.#asked;
    let timer;
    return new Promise((resolve) => {
      timer = setTimeout(() => resolve(null), limit);
      this.#waiting.set(id, { resolve });
      this.#child.send({ id, ask }, (error) => error && resolve(null));
    }).finally(() => clearTimeout(timer));
  }

  /** The lines that it has logged since the last time. A line that is still being written is read next time. */
  newLog() {
    const file = openSync(this.#log, "r");
    const pieces = [];
    try {
      for (;;) {
        const piece = Buffer.alloc(64 * 1024);
        const length = readSync(file, piece, 0, piece.length, this.#logged);
        if (length === 0) break;
        pieces.push(piece.subarray(0, length));
        this.#logged += length;
      }
    } finally {
      closeSync(file);
    }
    const read = Buffer.concat(pieces);
    const whole = read.lastIndexOf(0x0a) + 1;
    this.#logged -= read.length - whole;
    return read.toString("utf8", 0, whole);
  }

  async stop() {
    if (this.ended === null) this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 8_000);
    await this.over;
    clearTimeout(timer);
  }

  async kill() {
    if (this.ended === null) this.#child.kill("SIGKILL");
    await this.over;
  }
}

export const ownFolder = fileURLToPath(new URL("../../..", import.meta.url));
