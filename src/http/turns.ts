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
      const client = new AbortController();
      // The response's own end tells that a client has left, also where nothing was sent yet.
      const left = () => client.abort();
      reply.raw.once("close", left);
      const turn = prepared.run(new ReplyOutlet(reply, prepared.contentType), client.signal);
      this.#running.set(turn, client);
      const ending = await turn.finally(() => {
        this.#running.delete(turn);
        reply.raw.off("close", left);
      });
      if (ending.opened) return reply;
      if (ending.error) throw ending.error;
      return reply.header("content-type", prepared.contentType).send(ending.body);
    };
  }

  /** Waits until the running turns are over; what is left after the time is ended in its proper form. */
  async drain(milliseconds: number): Promise<void> {
    const timer = setTimeout(() => {
      const error = new TurnError("shutting_down", "Toolwire is shutting down; send the request again.");
      for (const client of this.#running.values()) client.abort(error);
    }, milliseconds);
    while (this.#running.size > 0) await Promise.allSettled(this.#running.keys());
    clearTimeout(timer);
  }
}

function oneOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
