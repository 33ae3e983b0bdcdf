import type { Config } from "../config/index.ts";
import { Gateway } from "./gateway.ts";

export { Gateway, type PreparedTurn, type RequestContext } from "./gateway.ts";
export type { PublicModel } from "./models.ts";

/** One gateway out of a configuration, without a server before it. */
export function createGateway(config: Config): Gateway {
  return new Gateway(config);
}
