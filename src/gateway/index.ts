import { type Config, type Environment, toConfig } from "../config/index.ts";
import { openStore } from "../store/index.ts";
import { createLog, createRedactor } from "../telemetry/index.ts";
import { Gateway, type GatewayParts } from "./gateway.ts";
import { parts } from "./parts.ts";
import { secretsOf } from "./secrets.ts";

export { type Config, ConfigError, type Mistake } from "../config/index.ts";
export { Cancellation } from "../turn/index.ts";
export { Gateway, type GatewayParts, type RequestContext, type SeamContext } from "./gateway.ts";
export type { PublicModel } from "./models.ts";
export type { PreparedTurn } from "./prepared-turn.ts";

export interface ConfigSource {
  /** Where `${NAME}` is looked up. Default: no variables. */
  environment?: Environment;
  /** The base of relative paths. Default: the working directory. */
  directory?: string;
}

/** Reads a configuration from plain values in the shape of the file. Throws a `ConfigError` that lists every mistake. */
export function createConfig(
  values: unknown,
  { environment = {}, directory = process.cwd() }: ConfigSource = {},
): Config {
  return toConfig(values, { ...parts, environment, directory });
}

/** Creates a gateway without an HTTP server. Rejects if its store can never be used as it is. */
export async function createGateway(config: Config, parts: GatewayParts = {}): Promise<Gateway> {
  const redactor = createRedactor({ secrets: secretsOf(config), redact: config.telemetry.redact });
  const log = createLog({ level: config.log.level, redactor });
  const store = parts.store ?? (await openStore({ ...config.store, log }));
  const gateway = new Gateway(config, { ...parts, store });
  await gateway.open();
  return gateway;
}
