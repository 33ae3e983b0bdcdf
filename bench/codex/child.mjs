import { fork } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Codex starts twice before its gateway is ready, and other work on the machine may be in its way. */
const startLimit = 60_000;
const answerLimit = 120_000;
/** A process has a Codex to end and folders to remove. */
const endLimit = 15_000;

// What is to be removed in the end is removed also then; the children hear of it by themselves.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/**
 * A module in a process of its own that ends by itself, and ends what it has started, when it is told to or when this process is
 * gone: see serve.mjs.
 */
export async function startChild(url, args = [], flags = []) {
  const file = fileURLToPath(url);
  const name = basename(file, ".mjs");
  const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-log-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "log");
  const output = openSync(log, "w");
  const child = fork(file, args, { execArgv: ["--expose-gc", ...flags], stdio: ["ignore", output, output, "ipc"] });
  closeSync(output);

  const waiting = new Map();
  let asked = 0;
  let isOver = false;
  const over = new Promise((resolve) => child.once("exit", resolve)).then(() => {
    isOver = true;
    const ended = new Error(`${name} ended by itself: ${readFileSync(log, "utf8").slice(-2_000)}`);
    for (const { reject } of waiting.values()) reject(ended);
  });
  child.on("message", ({ id, answer, error }) => {
    const { resolve, reject } = waiting.get(id) ?? {};
    if (error === undefined) resolve?.(answer);
    else reject?.(new Error(`${name}: ${error}`));
  });

  const answerTo = (id, limit) => {
    let timer;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      timer = setTimeout(() => reject(new Error(`${name} did not answer in ${limit / 1000} s`)), limit);
    }).finally(() => {
      clearTimeout(timer);
      waiting.delete(id);
    });
  };

  const stop = async () => {
    if (isOver) return;
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill("SIGKILL"), endLimit);
    await over;
    clearTimeout(timer);
  };

  try {
    const started = await answerTo("start", startLimit);
    return {
      ...started,
      pid: child.pid,
      ask(question, params) {
        const id = ++asked;
        child.send({ id, question, params });
        return answerTo(id, answerLimit);
      },
      log: () => readFileSync(log, "utf8"),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
