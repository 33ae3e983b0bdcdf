import { homedir } from "node:os";
import { join } from "node:path";
import { TurnError } from "../../turn/index.ts";
import { oldestNative } from "./abilities.ts";
import type { ExitReason } from "./app-process.ts";

/** Why an app-server cannot be used, and what to do about it. */
export interface Trouble {
  sentence: string;
  /** Whether a retry may help. */
  again: boolean;
}

export function notLoggedIn(name: string, command: readonly string[], home: string): Trouble {
  const sentence = `The backend "${name}" is not logged in to Codex. Log in with this command: ${loginCommand(command, home)}`;
  return { sentence, again: false };
}

export function missingProgram(name: string, [program = ""]: readonly string[], error: NodeJS.ErrnoException): Trouble {
  const isAbsent = error.code === "ENOENT";
  const why = isAbsent ? "is not there" : `cannot be started (${error.code ?? error.message})`;
  const install = "Install it with this command: npm install -g @openai/codex";
  return {
    sentence: `The backend "${name}" needs the program ${JSON.stringify(program)}, which ${why}. ${install}`,
    again: !isAbsent,
  };
}

export function endedAtStart(name: string, reason: ExitReason, lastWords: string): Trouble {
  const how = "code" in reason ? (reason.signal ?? `code ${reason.code}`) : reason.error.message;
  const said = lastWords === "" ? "" : `: ${lastWords.slice(0, 500)}`;
  return {
    sentence: `Codex, the program of the backend "${name}", ended while it started (${how})${said}`,
    again: true,
  };
}

export function noVariable(name: string, variable: string): Trouble {
  const sentence = `Codex, behind the backend "${name}", needs the environment variable ${variable}, which is not set. Set it for Toolwire, and start Toolwire again.`;
  return { sentence, again: false };
}

export function noFolder({ name, home }: { name: string; home: string }, error: unknown): Trouble {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  const sentence = `The home of the backend "${name}", ${JSON.stringify(home)}, cannot be used as a folder (${code}). Name another with home.`;
  return { sentence, again: false };
}

export function wrongSettings({ name, home }: { name: string; home: string }, said: string): Trouble {
  const where = JSON.stringify(join(home, "config.toml"));
  return {
    sentence: `Codex cannot use the configuration of the backend "${name}", ${where}: ${said.slice(0, 500)}`,
    again: false,
  };
}

export function endedByItself(name: string, lastWords: string): Trouble {
  const said = lastWords === "" ? "" : `: ${lastWords}`;
  return { sentence: `Codex, the program of the backend "${name}", keeps ending${said}`, again: true };
}

export function tooSlow(name: string, milliseconds: number): Trouble {
  return {
    sentence: `Codex, the program of the backend "${name}", had not answered ${milliseconds / 1000} seconds after its start.`,
    again: true,
  };
}

export function errorOf({ sentence, again }: Trouble): TurnError {
  return new TurnError("upstream_unavailable", sentence, {
    failure: { by: "backend", phase: "connection", remedy: again ? "retry" : "none" },
  });
}

/** As typed in a shell. */
export function loginCommand(command: readonly string[], home: string): string {
  const at = command.lastIndexOf("app-server");
  const program = at > 0 ? command.slice(0, at) : ["codex"];
  const where = home === join(homedir(), ".codex") ? [] : [`CODEX_HOME=${quoted(home)}`];
  return [...where, ...program.map(quoted), "login"].join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export function noteOnTools(version = "of an unknown version"): string {
  return `Codex ${version} does not accept tools from clients, so they are written into the prompt, and its models also see some tools of Codex; update Codex to ${oldestNative} or newer`;
}

export const noteOnInstructions =
  "AGENTS.md of the Codex home is read by every model, because the Codex login is in the system's keyring; move the file away, or keep the login in a file";

export const noteOnModels =
  "Codex did not list its models, so they may get tools and instructions of Codex; the backend's command should end in app-server";
