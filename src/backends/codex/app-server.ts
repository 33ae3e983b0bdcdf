import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Stop, TurnError } from "../../turn/index.ts";
import type { Abilities } from "./abilities.ts";
import type { AppProcess } from "./app-process.ts";
import type { Connection, ConnectionEvents } from "./connection.ts";
import { FailedStart, type Launched, type LaunchOptions, launch } from "./launch.ts";
import type { Notice } from "./notice.ts";
import { errorOf, noteOnInstructions, noteOnModels, noteOnTools, type Trouble } from "./trouble.ts";

export interface AppServerOptions extends LaunchOptions {
  notice: Notice;
}

/** A process that runs and can be asked. */
export interface Session {
  connection: Connection;
  abilities: Abilities;
  /** A folder with nothing in it. */
  cwd: string;
  /** What a person should know of it. */
  notes: string[];
  /** Called for each turn: a process does not serve for ever. */
  used(): void;
}

interface Running extends Session, Launched {
  startedAt: number;
  /** Of the login and the configuration that it was started with. */
  signature: string;
}

/** Between two attempts to start it. */
const [shortestPause, longestPause] = [250, 30_000];
/** A process that lived so long was well. */
const lifeOfAHealthyOne = 10_000;
/** A request waits for a process that is about to start again, but not for long. */
const longestWait = 5_000;
/** How often it is looked whether somebody has changed the home, and how long a process lives at least that was started for it. */
const [lookEvery, shortestLife] = [1_000, 5_000];
/** Codex keeps about 33 KB of records of every turn in its databases, whatever it is told. */
const turnsOfOneLife = 5_000;

/**
 * One long-lived `codex app-server` for a home: started before it is needed, started again when it has ended, with growing pauses
 * where that keeps happening, and relieved by a fresh one when it has served long.
 */
export class AppServer {
  readonly #options: AppServerOptions;
  #running: Running | undefined;
  #starting: Promise<Running> | undefined;
  /** Those that were relieved and still have turns to finish. */
  readonly #leaving = new Set<Running>();
  #restart: NodeJS.Timeout | undefined;
  #abilities: Abilities | undefined;
  #trouble: Trouble | undefined;
  #failures = 0;
  /** Before that it is not started again. */
  #notBefore = 0;
  #lookedAt = 0;
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
    this.#lookAround(running);
    return running.trouble ? unless(stop, this.#afterMending(running)) : running;
  }

  /** The process, where it runs now. */
  get now(): Session | undefined {
    return this.#running;
  }

  /** What it could do when it was started last. */
  get abilities(): Abilities | undefined {
    return this.#abilities;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    await this.#starting?.catch(() => {});
    const all = [...this.#leaving, ...(this.#running ? [this.#running] : [])];
    this.#running = undefined;
    await Promise.all(all.map(end));
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

  async #launch(): Promise<Running> {
    const launched = await launch(this.#options, (started) => this.#events(started));
    // Codex itself may write there when it starts.
    const signature = await signatureOf(this.#options.home);
    const { abilities, workplace } = launched;
    let turns = 0;
    const running: Running = {
      ...launched,
      cwd: workplace.empty,
      notes: [
        ...(abilities.native ? [] : [noteOnTools(abilities.version)]),
        ...(workplace.unhidden ? [noteOnInstructions] : []),
        ...(abilities.native && !launched.hasBareModels ? [noteOnModels] : []),
      ],
      used: () => {
        if (++turns === turnsOfOneLife) this.#relieve(running, "has served long");
      },
      startedAt: performance.now(),
      signature,
    };
    return running;
  }

  #events(started: AppProcess): ConnectionEvents {
    return {
      onDeclined: (method) =>
        this.#tell("error", { method }, "Codex asked for what it must not have, and was declined"),
      onNotice: () => {},
      onBroken: (error) => {
        this.#tell("error", { why: error.message }, "Codex cannot be understood and is ended");
        void started.end();
      },
    };
  }

  #hasStarted(running: Running): Running {
    this.#starting = undefined;
    this.#running = running;
    this.#abilities = running.abilities;
    this.#trouble = undefined;
    void running.process.exited.then(() => this.#hasEnded(running));
    const { abilities, notes, trouble, process: started } = running;
    this.#tell("info", { version: abilities.version ?? "unknown", pid: started.pid ?? 0 }, "Codex has started");
    for (const note of notes) this.#tell("warn", {}, note);
    if (trouble) this.#tell("warn", {}, trouble.sentence);
    return running;
  }

  #hasFailed(error: unknown): never {
    this.#starting = undefined;
    this.#pause();
    const trouble = error instanceof FailedStart ? error.trouble : { sentence: String(error), again: true };
    this.#trouble = trouble;
    if (!this.#isClosed) this.#tell("error", {}, trouble.sentence);
    // What a person has to mend is tried again when somebody asks.
    if (trouble.again) this.#startLater();
    throw errorOf(trouble);
  }

  #hasEnded(running: Running): void {
    const { name, redact } = this.#options;
    const { process: ended, connection, workplace, startedAt } = running;
    connection.end(new TurnError("upstream_cut", `The program of the backend "${name}" has ended.`, { again: true }));
    this.#leaving.delete(running);
    void workplace.remove().catch(() => {});
    if (this.#running !== running) return;
    this.#running = undefined;
    if (this.#isClosed) return;
    if (performance.now() - startedAt > lifeOfAHealthyOne) this.#failures = 0;
    this.#pause();
    this.#tell("error", { said: redact(ended.lastWords).slice(0, 500) }, "Codex has ended and is started again");
    this.#startLater();
  }

  /** New turns go to a fresh process; the old one ends when its last turn has. */
  #relieve(old: Running, why: string): void {
    if (this.#isClosed || this.#running !== old) return;
    this.#running = undefined;
    this.#leaving.add(old);
    this.#tell("info", { why: `it ${why}` }, "Codex is relieved by a fresh process");
    this.warm();
    const check = setInterval(() => {
      if (old.connection.threads > 0) return;
      clearInterval(check);
      void end(old);
    }, 1_000);
    check.unref();
  }

  /** Another login or configuration is taken up by the next process. Nobody waits for that, and nobody is disturbed by it often. */
  #lookAround(running: Running): void {
    const now = performance.now();
    if (running.trouble || now - this.#lookedAt < lookEvery || now - running.startedAt < shortestLife) return;
    this.#lookedAt = now;
    void signatureOf(this.#options.home).then((signature) => {
      if (signature !== running.signature) this.#relieve(running, "was started with other settings");
    });
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

  /** What somebody has mended, a login say, is seen by a process only when it starts. */
  async #afterMending(running: Running): Promise<Running> {
    const isChanged = (await signatureOf(this.#options.home)) !== running.signature;
    if (isChanged && this.#running === running) {
      this.#running = undefined;
      void end(running);
    }
    const next = isChanged ? (this.#running ?? (await this.#start())) : running;
    if (next.trouble) throw errorOf(next.trouble);
    return next;
  }

  #tell(level: "info" | "warn" | "error", fields: Parameters<Notice>[1], message: string): void {
    this.#options.notice(level, { backend: this.#options.name, ...fields }, message);
  }
}

async function end({ process: running, connection, workplace }: Running): Promise<void> {
  connection.end(new TurnError("shutting_down", "The gateway is shutting down."));
  await running.end();
  await workplace.remove().catch(() => {});
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
