import type { BackendConfig, BackendKindName } from "../../config/index.ts";
import type { Backend, EventFields } from "../../turn/index.ts";

/** What a gateway provides to the backends that it creates. */
export interface BackendContext {
  /** Removes secrets from a provider's message. */
  redact: (text: string) => string;
  /** Called when a backend finds further secrets, which must never be shown. */
  onSecrets: (secrets: readonly string[]) => void;
  /** Logs what happens to a program behind a backend, for example Codex. */
  onNotice: (level: "info" | "warn" | "error", fields: EventFields, message: string) => void;
}

/** Creates a backend of one kind. `name` is the backend's name in the configuration. */
export type CreateBackend<Kind extends BackendKindName> = (name: string, settings: BackendConfig<Kind>) => Backend;
