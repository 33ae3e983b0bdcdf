import type { Abilities } from "./abilities.ts";
import { AppProcess, type ExitReason } from "./app-process.ts";
import { Connection, type ConnectionEvents } from "./connection.ts";
import { confirm, initialize, readHomeSettings, readNeedsLogin } from "./handshake.ts";
import { homeSettings } from "./home-settings.ts";
import { writeModelCatalog } from "./model-catalog.ts";
import { textOnly } from "./text-only.ts";
import { endedAtStart, missingProgram, type Trouble, tooSlow } from "./trouble.ts";
import { createWorkplace, type Workplace } from "./workplace.ts";

export interface LaunchOptions {
  /** The name of the backend, for sentences. */
  name: string;
  command: readonly string[];
  home: string;
  /** Toolwire's own. */
  version: string;
  /** Milliseconds within which it must have said who it is. */
  patience: number;
  redact: (text: string) => string;
}

/** A process that has started and said who it is. */
export interface Launched {
  process: AppProcess;
  connection: Connection;
  workplace: Workplace;
  abilities: Abilities;
  /** Somebody has to log in before a model can be asked. */
  needsLogin: boolean;
  /** Whether what Codex knows of models by name was taken out of them. */
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
 * Starts an app-server for a home. It is started twice: what has to stand on its command line depends on what the home says, which
 * only Codex itself can read.
 */
export async function launch(
  options: LaunchOptions,
  events: (launched: AppProcess) => ConnectionEvents,
): Promise<Launched> {
  const workplace = await createWorkplace(options.home);
  // Also older versions leave the files of this machine alone then, whatever tools they have.
  const env = { ...process.env, CODEX_HOME: workplace.home, CODEX_EXEC_SERVER_URL: "none" };
  const own = [...textOnly(), `sqlite_home=${JSON.stringify(workplace.databases)}`];
  const start = (settings: readonly string[]) => {
    const args = settings.flatMap((setting) => ["-c", setting]);
    return new AppProcess(options.command, args, workplace.empty, env);
  };
  let started = start(own);
  try {
    const [home, hasCatalog] = await Promise.all([
      meet(options, started, silent, readHomeSettings),
      writeModelCatalog(options.command, env, workplace.models),
    ]);
    await started.end();
    const catalog = hasCatalog ? [`model_catalog_json=${JSON.stringify(workplace.models)}`] : [];
    started = start([...own, ...homeSettings(home), ...catalog]);
    return await meet(options, started, events(started), async (connection, abilities) => ({
      process: started,
      connection,
      workplace,
      abilities: await confirm(connection, abilities, workplace.empty),
      needsLogin: await readNeedsLogin(connection),
      hasBareModels: hasCatalog,
    }));
  } catch (error) {
    await started.end();
    await workplace.remove().catch(() => {});
    throw error;
  }
}

const silent: ConnectionEvents = { onDeclined: () => {}, onNotice: () => {}, onBroken: () => {} };

/** The first words with a process; they must be over soon. */
async function meet<T>(
  { name, command, version, patience, redact }: LaunchOptions,
  started: AppProcess,
  events: ConnectionEvents,
  talk: (connection: Connection, abilities: Abilities) => Promise<T>,
): Promise<T> {
  const explain = (reason: ExitReason) =>
    new FailedStart(
      "error" in reason
        ? missingProgram(name, command, reason.error)
        : endedAtStart(name, reason, redact(started.lastWords)),
    );
  const { pipes } = started;
  if (!pipes) throw explain(await started.exited);
  const connection = new Connection(pipes.input, pipes.output, events);
  const ended = started.exited.then((reason): never => {
    throw explain(reason);
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new FailedStart(tooSlow(name, patience))), patience);
  });
  const talked = initialize(connection, version).then((abilities) => talk(connection, abilities));
  try {
    return await Promise.race([talked, ended, late]);
  } finally {
    clearTimeout(timer);
    for (const promise of [talked, ended, late]) promise.catch(() => {});
  }
}
