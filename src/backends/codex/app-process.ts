import { type ChildProcess, spawn } from "node:child_process";

/** How long a process may take to exit after its stdin closes, and after SIGTERM. */
const politeEnd = 1_500;
const firmEnd = 2_000;
/** How much of the end of stderr is kept to explain an exit. */
const mostComplaint = 4_096;

const hasGroups = process.platform !== "win32";

export type ExitReason = { error: NodeJS.ErrnoException } | { code: number | null; signal: string | null };

/** One running `codex app-server`. */
export class AppProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<ExitReason>;
  #complaint = "";
  #isOver = false;

  constructor(command: readonly string[], args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    const [program = "", ...rest] = command;
    // In a process group of its own, so that signals from the gateway's terminal do not reach it.
    const options = { cwd, env, detached: hasGroups, windowsHide: true };
    this.#child = spawn(program, [...rest, ...args], { ...options, stdio: ["pipe", "pipe", "pipe"] });
    this.exited = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve({ error }));
      this.#child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    void this.exited.then(() => {
      this.#isOver = true;
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#complaint = (this.#complaint + chunk.toString("utf8")).slice(-mostComplaint);
    });
    this.#child.stderr?.on("error", () => {});
  }

  /** `undefined` if the program could not be started. */
  get pipes(): { input: NonNullable<ChildProcess["stdin"]>; output: NonNullable<ChildProcess["stdout"]> } | undefined {
    const { stdin, stdout } = this.#child;
    return stdin && stdout && this.#child.pid !== undefined ? { input: stdin, output: stdout } : undefined;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The last line on stderr that looks like an error, else the last line; without colours. */
  get lastWords(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with one
    const plain = this.#complaint.replace(/\x1b\[[0-9;]*m/g, "");
    const lines = plain.split("\n").map((line) => line.trim());
    return (
      lines.findLast((line) => /error|fail|invalid|unknown|cannot|denied/i.test(line)) ?? lines.findLast(Boolean) ?? ""
    );
  }

  /** Closing stdin asks the process to exit. A process that does not is killed. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#child.stdin?.end();
    if (await this.#hasEndedWithin(politeEnd)) return;
    this.#signal("SIGTERM");
    if (await this.#hasEndedWithin(firmEnd)) return;
    this.#signal("SIGKILL");
    await this.exited;
  }

  /** Codex as installed by npm is a program that starts another. The signal must reach both. */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    try {
      if (pid === undefined || !hasGroups) this.#child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      this.#child.kill(signal);
    }
  }

  async #hasEndedWithin(milliseconds: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), milliseconds);
    });
    const ended = await Promise.race([this.exited.then(() => true), late]);
    clearTimeout(timer);
    return ended;
  }
}
