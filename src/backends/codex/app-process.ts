import { type ChildProcess, spawn } from "node:child_process";

/** How long a process may take to end when its input is closed, and when it is asked to. */
const politeEnd = 1_500;
const firmEnd = 2_000;
/** The last of what it complains about, for when it ends. */
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
    // In a group of its own: what is typed at the gateway's terminal is not meant for it.
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

  /** The pipes; nothing where the program could not be started. */
  get pipes(): { input: NonNullable<ChildProcess["stdin"]>; output: NonNullable<ChildProcess["stdout"]> } | undefined {
    const { stdin, stdout } = this.#child;
    return stdin && stdout && this.#child.pid !== undefined ? { input: stdin, output: stdout } : undefined;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** What it said last before it ended, on one line and without colours. */
  get lastWords(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with one
    const plain = this.#complaint.replace(/\x1b\[[0-9;]*m/g, "");
    const lines = plain.split("\n").map((line) => line.trim());
    return (
      lines.findLast((line) => /error|fail|invalid|unknown|cannot|denied/i.test(line)) ?? lines.findLast(Boolean) ?? ""
    );
  }

  /** Closing its input asks it to end; a process that does not is ended. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#child.stdin?.end();
    if (await this.#hasEndedWithin(politeEnd)) return;
    this.#signal("SIGTERM");
    if (await this.#hasEndedWithin(firmEnd)) return;
    this.#signal("SIGKILL");
    await this.exited;
  }

  /** Codex as npm installs it is a program that starts another: both are meant. */
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
