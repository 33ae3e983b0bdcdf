import { AppServers, CodexBackend } from "../../backends/codex/index.ts";
import { version } from "../version.ts";
import type { BackendContext, CreateBackend } from "./kind.ts";

/** Creates Codex backends. Backends with the same command and home share one app-server. */
export function codexBackends({ redact, onSecrets: learn, onNotice: notice }: BackendContext): CreateBackend<"codex"> {
  const servers = new AppServers();
  return (name, { command, home, timeouts, fetch_images: fetchImages }) => {
    const patience = timeouts.connect;
    const server = servers.for({ name, command, home, version, patience, redact, learn, notice });
    return new CodexBackend(server, { name, timeouts, fetchImages, redact, notice });
  };
}
