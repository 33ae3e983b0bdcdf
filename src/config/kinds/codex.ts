import type { Environment } from "../environment.ts";
import { isProgramInPath } from "../program-path.ts";
import { flag, text, value } from "../values.ts";
import { defineKind, type FoundBackend } from "./kind.ts";

export interface CodexSettings {
  kind: "codex";
  command: string[];
  home: string;
  /** Whether the gateway fetches images that a request refers to by URL. */
  fetch_images: boolean;
}

const keys = {
  command: value("a list of a program and its arguments", readCommand).optional(),
  home: text("a folder").optional(),
  fetch_images: flag().optional(),
};

const usualCommand = ["codex", "app-server"];
const usualHome = "~/.codex";

/** Codex's app-server, which runs on this machine. */
export const codex = defineKind({
  name: "codex",
  keys,
  overrides: keys,
  resolve: ({ command = usualCommand, home = usualHome, fetch_images = false }, toAbsolute): CodexSettings => ({
    kind: "codex",
    command,
    home: toAbsolute(home),
    fetch_images,
  }),
  override: (own: CodexSettings, { command, home, fetch_images }, toAbsolute) => ({
    kind: "codex",
    command: command ?? own.command,
    home: home === undefined ? own.home : toAbsolute(home),
    fetch_images: fetch_images ?? own.fetch_images,
  }),
  secretKeys: [],
  secrets: () => [],
  service: ({ command, home }) => [command, home],
  describe: ({ command, home }) => [command.join(" "), `home ${home}`],
  ownName: { model: (backend) => backend, describe: () => "the model that its home is set to" },
  runsProgram: true,
  find: findCodex,
});

/** Codex, if it is installed. */
function findCodex(environment: Environment): FoundBackend | undefined {
  if (!isProgramInPath("codex", environment)) return undefined;
  const home = environment.CODEX_HOME?.trim();
  return { name: "codex", settings: home ? { home } : {} };
}

function readCommand(input: unknown): string[] | undefined {
  return Array.isArray(input) && input.length > 0 && input.every((word): word is string => typeof word === "string")
    ? input
    : undefined;
}
