import { setTimeout } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway/index.ts";
import type { Api, JsonValue } from "../turn/index.ts";
import { TurnError } from "../turn/index.ts";
import { ReplyOutlet } from "./reply-outlet.ts";

/** Runs the turns of both APIs, and knows which are under way. */
export class Turns {
  readonly #gateway: Gateway;
  readonly #running = new Map<Promise<unknown>, AbortController>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  handler(api: Api) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const prepared = this.#gateway.prepare(api, request.body as JsonValue | undefined, {
        requestId: request.id,
        key: request.key,
        profile: oneOf(request.headers["x-toolwire-profile"]),
        receivedAt: performance.now(),
      });
      reply.headers(prepared.headers);
      const stop = new AbortController();
      const { raw } = reply;
      const closed = new Promise<void>((resolve) => {
        // The response's own end tells that a client has left, also where nothing was sent yet.
        raw.once("close", () => {
          if (!raw.writableFinished) stop.abort(clientClosed());
          this.#running.delete(closed);
          resolve();
        });
      });
      this.#running.set(closed, stop);
      const ending = await prepared.run(new ReplyOutlet(reply, prepared.contentType), stop);
      if (ending.opened) return reply;
      if (ending.error) throw ending.error;
      return reply.header("content-type", prepared.contentType).send(ending.body);
    };
  }

  /** Waits until the running turns have been answered; what is left after the time is ended in its proper form. */
  async drain(milliseconds: number): Promise<void> {
    if (this.#running.size === 0) return;
    const over = new AbortController();
    const answered = this.#answered();
    await Promise.race([answered, wait(milliseconds, over.signal)]);
    const error = new TurnError("shutting_down", "Toolwire is shutting down; send the request again.");
    for (const stop of this.#running.values()) stop.abort(error);
    await Promise.race([answered, wait(lastWords, over.signal)]);
    over.abort();
  }

  async #answered(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys());
  }
}

function clientClosed(): TurnError {
  return new TurnError("client_closed", "The client closed the connection.");
}

/** How long an ending may take to reach a client. */
const lastWords = 1_000;

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}

function oneOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
