import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { Outlet } from "../turn/index.ts";

/**
 * The one place that opens a stream. A hijacked reply skips Fastify's own sending, so what hooks have set is copied here; then
 * text is written as it comes, and a full socket is told to the engine.
 */
export class ReplyOutlet implements Outlet {
  readonly #reply: FastifyReply;
  readonly #raw: ServerResponse;
  readonly #contentType: string;
  /** While the client takes nothing more. */
  #drained: Promise<void> | undefined;

  constructor(reply: FastifyReply, contentType: string) {
    this.#reply = reply;
    this.#raw = reply.raw;
    this.#contentType = contentType;
  }

  open(): void {
    this.#reply.hijack();
    const headers: Record<string, string | string[] | number> = {};
    for (const [name, value] of Object.entries(this.#reply.getHeaders()))
      if (value !== undefined) headers[name] = value;
    this.#raw.writeHead(200, {
      ...headers,
      "content-type": this.#contentType,
      "cache-control": "no-cache, no-transform",
      // Proxies such as nginx would gather events otherwise.
      "x-accel-buffering": "no",
    });
  }

  write(text: string): Promise<void> | undefined {
    const raw = this.#raw;
    if (raw.destroyed || raw.write(text)) return undefined;
    this.#drained ??= new Promise((resolve) => {
      const go = () => {
        raw.off("drain", go);
        raw.off("close", go);
        this.#drained = undefined;
        resolve();
      };
      raw.on("drain", go);
      raw.on("close", go);
    });
    return this.#drained;
  }

  end(text: string): void {
    if (!this.#raw.destroyed) this.#raw.end(text);
  }
}
