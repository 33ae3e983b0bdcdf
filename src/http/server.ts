import type { AddressInfo } from "node:net";
import type { Config } from "../config/index.ts";
import { createGateway, type GatewayParts } from "../gateway/index.ts";
import type { Log } from "../telemetry/index.ts";
import { createApp } from "./app.ts";

export interface RunningServer {
  readonly url: string;
  readonly log: Log;
  /** Refuses new requests, waits up to `limits.drain` for the running turns, then closes everything. */
  close(): Promise<void>;
}

export async function startServer(config: Config, parts: GatewayParts = {}): Promise<RunningServer> {
  const gateway = await createGateway(config, parts);
  const { server, turns, stopAccepting } = createApp(gateway);
  const { host, port } = config.listen;
  try {
    await server.listen({ host, port });
  } catch (error) {
    await gateway.close();
    throw error;
  }
  gateway.warm();
  const address = server.server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    log: gateway.log,
    async close() {
      stopAccepting();
      server.server.close();
      server.server.closeIdleConnections();
      await turns.drain(config.limits.drain);
      // Connections without a complete request would delay the shutdown forever.
      server.server.closeAllConnections();
      await server.close();
      await gateway.close();
    },
  };
}
