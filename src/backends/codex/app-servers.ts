import { AppServer, type AppServerOptions } from "./app-server.ts";

/** The app-servers of a gateway: one for a home and a command, however many backends and models lead to it. */
export class AppServers {
  readonly #servers = new Map<string, AppServer>();

  for(options: AppServerOptions): AppServer {
    const key = JSON.stringify([options.home, options.command]);
    const known = this.#servers.get(key);
    if (known) return known;
    const server = new AppServer(options);
    this.#servers.set(key, server);
    return server;
  }
}
