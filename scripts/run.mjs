import { spawn } from "node:child_process";

/** Runs a program to its end; the result is its exit code and, unless it shares our terminal, what it said. */
export function run(command, args, { cwd, env = process.env, shell = false, share = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, shell, stdio: share ? "inherit" : ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text) => (output += text));
    const stop = (signal) => {
      // A program that shares our terminal hears Ctrl-C by itself, and many take a second one for impatience.
      if (!share || signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
    const done = () => process.removeListener("SIGINT", stop).removeListener("SIGTERM", stop);
    child.once("error", (error) => {
      done();
      reject(error);
    });
    child.once("close", (code, signal) => {
      done();
      resolve({ code: code ?? 1, signal, output });
    });
  });
}
