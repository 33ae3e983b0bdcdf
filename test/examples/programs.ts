import { execFile, spawnSync } from "node:child_process";

/** Which of the programs this machine does not have. */
export function missingPrograms(...programs: string[]): string[] {
  return programs.filter((program) => spawnSync(program, ["--version"], { stdio: "ignore" }).status !== 0);
}

/** A test's name that tells why it is skipped, where it is. */
export function nameWith(missing: readonly string[], name: string): string {
  return missing.length === 0 ? name : `${name} (skipped: ${missing.join(" and ")} missing on this machine)`;
}

/** Milliseconds: a busy machine starts a dozen programs slowly. */
export const patience = 60_000;

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. What the shell of the developer has set up for Toolwire is not passed on. */
export function run(program: string, args: string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, no_proxy: "127.0.0.1", ...environment };
  return new Promise((resolve) => {
    execFile(program, args, { env, timeout: patience }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}
