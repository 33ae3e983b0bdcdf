import { Cancellation, TurnError } from "../../turn/index.ts";
import type { Abilities } from "./abilities.ts";
import { type Connection, type ConnectionEvents, PipeClosed } from "./connection.ts";
import { signatureOf, signatures } from "./home-signature.ts";
import { inTime } from "./in-time.ts";
import { FailedStart, type Launched, type LaunchOptions, launch } from "./launch.ts";
import type { Notice } from "./notice.ts";
import { sweepOnce } from "./sweep.ts";
import { endedByItself, errorOf, noteOnInstructions, noteOnModels, noteOnTools, type Trouble } from "./trouble.ts";

export interface AppServerOptions extends LaunchOptions {
  notice: Notice;
  /** Runs starts in the same home one after the other, because concurrent ones can fail. */
  inTurn: <T>(start: () => Promise<T>) => Promise<T>;
}

/** A running process that accepts requests. */
export interface Session {
  connection: Connection;
  abilities: Abilities;
  /** An empty folder. */
  cwd: string;
  /** Notes for the operator. */
  notes: string[];
  /** Keeps the process for one turn, until the returned function is called. */
  lease(): () => void;
  /** Reports that the process did not answer in time. */
  suspect(): void;
}

interface Running extends Session, Launched {
  startedAt: number;
  /** Of the home and the files that the process was started with. */
  signature: string;
  leases: number;
  isSuspected: boolean;
}

/** Milliseconds between two attempts to start the process. */
const [shortestPause, longestPause] = [250, 30_000];
/** A process that ran this long was healthy: its exit resets the count of failures. */
const healthyUptime = 10_000;
/** How long a request waits for a process that is about to restart. */
const longestWait = 5_000;
/** How long an unresponsive process may take to answer the simplest request. */
const lastAnswerTimeout = 5_000;
/** After this many turns a fresh process takes over: Codex stores about 33 KB per turn in its databases, whatever its settings. */
const turnsPerProcess = 5_000;
/** How many replaced processes may still have turns to finish. */
const maxReplaced = 3;

/**
 * One long-lived `codex app-server` for a home. It starts before the first request and restarts when it exits, with growing pauses
 * if it keeps exiting. A fresh process replaces it after many turns, or when its home has changed.
 */
export class AppServer {
  readonly #options: AppServerOptions;
  readonly #closing = new Cancellation();
  #running: Running | undefined;
  #starting: Promise<Running> | undefined;
  readonly #replaced = new Set<Running>();
  #restart: NodeJS.Timeout | undefined;
  #abilities: Abilities | undefined;
  #trouble: Trouble | undefined;
  #failures = 0;
  /** The process is not restarted before this time. */
  #notBefore = 0;

  constructor(options: AppServerOptions) {
    this.#options = options;
  }

  warm(): void {
    if (!this.#running) this.#start().catch(() => {});
  }

  /** The process, if it is up to date with its home and a model can be used. */
  async session(cancellation: Cancellation): Promise<Session> {
    const running = await orCancelled(cancellation, this.#current(cancellation));
    if (running.trouble) throw errorOf(running.trouble);
    return running;
  }

  /** The process, if it is running now. */
  get now(): Session | undefined {
    return this.#running;
  }

  /** What the process supported at its last start. */
  get abilities(): Abilities | undefined {
    return this.#abilities;
  }

  async close(): Promise<void> {
    this.#closing.cancel(new TurnError("shutting_down", "The gateway is shutting down."));
    clearTimeout(this.#restart);
    await this.#starting?.catch(() => {});
    const all = [...this.#replaced, ...(this.#running ? [this.#running] : [])];
    this.#running = undefined;
    await Promise.all(all.map((running) => this.#end(running)));
  }

  /** Codex reads its home for every thread, so a changed home must not be used with an old process. */
  async #current(cancellation: Cancellation): Promise<Running> {
    const running = this.#running ?? (await this.#awaitStart(cancellation));
    if ((await this.#signatureNow(running)) === running.signature) return running;
    if (this.#running !== running) return this.#running ?? this.#awaitStart(cancellation);
    if (!this.#starting) this.#tell("info", {}, "the Codex home has changed; starting a new Codex process");
    return this.#awaitStart(cancellation);
  }

  async #signatureNow({ workplace, hasBareModels }: Running): Promise<string> {
    const [home, models] = await Promise.all([signatureOf(this.#options.home), signatures([workplace.models])]);
    return hasBareModels ? `${home} ${models}` : home;
  }

  async #awaitStart(cancellation: Cancellation): Promise<Running> {
    if (this.#starting) return this.#starting;
    const wait = this.#notBefore - performance.now();
    if (wait > longestWait)
      throw errorOf({ sentence: this.#trouble?.sentence ?? "Codex does not start.", again: false });
    if (wait > 0) await cancellation.pause(wait);
    if (cancellation.reason) throw cancellation.reason;
    return this.#start();
  }

  #start(): Promise<Running> {
    if (this.#closing.reason) return Promise.reject(this.#closing.reason);
    this.#starting ??= this.#launch().then(
      (running) => this.#hasStarted(running),
      (error: unknown) => this.#hasFailed(error),
    );
    return this.#starting;
  }

  async #launch(): Promise<Running> {
    void sweepOnce(this.#options.notice);
    const before = await signatureOf(this.#options.home);
    const launched = await this.#options.inTurn(() => launch(this.#options, this.#events(), this.#closing));
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
      startedAt: performance.now(),
      signature: "",
      leases: 0,
      isSuspected: false,
      lease: () => {
        if (++turns % turnsPerProcess === 0 && this.#running === running) this.#start().catch(() => {});
        return this.#lease(running);
      },
      suspect: () => void this.#suspect(running),
    };
    running.signature = await this.#signatureNow(running);
    // Codex itself may write to its home at start. But if the operator fixed the home meanwhile, the process has not seen it.
    if (running.trouble && !running.signature.startsWith(before)) running.signature = before;
    return running;
  }

  #events(): ConnectionEvents {
    return {
      onDeclined: (method) =>
        this.#tell("error", { method }, `declined a request of Codex that is not allowed (${method})`),
      onBroken: (error) => {
        if (error instanceof PipeClosed) return;
        this.#tell("error", { why: error.message }, "cannot read the messages of Codex; stopping the process");
      },
    };
  }

  #hasStarted(running: Running): Running {
    this.#starting = undefined;
    const old = this.#running;
    this.#running = running;
    this.#abilities = running.abilities;
    this.#trouble = undefined;
    void running.process.exited.then(() => this.#hasEnded(running));
    const { abilities, notes, trouble, process: started } = running;
    this.#tell("info", { version: abilities.version ?? "unknown", pid: started.pid ?? 0 }, "Codex started");
    for (const note of notes) this.#tell("warn", {}, note);
    if (trouble) this.#tell("warn", {}, trouble.sentence);
    if (old) this.#retire(old);
    return running;
  }

  #hasFailed(error: unknown): never {
    this.#starting = undefined;
    if (this.#closing.reason) throw this.#closing.reason;
    this.#pause();
    const trouble = error instanceof FailedStart ? error.trouble : { sentence: String(error), again: true };
    this.#trouble = trouble;
    this.#tell("error", {}, trouble.sentence);
    // A problem that the operator must fix is retried only on the next request.
    if (trouble.again && !this.#running) this.#startLater();
    throw errorOf(trouble);
  }

  #hasEnded(running: Running): void {
    const { name, redact } = this.#options;
    const { process: ended, connection, workplace, startedAt } = running;
    connection.end(processEnded(name));
    this.#replaced.delete(running);
    void workplace.remove().catch(() => {});
    if (this.#running !== running) return;
    this.#running = undefined;
    if (this.#closing.reason) return;
    if (performance.now() - startedAt > healthyUptime) this.#failures = 0;
    this.#pause();
    const words = redact(ended.lastWords).slice(0, 500);
    this.#trouble = endedByItself(name, words);
    this.#tell("error", { said: words }, "Codex exited unexpectedly; restarting it");
    this.#startLater();
  }

  /** The old process ends after its last turn. */
  #retire(old: Running): void {
    this.#replaced.add(old);
    if (old.leases === 0) void this.#end(old);
    const [oldest] = this.#replaced;
    if (oldest && this.#replaced.size > maxReplaced) void this.#end(oldest);
  }

  #lease(running: Running): () => void {
    running.leases++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      running.leases--;
      if (running.leases === 0 && this.#replaced.has(running)) void this.#end(running);
    };
  }

  /** Ends a process that neither lists its threads nor sends anything else. */
  async #suspect(running: Running): Promise<void> {
    if (running.isSuspected) return;
    running.isSuspected = true;
    const { connection } = running;
    const since = performance.now();
    await inTime(connection.request("thread/loaded/list", {}), lastAnswerTimeout, () => new Error("no answer")).catch(
      () => {},
    );
    running.isSuspected = false;
    // A busy process answers late, but it still sends something.
    if (connection.heardAt > since) return;
    this.#tell("error", {}, "Codex does not answer; stopping the process");
    await this.#end(running);
  }

  async #end({ process: running, connection, workplace }: Running): Promise<void> {
    connection.end(this.#closing.reason ?? processEnded(this.#options.name));
    await running.end();
    await workplace.remove().catch(() => {});
  }

  /** The next attempt waits, longer each time and with jitter. */
  #pause(): void {
    const pause = Math.min(longestPause, shortestPause * 2 ** this.#failures++);
    this.#notBefore = performance.now() + pause * (0.75 + Math.random() / 2);
  }

  #startLater(): void {
    clearTimeout(this.#restart);
    this.#restart = setTimeout(() => this.warm(), Math.max(0, this.#notBefore - performance.now()));
    this.#restart.unref();
  }

  #tell(level: "info" | "warn" | "error", fields: Parameters<Notice>[1], message: string): void {
    this.#options.notice(level, { backend: this.#options.name, ...fields }, message);
  }
}

/** The supervisor has its own pauses, so the exit of a process must not count against the service. */
function processEnded(name: string): TurnError {
  return new TurnError("upstream_unavailable", `The program of the backend "${name}" has ended.`, {
    status: 502,
    failure: { by: "backend", phase: "connection", remedy: "retry" },
  });
}

/** Waits for the promise, but no longer than until cancellation. */
function orCancelled<T>(cancellation: Cancellation, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(cancellation.reason ?? new Error("stopped"));
    if (cancellation.reason) leave();
    cancellation.onCancel(leave);
    promise.then(resolve, reject).finally(() => cancellation.offCancel(leave));
  });
}
