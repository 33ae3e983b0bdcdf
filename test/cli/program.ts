import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** Resolves when standard output has a line that matches. */
  line(form: RegExp): Promise<string>;
  finished: Promise<Finished>;
}

export interface Surroundings {
  files?: Record<string, string>;
  environment?: Record<string, string>;
  /** A descriptor for standard error. Default: a pipe that is read. */
  stderr?: number;
}

/** Starts `toolwire` in a folder of its own, with an environment that holds nothing of ours. */
export function start(args: readonly string[], surroundings: Surroundings = {}): Running {
  return startProgram([process.execPath, main, ...args], surroundings);
}

/** The same in a terminal, which closes when the child is killed. Linux only. */
export function startInTerminal(args: readonly string[]): Running {
  return startProgram(["script", "-qfec", [process.execPath, main, ...args].join(" "), "/dev/null"], {});
}

function startProgram(
  [program = "", ...args]: readonly string[],
  { files = {}, environment = {}, stderr }: Surroundings,
): Running {
  const cwd = mkdtempSync(join(tmpdir(), "toolwire-cli-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...environment },
    stdio: ["ignore", "pipe", stderr ?? "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(cwd, { recursive: true, force: true });
  });

  const output = { stdout: "", stderr: "" };
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  const finished = new Promise<Finished>((resolve) => {
    child.once("close", (code) => resolve({ code, ...output }));
  });
  const line = (form: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = output.stdout
          .split(/\r?\n/)
          .slice(0, -1)
          .find((candidate) => form.test(candidate));
        if (found !== undefined) resolve(found);
      };
      child.stdout?.on("data", look);
      look();
      void finished.then(({ stderr }) => reject(new Error(`toolwire ended before ${form}: ${stderr}`)));
    });
  return { child, line, finished };
}

export function run(args: readonly string[], surroundings?: Surroundings): Promise<Finished> {
  return start(args, surroundings).finished;
}
