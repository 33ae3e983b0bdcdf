import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, type JsonObject, parseJson } from "../../../src/turn/index.ts";
import { codexBinary } from "./codex.ts";

/** The key with which the CLI asks the gateway. */
export const clientKey = "client-key-0123456789";

export interface CliSettings {
  /** Of the provider's table in `config.toml`. Unless said, nothing is tried again. */
  provider?: Record<string, number | string>;
  /** More keys of `config.toml`. */
  keys?: Record<string, number | string>;
  /** More tables of it. */
  tables?: string;
  /** Whether the CLI asks the gateway which models there are. */
  catalog?: boolean;
  /** Another key than the right one. */
  key?: string;
  /** When it aborts, the user presses Ctrl-C. */
  stop?: AbortSignal;
  /** Asks in the conversation that this folder had last, instead of in a new one. */
  resume?: boolean;
}

/** What a user has of a run of `codex exec --json`. */
export interface CliRun {
  code: number | null;
  events: JsonObject[];
  stderr: string;
  /** What the model said, one entry a message. */
  said: string[];
  thought: string[];
  /** What was reported as wrong, in order. */
  errors: string[];
  /** The items of this type that came to an end. */
  items(type: string): JsonObject[];
}

/** A folder in which the real Codex CLI works, with the gateway as its only provider. */
export class CliWorkspace {
  /** What the CLI sees and changes. */
  readonly folder: string;
  readonly #root = mkdtempSync(join(tmpdir(), "toolwire-codex-cli-"));
  readonly #gateway: { url: string };

  constructor(gateway: { url: string }) {
    this.#gateway = gateway;
    this.folder = join(this.#root, "work");
    for (const folder of [this.folder, this.#home]) mkdirSync(folder);
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  async run(model: string, prompt: string, settings: CliSettings = {}): Promise<CliRun> {
    writeFileSync(join(this.#home, "config.toml"), configFor(this.#gateway.url, model, settings));
    const flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
    const start = settings.resume ? ["exec", "resume", "--last"] : ["exec"];
    return this.#spawn([...start, ...flags, prompt], settings);
  }

  remove(): void {
    // The CLI may still be writing its last lines.
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 10 });
  }

  get #home(): string {
    return join(this.#root, "home");
  }

  async #spawn(args: string[], { key = clientKey, stop }: CliSettings): Promise<CliRun> {
    const child = spawn(process.execPath, [codexBinary, ...args], {
      cwd: this.folder,
      env: {
        PATH: process.env.PATH,
        HOME: this.#home,
        CODEX_HOME: this.#home,
        TOOLWIRE_KEY: key,
        // Whatever wants to leave this machine finds a closed door at once.
        ...{ HTTP_PROXY: closedDoor, HTTPS_PROXY: closedDoor, ALL_PROXY: closedDoor, NO_PROXY: "127.0.0.1" },
      },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that nothing of it outlives a test.
      detached: true,
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      stdout += piece;
    });
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      stderr += piece;
    });
    stop?.addEventListener("abort", () => child.kill("SIGINT"));
    const late = setTimeout(() => endGroup(child.pid), 25_000);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    clearTimeout(late);
    endGroup(child.pid);
    return readRun(code, stdout, stderr);
  }
}

const closedDoor = "http://127.0.0.1:9";

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself, as it should.
  }
}

function configFor(url: string, model: string, { provider, keys, tables = "", catalog }: CliSettings): string {
  const settings = {
    ...{ request_max_retries: 0, stream_max_retries: 0, stream_idle_timeout_ms: 10_000 },
    ...(catalog && { model_catalog_url: `${url}/v1/models` }),
    ...provider,
  };
  // The last two are what the CLI talks to its maker for.
  return `${linesOf({ model, model_provider: "toolwire", ...keys })}

[model_providers.toolwire]
name = "Toolwire"
base_url = "${url}/v1"
env_key = "TOOLWIRE_KEY"
${linesOf(settings)}

[analytics]
enabled = false

[features]
plugins = false

${tables}`;
}

function linesOf(values: Record<string, number | string>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
    .join("\n");
}

function readRun(code: number | null, stdout: string, stderr: string): CliRun {
  const events = stdout
    .split("\n")
    .map((text) => parseJson(text))
    .filter((event) => isObject(event));
  const items = (type: string) =>
    events.flatMap(({ type: what, item }) =>
      what === "item.completed" && isObject(item) && item.type === type ? [item] : [],
    );
  const texts = (type: string) => items(type).map(({ text }) => String(text));
  return {
    code,
    events,
    stderr,
    said: texts("agent_message"),
    thought: texts("reasoning"),
    errors: events.flatMap(({ type, message }) => (type === "error" ? [String(message)] : [])),
    items,
  };
}
