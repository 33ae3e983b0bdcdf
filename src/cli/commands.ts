import { stripVTControlCharacters } from "node:util";
import { type ArgsDef, type CommandDef, defineCommand, renderUsage, runCommand } from "citty";
import { didYouMean } from "../config/index.ts";
import { version } from "../gateway/version.ts";
import { check, checkFlags } from "./check.ts";
import { type Flags, findFlagMistake } from "./flags.ts";
import { createFlags, keyCommands, keys, listFlags, revokeFlags } from "./keys.ts";
import { Refusal } from "./refusal.ts";
import { replay, replayFlags } from "./replay.ts";
import { serve, serveFlags } from "./serve.ts";
import { exportFlags, importFlags, statsFlags, store, storeCommands, vacuumFlags } from "./store.ts";

const meta = {
  name: "toolwire",
  version,
  description: "A gateway that makes OpenAI-style tool calling work between any client and any backend",
};

const commands: Record<string, Command | Group> = {
  serve: command(serve, serveFlags),
  check: command(check, checkFlags),
  keys: {
    usage: () => renderUsage(keys, { meta }),
    commands: {
      create: command(keyCommands.create, createFlags, "keys"),
      list: command(keyCommands.list, listFlags, "keys"),
      revoke: command(keyCommands.revoke, revokeFlags, "keys"),
    },
  },
  store: {
    usage: () => renderUsage(store, { meta }),
    commands: {
      stats: command(storeCommands.stats, statsFlags, "store"),
      export: command(storeCommands.export, exportFlags, "store"),
      import: command(storeCommands.import, importFlags, "store"),
      vacuum: command(storeCommands.vacuum, vacuumFlags, "store"),
    },
  },
  replay: command(replay, replayFlags),
};

// It has the flags of the default command `serve`, whose name may be omitted.
const toolwire = defineCommand({ meta, args: serveFlags, subCommands: { serve, check, keys, store, replay } });

interface Command {
  flags: Flags;
  usage(): Promise<string>;
  run(rawArgs: string[]): Promise<{ result: unknown }>;
}

/** Commands that share their first word. */
interface Group {
  usage(): Promise<string>;
  commands: Record<string, Command>;
}

function command<T extends ArgsDef>(definition: CommandDef<T>, flags: Flags, group?: string): Command {
  const name = group === undefined ? meta.name : `${meta.name} ${group}`;
  return {
    flags,
    usage: () => renderUsage(definition, { meta: { ...meta, name } }),
    run: (rawArgs) => runCommand(definition, { rawArgs }),
  };
}

/** Runs a command line and returns the exit code. */
export async function runCommandLine(written: readonly string[]): Promise<number> {
  const [first = "serve"] = written;
  const named = !first.startsWith("-");
  const rest = named ? written.slice(1) : written;
  const name = named ? first : "serve";
  const chosen = find(commands, name);

  if (chosen === undefined) return refuse(`there is no command ${first}${hint(first, commands)}`);
  if ("commands" in chosen) return runGroup(name, chosen, rest);
  if (!named && isHelp(rest)) {
    print(await renderUsage(toolwire));
    return 0;
  }
  if (!named && (first === "--version" || first === "-v")) {
    print(version);
    return 0;
  }
  return runOne(chosen, rest);
}

async function runGroup(name: string, group: Group, [first, ...rest]: readonly string[]): Promise<number> {
  if (first === "--help" || first === "-h") {
    print(await group.usage());
    return 0;
  }
  if (first === undefined || first.startsWith("-"))
    return refuse(`${name} needs a command; there are ${listed(Object.keys(group.commands))}`);
  const chosen = find(group.commands, first);
  if (chosen === undefined) return refuse(`there is no command ${name} ${first}${hint(first, group.commands)}`);
  return runOne(chosen, rest);
}

async function runOne(chosen: Command, written: readonly string[]): Promise<number> {
  if (isHelp(written)) {
    print(await chosen.usage());
    return 0;
  }
  const mistake = findFlagMistake(written, chosen.flags);
  if (mistake !== null) return refuse(mistake);
  try {
    const { result } = await chosen.run([...written]);
    return typeof result === "number" ? result : 0;
  } catch (error) {
    if (error instanceof Refusal) return refuse(error.message);
    throw error;
  }
}

function find<Found>(named: Readonly<Record<string, Found>>, name: string): Found | undefined {
  return Object.hasOwn(named, name) ? named[name] : undefined;
}

function isHelp(written: readonly string[]): boolean {
  return written.some((word) => word === "--help" || word === "-h");
}

function hint(written: string, known: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(known);
  return didYouMean(written, names) || `; there are ${listed(names)}`;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function refuse(sentence: string): number {
  process.stderr.write(`toolwire: ${sentence}\n`);
  return 1;
}

/** citty colours the usage even if the output is no terminal. */
function print(text: string): void {
  process.stdout.write(`${process.stdout.isTTY ? text : stripVTControlCharacters(text)}\n`);
}
