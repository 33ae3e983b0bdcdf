import { type Config, type Environment, toConfig } from "../config/index.ts";
import { Gateway, type GatewayParts } from "./gateway.ts";
import { parts } from "./parts.ts";

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

/** Creates a gateway without an HTTP server. */
export function createGateway(config: Config, parts: GatewayParts = {}): Gateway {
  return new Gateway(config, parts);
}
