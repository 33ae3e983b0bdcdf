import type { Cancellation, JsonObject } from "../../turn/index.ts";
import type { Abilities } from "./abilities.ts";
import { AppProcess, type ExitReason } from "./app-process.ts";
import { Connection, type ConnectionEvents } from "./connection.ts";
import { confirm, initialize, readHomeSettings, readNeedsLogin } from "./handshake.ts";
import { readMistake } from "./home-mistake.ts";
import { missingVariable, readSecrets } from "./home-secrets.ts";
import { homeSettings } from "./home-settings.ts";
import { readBundledModels, writeBareModels } from "./model-catalog.ts";
import { RpcError } from "./protocol.ts";
import { textOnly } from "./text-only.ts";
import {
  endedAtStart,
  missingProgram,
  noFolder,
  notLoggedIn,
  noVariable,
  type Trouble,
  tooSlow,
  wrongSettings,
} from "./trouble.ts";
import { createWorkplace, type Workplace } from "./workplace.ts";

export interface LaunchOptions {
  /** The backend's name, for messages. */
  name: string;
  command: readonly string[];
  home: string;
  /** Toolwire's version. */
  version: string;
  /** Milliseconds within which the process must finish the handshake. */
  patience: number;
  redact: (text: string) => string;
  /** Registers secrets for redaction. */
  learn: (secrets: readonly string[]) => void;
}

/** A process that has finished the handshake. */
export interface Launched {
  process: AppProcess;
  connection: Connection;
  workplace: Workplace;
  abilities: Abilities;
  /** What the operator must fix before a model can be used. */
  trouble: Trouble | undefined;
  /** Whether the tools and instructions that Codex gives to known models were removed. */
  hasBareModels: boolean;
}

/** Why a start failed, and what to do about it. */
export class FailedStart extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.sentence);
    this.trouble = trouble;
  }
}

/**
 * Starts an app-server for a home. It is started twice, because its command line depends on the home's configuration, which only
 * Codex can read. Cancellation ends every process that was started.
 */
export async function launch(
  options: LaunchOptions,
  events: ConnectionEvents,
  cancellation: Cancellation,
): Promise<Launched> {
  const workplace = await createWorkplace(options.home).catch((error: unknown) => {
    throw new FailedStart(noFolder(options, error));
  });
  const leaving = new AbortController();
  const started: AppProcess[] = [];
  const end = async () => {
    leaving.abort();
    await Promise.all(started.map((one) => one.end()));
  };
  const onCancel = () => void end();
  cancellation.onCancel(onCancel);
  const env = environmentFor(workplace);
  const start = (settings: readonly string[]): AppProcess => {
    if (cancellation.reason) throw cancellation.reason;
    const args = settings.flatMap((setting) => ["-c", setting]);
    const one = new AppProcess(options.command, args, workplace.empty, env);
    started.push(one);
    return one;
  };
  try {
    const own = [...textOnly(), `sqlite_home=${JSON.stringify(workplace.databases)}`];
    const patience = AbortSignal.any([leaving.signal, AbortSignal.timeout(Math.max(options.patience, 5_000))]);
    // With a configuration that it cannot read, an app-server falls back to Codex's defaults and sends requests to Codex's service.
    const [mistake, bundled] = await Promise.all([
      readMistake(options.command, own, env, patience),
      readBundledModels(options.command, env, patience),
    ]);
    if (mistake !== "") throw new FailedStart(wrongSettings(options, options.redact(mistake)));
    const first = start(own);
    const home = await runHandshake(options, first, noEvents, readHomeSettings);
    await first.end();
    options.learn(await readSecrets(options.home, home.config, env));
    const hasBareModels = await writeBareModels(home.config, bundled, workplace.models);
    const catalog = hasBareModels ? [`model_catalog_json=${JSON.stringify(workplace.models)}`] : [];
    const second = start([...own, ...homeSettings(home), ...catalog]);
    return await runHandshake(options, second, events, async (connection, abilities) => ({
      process: second,
      connection,
      workplace,
      abilities: await confirm(connection, abilities, workplace.empty),
      trouble: await troubleOf(options, connection, home.config, env),
      hasBareModels,
    }));
  } catch (error) {
    await end();
    await workplace.remove().catch(() => {});
    // A misspelled provider must fail, not be replaced by another.
    if (error instanceof RpcError) throw new FailedStart(wrongSettings(options, options.redact(error.message)));
    throw error;
  } finally {
    cancellation.offCancel(onCancel);
  }
}

function environmentFor({ home }: Workplace): NodeJS.ProcessEnv {
  // This also keeps older versions away from the files of this machine, whatever tools they have.
  const own = { CODEX_HOME: home, CODEX_EXEC_SERVER_URL: "none" };
  // stderr is read only after an exit and should then give the reason, so logging is off.
  return { RUST_LOG: "off", ...process.env, ...own };
}

async function troubleOf(
  { name, command, home }: LaunchOptions,
  connection: Connection,
  config: JsonObject,
  env: NodeJS.ProcessEnv,
): Promise<Trouble | undefined> {
  if (await readNeedsLogin(connection)) return notLoggedIn(name, command, home);
  const variable = await missingVariable(home, config, env);
  return variable === undefined ? undefined : noVariable(name, variable);
}

const noEvents: ConnectionEvents = { onDeclined: () => {}, onBroken: () => {} };

/** Runs the handshake with a process, within a time limit. */
async function runHandshake<T>(
  { name, command, version, patience, redact }: LaunchOptions,
  started: AppProcess,
  events: ConnectionEvents,
  afterInitialize: (connection: Connection, abilities: Abilities) => Promise<T>,
): Promise<T> {
  const explain = (reason: ExitReason) =>
    new FailedStart(
      "error" in reason
        ? missingProgram(name, command, reason.error)
        : endedAtStart(name, reason, redact(started.lastWords)),
    );
  const { pipes } = started;
  if (!pipes) throw explain(await started.exited);
  const connection = new Connection(pipes.input, pipes.output, {
    ...events,
    onBroken: (error) => {
      events.onBroken(error);
      void started.end();
    },
  });
  const ended = started.exited.then((reason): never => {
    throw explain(reason);
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new FailedStart(tooSlow(name, patience))), patience);
  });
  const completed = initialize(connection, version).then((abilities) => afterInitialize(connection, abilities));
  try {
    return await Promise.race([completed, ended, late]);
  } finally {
    clearTimeout(timer);
    for (const promise of [completed, ended, late]) promise.catch(() => {});
  }
}
