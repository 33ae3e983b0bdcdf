import type { BackendConfig, BackendKindName } from "../../config/index.ts";
import type { Backend, EventFields } from "../../turn/index.ts";

/** What a gateway gives to the backends that it makes. */
export interface BackendContext {
  /** Takes the secrets out of a provider's words. */
  redact: (text: string) => string;
  /** A backend has found what must not be shown to anybody. */
  onSecrets: (secrets: readonly string[]) => void;
  /** A program behind a backend has something to say to whoever runs the gateway. */
  onNotice: (level: "info" | "warn" | "error", fields: EventFields, message: string) => void;
}

/** Makes a backend of one kind. `name` is the backend's in the configuration. */
export type CreateBackend<Kind extends BackendKindName> = (name: string, settings: BackendConfig<Kind>) => Backend;
