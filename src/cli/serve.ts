import { defineCommand } from "citty";
import type { Config, LoadedConfig, LoadOptions } from "../config/index.ts";
import type { RunningServer } from "../http/server.ts";
import { StoreError } from "../store/store.ts";
import { endOnFatalError } from "./fatal.ts";
import { loadOrExplain, printMistakes } from "./load.ts";
import { asClause, storedKeys } from "./open-store.ts";
import { findMissingKeys, needsStoredKeys } from "./public-address.ts";
import { endByHangup, waitForStop } from "./signals.ts";

export const serveFlags = {
  config: { type: "string", valueHint: "FILE", description: "The configuration (toolwire.yaml, if it is there)" },
  host: { type: "string", valueHint: "H", description: "The address to listen on, over the configuration's" },
  port: { type: "string", valueHint: "N", description: "The port to listen on, over the configuration's; 0 is any" },
} as const;

interface ServeFlags {
  config: string | undefined;
  host: string | undefined;
  port: string | undefined;
}

export const serve = defineCommand({
  meta: { name: "serve", description: "Run the gateway; the default command" },
  args: serveFlags,
  run: ({ args: { config, host, port } }) => runServe({ config, host, port }),
});

/** How long open handles may keep the process alive after the server was closed, in milliseconds. */
const lingering = 500;

async function runServe({ config: file, host, port }: ServeFlags): Promise<number> {
  if (port !== undefined && !isPort(port)) return fail(`--port must be a number from 0 to 65535, found ${port}`);
  const listen: NonNullable<LoadOptions["listen"]> = {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port: Number(port) }),
  };
  const loaded = await loadOrExplain({ ...(file !== undefined && { file }), listen });
  if (loaded === null || (await lacksKeys(loaded))) return 1;
  return serveUntilStopped(loaded.config);
}

/** The store is asked only if its keys decide whether the gateway may start. */
async function lacksKeys({ config, file }: LoadedConfig): Promise<boolean> {
  if (!needsStoredKeys(config)) return false;
  const mistake = findMissingKeys(config, await storedKeys(config), Date.now());
  if (mistake !== null) printMistakes(file, [mistake]);
  return mistake !== null;
}

async function serveUntilStopped(config: Config): Promise<number> {
  let server: RunningServer | undefined;
  const stopped = waitForStop({
    onIgnored: (signal) =>
      server?.log.warn({}, `${signal} ignored: Toolwire cannot reload its configuration yet; restart it to do so`),
  });
  // The readers of the standard streams may have closed them; the server keeps running.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  try {
    // Imported on demand, because other commands and invalid configurations do not need it.
    const { startServer } = await import("../http/server.ts");
    server = await startServer(config);
    endOnFatalError(server.log);
    process.stdout.write(`toolwire listening on ${server.url}\n`);
    const reason = await stopped;
    await server.close();
    if (reason === "terminal closed") endByHangup();
  } catch (error) {
    return fail(explainFailure(error, config));
  } finally {
    setTimeout(() => process.exit(), lingering).unref();
  }
  return 0;
}

function fail(sentence: string): number {
  process.stderr.write(`toolwire: ${sentence}\n`);
  return 1;
}

function isPort(written: string): boolean {
  return /^\d{1,5}$/.test(written) && Number(written) <= 65_535;
}

function explainFailure(error: unknown, { listen: { host, port } }: Config): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} of ${host} is in use; stop what listens there, or choose another port with --port`;
    case "EACCES":
      return `listening on port ${port} of ${host} is not permitted; choose a port above 1023 with --port`;
    case "EADDRNOTAVAIL":
      return `this machine does not have the address ${host}; choose another with --host`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the host name ${host} cannot be resolved; choose an address with --host`;
    default:
      if (error instanceof StoreError) return asClause(error.message);
      return `the server failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
