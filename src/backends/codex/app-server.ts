import { Cancellation, TurnError } from "../../turn/index.ts";
import type { Abilities } from "./abilities.ts";
import { type Connection, type ConnectionEvents, PipeClosed } from "./connection.ts";
import { signatureOf, signatures } from "./home-signature.ts";
import { inTime } from "./in-time.ts";
import { FailedStart, type Launched, type LaunchOptions, launch } from "./launch.ts";
import type { Notice } from "./notice.ts";
import { endedByItself, errorOf, noteOnInstructions, noteOnModels, noteOnTools, type Trouble } from "./trouble.ts";

export interface AppServerOptions extends LaunchOptions {
  notice: Notice;
  /** Starts one after the other what would disturb one another. */
  inTurn: <T>(start: () => Promise<T>) => Promise<T>;
}

/** A process that runs and can be asked. */
export interface Session {
  connection: Connection;
  abilities: Abilities;
  /** A folder with nothing in it. */
  cwd: string;
  /** What a person should know of it. */
  notes: string[];
  /** Keeps the process for one turn, until what this returns is called. */
  lease(): () => void;
  /** It did not answer when it should have. */
  suspect(): void;
}

interface Running extends Session, Launched {
  startedAt: number;
  /** Of the home and the files that it was started with. */
  signature: string;
  leases: number;
  isSuspected: boolean;
}

/** Between two attempts to start it. */
const [shortestPause, longestPause] = [250, 30_000];
/** A process that lived so long was well. */
const lifeOfAHealthyOne = 10_000;
/** A request waits for a process that is about to start again, but not for long. */
const longestWait = 5_000;
/** How long a process that did not answer may take for the easiest of questions. */
const lastPatience = 5_000;
/** Codex keeps about 33 KB of records of every turn in its databases, whatever it is told. */
const turnsOfOneLife = 5_000;
/** Processes that were relieved and still have turns to finish. */
const mostLeaving = 3;

/**
 * One long-lived `codex app-server` for a home: started before it is needed, started again when it has ended, with growing pauses
 * where that keeps happening, and relieved by a fresh one when it has served long or its home has changed.
 */
export class AppServer {
  readonly #options: AppServerOptions;
  readonly #closing = new Cancellation();
  #running: Running | undefined;
  #starting: Promise<Running> | undefined;
  readonly #leaving = new Set<Running>();
  #restart: NodeJS.Timeout | undefined;
  #abilities: Abilities | undefined;
  #trouble: Trouble | undefined;
  #failures = 0;
  /** Before that it is not started again. */
  #notBefore = 0;

  constructor(options: AppServerOptions) {
    this.#options = options;
  }

  warm(): void {
    if (!this.#running) this.#start().catch(() => {});
  }

  /** The process, when it runs as its home says, and a model can be asked. */
  async session(cancellation: Cancellation): Promise<Session> {
    const running = await unless(cancellation, this.#current(cancellation));
    if (running.trouble) throw errorOf(running.trouble);
    return running;
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
    this.#closing.cancel(new TurnError("shutting_down", "The gateway is shutting down."));
    clearTimeout(this.#restart);
    await this.#starting?.catch(() => {});
    const all = [...this.#leaving, ...(this.#running ? [this.#running] : [])];
    this.#running = undefined;
    await Promise.all(all.map((running) => this.#end(running)));
  }

  /** Codex reads its home for every thread, so that what somebody has changed there must not meet an old process. */
  async #current(cancellation: Cancellation): Promise<Running> {
    const running = this.#running ?? (await this.#soon(cancellation));
    if ((await this.#signatureNow(running)) === running.signature) return running;
    if (this.#running !== running) return this.#running ?? this.#soon(cancellation);
    if (!this.#starting) this.#tell("info", {}, "the home of Codex has changed, and a fresh process takes over");
    return this.#soon(cancellation);
  }

  async #signatureNow({ workplace, hasBareModels }: Running): Promise<string> {
    const [home, models] = await Promise.all([signatureOf(this.#options.home), signatures([workplace.models])]);
    return hasBareModels ? `${home} ${models}` : home;
  }

  async #soon(cancellation: Cancellation): Promise<Running> {
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
        if (++turns % turnsOfOneLife === 0 && this.#running === running) this.#start().catch(() => {});
        return this.#lease(running);
      },
      suspect: () => void this.#suspect(running),
    };
    running.signature = await this.#signatureNow(running);
    // Codex itself may write there when it starts; but what somebody has mended meanwhile, the process has not seen.
    if (running.trouble && !running.signature.startsWith(before)) running.signature = before;
    return running;
  }

  #events(): ConnectionEvents {
    return {
      onDeclined: (method) =>
        this.#tell("error", { method }, "Codex asked for what it must not have, and was declined"),
      onBroken: (error) => {
        if (error instanceof PipeClosed) return;
        this.#tell("error", { why: error.message }, "Codex cannot be understood and is ended");
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
    this.#tell("info", { version: abilities.version ?? "unknown", pid: started.pid ?? 0 }, "Codex has started");
    for (const note of notes) this.#tell("warn", {}, note);
    if (trouble) this.#tell("warn", {}, trouble.sentence);
    if (old) this.#letGo(old);
    return running;
  }

  #hasFailed(error: unknown): never {
    this.#starting = undefined;
    if (this.#closing.reason) throw this.#closing.reason;
    this.#pause();
    const trouble = error instanceof FailedStart ? error.trouble : { sentence: String(error), again: true };
    this.#trouble = trouble;
    this.#tell("error", {}, trouble.sentence);
    // What a person has to mend is tried again when somebody asks.
    if (trouble.again && !this.#running) this.#startLater();
    throw errorOf(trouble);
  }

  #hasEnded(running: Running): void {
    const { name, redact } = this.#options;
    const { process: ended, connection, workplace, startedAt } = running;
    connection.end(gone(name));
    this.#leaving.delete(running);
    void workplace.remove().catch(() => {});
    if (this.#running !== running) return;
    this.#running = undefined;
    if (this.#closing.reason) return;
    if (performance.now() - startedAt > lifeOfAHealthyOne) this.#failures = 0;
    this.#pause();
    const words = redact(ended.lastWords).slice(0, 500);
    this.#trouble = endedByItself(name, words);
    this.#tell("error", { said: words }, "Codex has ended and is started again");
    this.#startLater();
  }

  /** The old one ends when its last turn has. */
  #letGo(old: Running): void {
    this.#leaving.add(old);
    if (old.leases === 0) void this.#end(old);
    const [oldest] = this.#leaving;
    if (oldest && this.#leaving.size > mostLeaving) void this.#end(oldest);
  }

  #lease(running: Running): () => void {
    running.leases++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      running.leases--;
      if (running.leases === 0 && this.#leaving.has(running)) void this.#end(running);
    };
  }

  /** A process that cannot even say which threads it has, and says nothing else either, is of no use to anybody. */
  async #suspect(running: Running): Promise<void> {
    if (running.isSuspected) return;
    running.isSuspected = true;
    const { connection } = running;
    const since = performance.now();
    await inTime(connection.request("thread/loaded/list", {}), lastPatience, () => new Error("no answer")).catch(
      () => {},
    );
    running.isSuspected = false;
    // One that has much to do answers late, but it is heard.
    if (connection.heardAt > since) return;
    this.#tell("error", {}, "Codex does not answer and is ended");
    await this.#end(running);
  }

  async #end({ process: running, connection, workplace }: Running): Promise<void> {
    connection.end(this.#closing.reason ?? gone(this.#options.name));
    await running.end();
    await workplace.remove().catch(() => {});
  }

  /** The next attempt waits, longer each time, and not always the same. */
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

/** The supervisor has pauses of its own: an end of the process speaks against no service. */
function gone(name: string): TurnError {
  return new TurnError("upstream_unavailable", `The program of the backend "${name}" has ended.`, {
    status: 502,
    failure: { by: "backend", phase: "connection", remedy: "retry" },
  });
}

/** Waits, but not longer than until the stop. */
function unless<T>(cancellation: Cancellation, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(cancellation.reason ?? new Error("stopped"));
    if (cancellation.reason) leave();
    cancellation.onCancel(leave);
    promise.then(resolve, reject).finally(() => cancellation.offCancel(leave));
  });
}
