import { fork } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const startLimit = 15_000;
const answerLimit = 30_000;

/** Of the logs: they go when this process does. */
const folders = [];
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A server of bench/servers in a process of its own, so that its CPU and memory are its alone. `name` is what errors call it. */
export async function startProcess(name, { server = name, args = [], flags = [] } = {}) {
  const file = fileURLToPath(new URL(`../servers/${server}.mjs`, import.meta.url));
  // A server logs as it does in use; to a file, where nobody has to read it while something is measured.
  const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-"));
  const log = join(folder, `${name}.log`);
  const output = openSync(log, "w");
  const child = fork(file, args, { execArgv: ["--expose-gc", ...flags], stdio: ["ignore", output, output, "ipc"] });
  closeSync(output);
  folders.push(folder);
  const waiting = new Map();
  let asked = 0;
  child.on("message", ({ id = "start", answer, started }) => {
    waiting.get(id)?.resolve(started ?? answer);
    waiting.delete(id);
  });
  child.once("exit", (code, signal) => {
    const ended = new Error(`${name} ended by itself (${signal ?? code}): ${readFileSync(log, "utf8").slice(-2_000)}`);
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  });

  const answerTo = (id, milliseconds) => {
    const { promise, resolve, reject } = withResolvers();
    const timer = setTimeout(() => reject(new Error(`${name} did not answer in ${milliseconds} ms`)), milliseconds);
    waiting.set(id, { resolve, reject });
    return promise.finally(() => clearTimeout(timer));
  };

  const started = await answerTo("start", startLimit);
  return {
    name,
    ...started,
    /** `cpu` or `memory`: see servers/serve.mjs. Some servers do more. */
    ask(ask, argument, milliseconds = answerLimit) {
      const id = asked++;
      child.send({ id, ask, argument });
      return answerTo(id, milliseconds);
    },
    stop() {
      if (child.exitCode !== null || child.signalCode !== null) return undefined;
      const { promise, resolve } = withResolvers();
      child.once("exit", resolve);
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
      return promise.finally(() => clearTimeout(timer));
    },
  };
}

/** Node 20 has no `Promise.withResolvers`. */
function withResolvers() {
  let resolve;
  let reject;
  const promise = new Promise((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  return { promise, resolve, reject };
}
