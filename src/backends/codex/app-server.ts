import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type JsonObject, type Stop, TurnError } from "../../turn/index.ts";
import { AppProcess } from "./app-process.ts";
import { Connection } from "./connection.ts";
import { type Facts, shakeHands } from "./handshake.ts";
import { writeModelCatalog } from "./model-catalog.ts";
import type { Notice } from "./notice.ts";
import { mirrorSetting } from "./provider.ts";
import { textOnly } from "./text-only.ts";
import { endedAtStart, errorOf, missingProgram, notLoggedIn, type Trouble, tooSlow } from "./trouble.ts";
import { createWorkplace, type Workplace } from "./workplace.ts";

export interface AppServerOptions {
  /** The name of the backend, for sentences. */
  name: string;
  command: readonly string[];
  home: string;
  /** Toolwire's own. */
  version: string;
  redact: (text: string) => string;
  notice: Notice;
}

/** A process that runs and can be asked. */
export interface Session {
  connection: Connection;
  facts: Facts;
  /** A folder with nothing in it. */
  cwd: string;
  /** What every thread is told beside the command line. */
  settings: JsonObject;
  /** Instructions of the home that cannot be kept from the model. */
  hasInstructions: boolean;
}

interface Running extends Session {
  process: AppProcess;
  workplace: Workplace;
  startedAt: number;
  /** Of the login and the configuration that it was started with. */
  signature: string;
}

const handshakeLimit = 20_000;
/** Between two attempts to start it. */
const [shortestPause, longestPause] = [250, 30_000];
/** A process that lived so long was well. */
const lifeOfAHealthyOne = 10_000;
/** A request waits for a process that is about to start again, but not for long. */
const longestWait = 5_000;

/**
 * One long-lived `codex app-server` for a home: started before it is needed, started again when it has ended, with growing pauses
 * where that keeps happening.
 */
export class AppServer {
  readonly #options: AppServerOptions;
  #running: Running | undefined;
  #starting: Promise<Running> | undefined;
  #restart: NodeJS.Timeout | undefined;
  #trouble: Trouble | undefined;
  #failures = 0;
  /** Before that it is not started again. */
  #notBefore = 0;
  #isClosed = false;

  constructor(options: AppServerOptions) {
    this.#options = options;
  }

  warm(): void {
    if (!this.#running) this.#start().catch(() => {});
  }

  /** The process, when it runs and is logged in. */
  async session(stop: Stop): Promise<Session> {
    const running = this.#running ?? (await unless(stop, this.#soon(stop)));
    if (!running.facts.needsLogin) return running;
    return unless(stop, this.#afterLogin(running));
  }

  /** The process, where it runs now. */
  get now(): Session | undefined {
    return this.#running;
  }

  /** What is wrong, in a sentence; nothing where it can be used. */
  async troubleNow(patience: Stop): Promise<string | null> {
    try {
      await this.session(patience);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    const running = this.#running ?? (await this.#starting?.catch(() => undefined));
    this.#running = undefined;
    if (!running) return;
    await running.process.end(running.connection);
    await running.workplace.remove();
  }

  async #soon(stop: Stop): Promise<Running> {
    if (this.#starting) return this.#starting;
    const wait = this.#notBefore - performance.now();
    if (wait > longestWait && this.#trouble) throw errorOf({ ...this.#trouble, again: false });
    if (wait > 0) await stop.pause(wait);
    if (stop.reason) throw stop.reason;
    return this.#running ?? this.#start();
  }

  #start(): Promise<Running> {
    if (this.#isClosed) return Promise.reject(new TurnError("shutting_down", "The gateway is shutting down."));
    this.#starting ??= this.#launch().then(
      (running) => this.#hasStarted(running),
      (error: unknown) => this.#hasFailed(error),
    );
    return this.#starting;
  }

  #hasStarted(running: Running): Running {
    this.#starting = undefined;
    this.#running = running;
    this.#trouble = undefined;
    void running.process.exited.then(() => this.#hasEnded(running));
    this.#introduce(running);
    return running;
  }

  #hasFailed(error: unknown): never {
    this.#starting = undefined;
    this.#pause();
    if (!(error instanceof Failed)) throw error;
    this.#trouble = error.trouble;
    if (!this.#isClosed) this.#tell("error", {}, error.trouble.sentence);
    // What a person has to mend is tried again when somebody asks.
    if (error.trouble.again) this.#startLater();
    throw errorOf(error.trouble);
  }

  #hasEnded(running: Running): void {
    const { name } = this.#options;
    const { process: ended, connection, workplace, startedAt } = running;
    connection.end(new TurnError("upstream_cut", `The program of the backend "${name}" has ended.`, { again: true }));
    void workplace.remove().catch(() => {});
    if (this.#running !== running) return;
    this.#running = undefined;
    if (this.#isClosed) return;
    if (performance.now() - startedAt > lifeOfAHealthyOne) this.#failures = 0;
    this.#pause();
    const words = this.#options.redact(ended.lastWords);
    this.#tell("error", { said: words.slice(0, 500) }, "Codex has ended and is started again");
    this.#startLater();
  }

  /** The next attempt waits, longer each time, and not always the same. */
  #pause(): void {
    const pause = Math.min(longestPause, shortestPause * 2 ** this.#failures++);
    this.#notBefore = performance.now() + pause * (0.75 + Math.random() / 2);
  }

  #startLater(): void {
    clearTimeout(this.#restart);
    if (this.#isClosed) return;
    this.#restart = setTimeout(() => this.warm(), Math.max(0, this.#notBefore - performance.now()));
    this.#restart.unref();
  }

  async #launch(): Promise<Running> {
    const { command, home, version } = this.#options;
    const signature = await signatureOf(home);
    const workplace = await createWorkplace(home);
    let started: AppProcess | undefined;
    try {
      const env = { ...process.env, CODEX_HOME: workplace.home };
      const hasCatalog = await writeModelCatalog(command, env, workplace.models);
      started = new AppProcess(command, settingsFor(workplace, hasCatalog), workplace.empty, env);
      const { connection, facts } = await this.#meet(started, version);
      const settings = {
        ...facts.provider.settings,
        ...(facts.mcpServers.length > 0 && { mcp_servers: switchedOff(facts.mcpServers) }),
      };
      return {
        process: started,
        workplace,
        connection,
        facts,
        settings,
        cwd: workplace.empty,
        hasInstructions: workplace.unhidden,
        startedAt: performance.now(),
        signature,
      };
    } catch (error) {
      await started?.end();
      await workplace.remove().catch(() => {});
      throw error;
    }
  }

  async #meet(started: AppProcess, version: string): Promise<{ connection: Connection; facts: Facts }> {
    const { name, command, redact } = this.#options;
    const { pipes } = started;
    if (!pipes) {
      const reason = await started.exited;
      throw new Failed(
        "error" in reason ? missingProgram(name, command, reason.error) : endedAtStart(name, reason, ""),
      );
    }
    const connection = new Connection(pipes.input, pipes.output, {
      onDeclined: (method) =>
        this.#tell("error", { method }, "Codex asked for what it must not have, and was declined"),
      onNotice: () => {},
      onBroken: (error) => {
        this.#tell("error", { why: error.message }, "Codex cannot be understood and is ended");
        void started.end(connection);
      },
    });
    const ended = started.exited.then((reason) => {
      const isMissing = "error" in reason;
      connection.end(new Error("the app-server has ended"));
      throw new Failed(
        isMissing ? missingProgram(name, command, reason.error) : endedAtStart(name, reason, redact(started.lastWords)),
      );
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Failed(tooSlow(name, handshakeLimit))), handshakeLimit);
    });
    try {
      const facts = await Promise.race([shakeHands(connection, version), ended, late]);
      return { connection, facts };
    } finally {
      clearTimeout(timer);
      ended.catch(() => {});
      late.catch(() => {});
    }
  }

  /** A login is seen by a process only when it starts. */
  async #afterLogin(running: Running): Promise<Running> {
    const { name, command, home } = this.#options;
    if (this.#running === running && (await signatureOf(home)) !== running.signature) {
      if (this.#running === running) {
        this.#running = undefined;
        this.#failures = 0;
        void running.process.end(running.connection);
      }
      const next = await this.#start();
      if (!next.facts.needsLogin) return next;
    }
    throw errorOf(notLoggedIn(name, command, home));
  }

  #introduce({ facts: { abilities, needsLogin }, process: started, hasInstructions }: Running): void {
    const { name, command, home } = this.#options;
    const { version = "of an unknown version" } = abilities;
    this.#tell("info", { version, pid: started.pid ?? 0 }, "Codex has started");
    if (!abilities.native) this.#tell("warn", { version }, noteOnTools(version));
    if (hasInstructions) this.#tell("warn", {}, noteOnInstructions);
    if (needsLogin) this.#tell("warn", {}, notLoggedIn(name, command, home).sentence);
  }

  #tell(level: "info" | "warn" | "error", fields: Parameters<Notice>[1], message: string): void {
    this.#options.notice(level, { backend: this.#options.name, ...fields }, message);
  }
}

export function noteOnTools(version: string): string {
  return `Codex ${version} takes no tools of its clients, so they are written into the prompt; a newer version takes them`;
}

export const noteOnInstructions =
  "AGENTS.md of the Codex home is read by every model, because the login is kept in the system's keyring; move it away to have bare models";

class Failed extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.sentence);
    this.trouble = trouble;
  }
}

function settingsFor({ databases, models }: Workplace, hasCatalog: boolean): string[] {
  const own = [
    ...textOnly(),
    mirrorSetting,
    `sqlite_home=${JSON.stringify(databases)}`,
    ...(hasCatalog ? [`model_catalog_json=${JSON.stringify(models)}`] : []),
  ];
  return own.flatMap((setting) => ["-c", setting]);
}

function switchedOff(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { enabled: false }]));
}

/** Changes when somebody logs in or sets another provider. */
async function signatureOf(home: string): Promise<string> {
  const files = ["auth.json", "config.toml"].map((name) =>
    stat(join(home, name)).then(
      ({ mtimeMs, size }) => `${mtimeMs}:${size}`,
      () => "none",
    ),
  );
  return (await Promise.all(files)).join(" ");
}

/** Waits, but not longer than until the stop. */
function unless<T>(stop: Stop, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(stop.reason ?? new Error("stopped"));
    if (stop.reason) leave();
    stop.onStop(leave);
    promise.then(resolve, reject).finally(() => stop.offStop(leave));
  });
}
