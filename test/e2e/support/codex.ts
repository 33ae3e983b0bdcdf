import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../../src/turn/index.ts";
import { createEventsFile, type EventsFile } from "../../support/events-file.ts";
import { startGateway } from "../../support/gateway.ts";
import type { Provider } from "../../support/provider.ts";

/** The real one, as this package pins it. Two versions are here, so that `.bin/codex` could be either. */
export const codexBinary = inPackages("@openai/codex/bin/codex.js");
/** One of before Codex took a client's tools and a client's history. */
export const oldCodexBinary = inPackages("codex-old/bin/codex.js");

function inPackages(path: string): string {
  return fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
}

/** A CODEX_HOME of its own. */
export interface CodexHome {
  folder: string;
  write(name: string, text: string): void;
  remove(): void;
}

export interface HomeOptions {
  /** More of `config.toml`: keys first, then tables. */
  more?: string;
  /** Other files of the home, by their paths in it. */
  files?: Record<string, string>;
}

/** A home whose model is the provider's; without one it is Codex's own default, which wants a login. */
export function codexHome(
  provider: Pick<Provider, "url"> | null,
  { more = "", files = {} }: HomeOptions = {},
): CodexHome {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-codex-home-"));
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  write("config.toml", provider ? configOf(provider.url, more) : more);
  for (const [name, text] of Object.entries(files)) write(name, text);
  // Codex may still be writing its last lines.
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }) };
}

/** A `config.toml` whose model is the one of the provider at this address. */
export function configOf(url: string, more = ""): string {
  return `model = "fake-model"
model_provider = "fake"
${more}

[model_providers.fake]
name = "Fake"
base_url = "${url}"
wire_api = "responses"
experimental_bearer_token = "${upstreamKey}"
`;
}

/** The key with which Codex asks its provider; no client may ever see it. */
export const upstreamKey = "sk-upstream-0123456789abcdefghij";

export interface CodexOptions extends HomeOptions {
  home?: CodexHome;
  /** Settings of the backend `codex`. */
  backend?: JsonObject;
  /** Other sections of the configuration. */
  config?: JsonObject;
}

export interface CodexGateway {
  url: string;
  home: CodexHome;
  events: EventsFile;
  /** Ends the gateway, and with it Codex. */
  close(): Promise<void>;
}

/** A configuration with Codex as its only backend. Unless said, a failure is final and has no consequences. */
export function codexConfig(home: CodexHome, backend: JsonObject = {}): JsonObject {
  const alone = { retries: 0, breaker: { failures: 1_000_000 } };
  const command = [codexBinary, "app-server"];
  return { backends: { codex: { kind: "codex", command, home: home.folder, ...alone, ...backend } } };
}

/** The gateway before the real Codex, whose model is the provider's. */
export async function startCodexGateway(
  provider: Pick<Provider, "url"> | null,
  { home, backend, config, ...rest }: CodexOptions = {},
): Promise<CodexGateway> {
  const lodging = home ?? codexHome(provider, rest);
  const events = createEventsFile();
  const gateway = await startGateway({
    ...codexConfig(lodging, backend),
    telemetry: { events: events.path },
    ...config,
  });
  return {
    url: gateway.url,
    home: lodging,
    events,
    async close() {
      await gateway.close();
      events.remove();
      lodging.remove();
    },
  };
}

/** What the gateway says at `/ready`, once it knows: on a busy machine Codex takes some seconds to start. */
export async function readiness(gateway: { url: string }): Promise<{ status: number; text: string }> {
  for (;;) {
    const response = await fetch(`${gateway.url}/ready`);
    const told = { status: response.status, text: await response.text() };
    if (!told.text.includes("Codex is starting")) return told;
  }
}
