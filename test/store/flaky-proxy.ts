import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What happens to what a client sends: it is passed on, or the connection is cut before or after that, or nothing happens any more. */
export type Passage = "pass" | "cut" | "pass and cut" | "silence";

/** A proxy in front of a Postgres server that fails when the test says so. */
export class FlakyProxy {
  readonly #target: URL;
  readonly #server = createServer((socket) => this.#accept(socket));
  readonly #sockets = new Set<Socket>();
  #port = 0;
  /** Decides about each piece that a client sends. */
  decide: (data: Buffer | string) => Passage = () => "pass";

  constructor(target: string) {
    this.#target = new URL(target);
  }

  get url(): string {
    const url = new URL(this.#target);
    url.hostname = "127.0.0.1";
    url.port = String(this.#port);
    return url.href;
  }

  /** The port stays the same after the first time. */
  async listen(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    const address: AddressInfo | string | null = this.#server.address();
    if (typeof address === "object" && address) this.#port = address.port;
  }

  /** Cuts all connections and takes no new ones. */
  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    const upstream = connect(Number(this.#target.port || 5432), this.#target.hostname);
    for (const each of [socket, upstream]) {
      this.#sockets.add(each);
      each.on("error", () => {});
      each.on("close", () => {
        this.#sockets.delete(each);
        socket.destroy();
        upstream.destroy();
      });
    }
    let isSilent = false;
    socket.on("data", (data) => {
      const passage = this.decide(data);
      if (passage === "silence") isSilent = true;
      if (isSilent) return;
      if (passage === "cut") return void socket.destroy();
      if (passage === "pass and cut") upstream.removeAllListeners("data");
      upstream.write(data);
      // The server answers when it has done what it was sent. The client does not get this answer.
      if (passage === "pass and cut") upstream.once("data", () => socket.destroy());
    });
    upstream.on("data", (data) => {
      if (!isSilent) socket.write(data);
    });
  }
}
