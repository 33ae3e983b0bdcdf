import type { IncomingHttpHeaders } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway/index.ts";
import { Admission } from "../guard/index.ts";
import { Cancellation, type JsonValue, TurnError } from "../turn/index.ts";
import type { Codec } from "../wire/index.ts";
import { HttpReplyStream } from "./http-reply-stream.ts";
import { whenOver } from "./reply-over.ts";
import { departureOf } from "./stalled-readers.ts";

/** Runs the turns of all APIs, and knows which are under way. */
export class Turns {
  readonly #gateway: Gateway;
  readonly #admission: Admission;
  readonly #running = new Map<Promise<unknown>, Cancellation>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#admission = new Admission(gateway.config.limits.concurrent);
  }

  /** A hook before the body is read: takes a place for the turn, until its reply is over. */
  readonly admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const leave = this.#admission.enter();
    if (leave === null) throw overloaded(this.#admission.most);
    whenOver(request, reply, leave);
  };

  handler(codec: Codec) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const receivedAt = performance.now();
      const cancellation = new Cancellation();
      const { raw } = reply;
      let over = () => {};
      const closed = new Promise<void>((resolve) => {
        over = resolve;
      });
      this.#running.set(closed, cancellation);
      // The reply's own end tells that a client has left, also where nothing was sent yet.
      whenOver(request, reply, () => {
        if (!raw.writableFinished) cancellation.cancel(departureOf(raw));
        this.#running.delete(closed);
        over();
      });
      const prepared = await this.#gateway.prepare(codec.name, request.body as JsonValue | undefined, {
        requestId: request.id,
        key: request.key,
        profile: oneOf(request.headers["x-toolwire-profile"]),
        headers: providerHeaders(codec, request.headers),
        receivedAt,
      });
      // What was read of it is in the turn; the rest need not be held while a model thinks.
      request.body = undefined;
      const ending = await prepared.run(new HttpReplyStream(reply, prepared), cancellation);
      if (ending.opened) return reply;
      reply.headers(prepared.headers());
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
    for (const cancellation of this.#running.values()) cancellation.cancel(error);
    await Promise.race([answered, wait(lastWords, over.signal)]);
    over.abort();
  }

  async #answered(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys());
  }
}

function overloaded(most: number): TurnError {
  return new TurnError(
    "overloaded",
    `All ${most} turns that this gateway runs at once (limits.concurrent) are under way. Please try again soon.`,
    { retryAfter: "1" },
  );
}

/** How long an ending may take to reach a client. */
const lastWords = 1_000;

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}

function providerHeaders(codec: Codec, headers: IncomingHttpHeaders): Record<string, string> | undefined {
  let found: Record<string, string> | undefined;
  if (!codec.isProviderHeader) return undefined;
  for (const name in headers) {
    const value = codec.isProviderHeader(name) ? oneOf(headers[name]) : undefined;
    if (value === undefined) continue;
    found ??= {};
    found[name] = value;
  }
  return found;
}

function oneOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
