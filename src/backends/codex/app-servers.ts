import { AppServer, type AppServerOptions } from "./app-server.ts";

/** The app-servers of a gateway: one per home and command, shared by all backends and models that use it. */
export class AppServers {
  readonly #servers = new Map<string, AppServer>();
  /** The last start in each home. Two processes that set up a new home at the same time would fail. */
  readonly #starts = new Map<string, Promise<unknown>>();

  for(options: Omit<AppServerOptions, "inTurn">): AppServer {
    const key = JSON.stringify([options.home, options.command]);
    const known = this.#servers.get(key);
    if (known) return known;
    const server = new AppServer({ ...options, inTurn: (start) => this.#inTurn(options.home, start) });
    this.#servers.set(key, server);
    return server;
  }

  #inTurn<T>(home: string, start: () => Promise<T>): Promise<T> {
    const started = (this.#starts.get(home) ?? Promise.resolve()).then(start);
    this.#starts.set(
      home,
      started.catch(() => {}),
    );
    return started;
  }
}
