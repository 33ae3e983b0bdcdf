import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { JsonObject, JsonValue } from "../../../src/turn/index.ts";
import type { SceneOptions, TurnScript } from "./scene.ts";

export * from "./scene.ts";

/** What the stand-in wrote down, each with the time and the process. */
export type Entry = { at: number; pid: number } & (
  | { kind: "start"; argv: string[]; env: Record<string, string | null>; envNames: string[]; cwd: string }
  | { kind: "request"; id: number | string; method: string; params?: JsonObject }
  | { kind: "notification"; method: string; params?: JsonObject }
  /** What the client replied to a request of the program. */
  | { kind: "reply"; id: number; method: string | null; result?: JsonValue; error?: JsonValue }
  | { kind: "command"; argv: string[] }
  | { kind: "garbage"; line: string }
  | { kind: "signal"; signal: string }
  | { kind: "stdin closed" }
  | { kind: "exit"; code: number; reason: string }
);

export type EntryOf<Kind extends Entry["kind"]> = Extract<Entry, { kind: Kind }>;

export interface Scene {
  /** What a configuration has as `command` and `home`. */
  command: string[];
  home: string;
  /** A whole configuration with the one backend `codex`, whose failures are final and have no consequences. */
  config(more?: JsonObject): JsonObject;
  log(): Promise<Entry[]>;
  entries<Kind extends Entry["kind"]>(kind: Kind): Promise<EntryOf<Kind>[]>;
  requests(method?: string): Promise<EntryOf<"request">[]>;
  /** The latest of these requests. */
  last(method: string): Promise<EntryOf<"request">>;
  /** The requests as soon as there are so many of them. */
  until(method: string, count?: number): Promise<EntryOf<"request">[]>;
  /** The entries of a kind as soon as there are so many of them. */
  untilEntries<Kind extends Entry["kind"]>(kind: Kind, count?: number): Promise<EntryOf<Kind>[]>;
  dispose(): Promise<void>;
}

const program = fileURLToPath(new URL("app-server.mjs", import.meta.url));

const defaults = {
  version: "0.166.0",
  account: { account: null, requiresOpenaiAuth: false },
  config: { model: "fake-model", model_provider: "fake" },
  startDelay: 0,
  failStarts: 0,
  replies: {},
  opening: "notified",
  env: ["CODEX_HOME", "HOME"],
  lifetime: 60_000,
};

/** A stand-in for the Codex app-server that does what the scene says, in a folder of its own. */
export async function createScene({ turns, ...options }: SceneOptions): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), "toolwire-scene-"));
  const home = join(folder, "home");
  const file = join(folder, "scene.json");
  const journal = join(folder, "log.jsonl");
  await mkdir(home);
  await writeFile(journal, "");
  await writeFile(file, JSON.stringify({ ...defaults, ...options, turns: toScripts(turns), log: journal }));
  const command = [process.execPath, program, file];

  const log = async (): Promise<Entry[]> => {
    const lines = (await readFile(journal, "utf8")).split("\n");
    // The last one may still be in the middle of being written.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Entry);
  };
  const entries = async <Kind extends Entry["kind"]>(kind: Kind) =>
    (await log()).filter((entry): entry is EntryOf<Kind> => entry.kind === kind);
  const requests = async (method?: string) =>
    (await entries("request")).filter((entry) => method === undefined || entry.method === method);

  return {
    command,
    home,
    config: (more = {}) => ({
      backends: {
        codex: { kind: "codex", command, home, retries: 0, breaker: { failures: 1_000_000 }, ...more },
      },
    }),
    log,
    entries,
    requests,
    async last(method) {
      const latest = (await requests(method)).at(-1);
      if (!latest) throw new Error(`no request ${method}`);
      return latest;
    },
    until: (method, count = 1) => atLeast(count, () => requests(method), `requests ${method}`),
    untilEntries: (kind, count = 1) => atLeast(count, () => entries(kind), `entries of ${kind}`),
    async dispose() {
      const ended = new Set((await entries("exit")).map(({ pid }) => pid));
      for (const { pid } of await entries("start")) if (!ended.has(pid)) await kill(pid, file);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Longer than anything takes that comes at all. */
const patience = 5_000;

async function atLeast<T>(count: number, look: () => Promise<T[]>, what: string): Promise<T[]> {
  for (const end = Date.now() + patience; ; await sleep(10)) {
    const found = await look();
    if (found.length >= count) return found;
    if (Date.now() > end) throw new Error(`${found.length} ${what} after ${patience} ms, not ${count}`);
  }
}

function toScripts(turns: SceneOptions["turns"]): unknown {
  const toScript = (script: TurnScript) => (Array.isArray(script) ? { steps: script } : script);
  if (Array.isArray(turns)) return turns.map(toScript);
  return Object.fromEntries(Object.entries(turns).map(([name, script]) => [name, toScript(script)]));
}

/** Ends a program that was left behind, where it can be seen that it is this one. Elsewhere its lifetime ends it. */
async function kill(pid: number, file: string): Promise<void> {
  const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  if (words.includes(file)) process.kill(pid, "SIGKILL");
}
