import { stripVTControlCharacters } from "node:util";
import { type ArgsDef, type CommandDef, defineCommand, renderUsage, runCommand } from "citty";
import { didYouMean } from "../config/index.ts";
import { version } from "../gateway/version.ts";
import { check, checkFlags } from "./check.ts";
import { type Flags, findFlagMistake } from "./flags.ts";
import { replay, replayFlags } from "./replay.ts";
import { serve, serveFlags } from "./serve.ts";

const meta = {
  name: "toolwire",
  version,
  description: "A gateway that makes OpenAI-style tool calling work between any client and any backend",
};

const commands: Record<string, Command> = {
  serve: command(serve, serveFlags),
  check: command(check, checkFlags),
  replay: command(replay, replayFlags),
};

// It has the flags of the default command `serve`, whose name may be omitted.
const toolwire = defineCommand({ meta, args: serveFlags, subCommands: { serve, check, replay } });

interface Command {
  flags: Flags;
  usage(): Promise<string>;
  run(rawArgs: string[]): Promise<{ result: unknown }>;
}

function command<T extends ArgsDef>(definition: CommandDef<T>, flags: Flags): Command {
  return {
    flags,
    usage: () => renderUsage(definition, { meta }),
    run: (rawArgs) => runCommand(definition, { rawArgs }),
  };
}

/** Runs a command line and returns the exit code. */
export async function runCommandLine(written: readonly string[]): Promise<number> {
  const [first = "serve"] = written;
  const named = !first.startsWith("-");
  const rest = named ? written.slice(1) : written;
  const name = named ? first : "serve";
  const chosen = Object.hasOwn(commands, name) ? commands[name] : undefined;

  if (chosen === undefined) {
    const names = Object.keys(commands);
    return refuse(`there is no command ${first}${didYouMean(first, names) || `; there are ${listed(names)}`}`);
  }
  if (rest.some((word) => word === "--help" || word === "-h")) {
    print(await (named ? chosen.usage() : renderUsage(toolwire)));
    return 0;
  }
  if (!named && (first === "--version" || first === "-v")) {
    print(version);
    return 0;
  }
  const mistake = findFlagMistake(rest, chosen.flags);
  if (mistake !== null) return refuse(mistake);
  const { result } = await chosen.run([...rest]);
  return typeof result === "number" ? result : 0;
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
