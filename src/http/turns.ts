import type { IncomingHttpHeaders } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway/index.ts";
import { Admission, TurnHolding } from "../guard/index.ts";
import { Cancellation, type JsonValue, TurnError } from "../turn/index.ts";
import type { Codec } from "../wire/index.ts";
import { HttpReplyStream } from "./http-reply-stream.ts";
import { whenOver } from "./reply-over.ts";
import { departureOf } from "./stalled-readers.ts";
import { stateHeadersOf } from "./state-headers.ts";

/** Runs the turns of all APIs and tracks the running ones. */
export class Turns {
  readonly #gateway: Gateway;
  readonly #admission: Admission;
  readonly #running = new Map<Promise<unknown>, Cancellation>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#admission = new Admission(gateway.config.limits.concurrent);
  }

  /** A hook that runs before the body is read. It takes a slot for the turn until its reply is over. */
  readonly admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.state = stateHeadersOf(request.headers);
    const leave = this.#admission.enter();
    if (leave === null) throw overloaded(this.#admission.most);
    whenOver(request, reply, () => {
      leave();
      // Of a body that did not become a turn, for example because its client left in the middle.
      request.holding?.release();
    });
    const work = this.#gateway.watch.request(request.id, `${request.method} ${request.routeOptions.url}`);
    request.work = work;
    // A small body is complete, and is parsed next.
    request.raw.once("end", () => work.begin());
  };

  handler(codec: Codec) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const receivedAt = performance.now();
      const { work } = request;
      work?.begin();
      const cancellation = new Cancellation();
      const { raw } = reply;
      const holding = request.holding ?? new TurnHolding(this.#gateway.memoryBudget);
      let over = () => {};
      const closed = new Promise<void>((resolve) => {
        over = resolve;
      });
      this.#running.set(closed, cancellation);
      // If the reply ends unfinished, the client has left. This also works before anything was sent.
      whenOver(request, reply, () => {
        if (!raw.writableFinished) cancellation.cancel(departureOf(raw));
        // A whole answer stays in memory until its client has taken it.
        holding.release();
        this.#running.delete(closed);
        over();
      });
      const preparing = this.#gateway.prepare(codec.name, takeBody(request), {
        requestId: request.id,
        key: request.key,
        profile: oneOf(request.headers["x-toolwire-profile"]),
        ...request.state,
        headers: providerHeaders(codec, request.headers),
        receivedAt,
        // A body that takes memory of the budget was read piece by piece, within its limits.
        isBounded: request.holding !== undefined,
        holding,
        work,
      });
      work?.end();
      const prepared = await preparing;
      const ending = await prepared.run(new HttpReplyStream(reply, prepared), cancellation);
      if (ending.opened) return reply;
      reply.headers(prepared.headers());
      if (ending.error) throw ending.error;
      return reply.header("content-type", prepared.contentType).send(ending.body);
    };
  }

  /** Waits for the running turns. Turns that are still running after the time are cancelled, each with a valid ending. */
  async drain(milliseconds: number): Promise<void> {
    if (this.#running.size === 0) return;
    const over = new AbortController();
    const answered = this.#answered();
    await Promise.race([answered, wait(milliseconds, over.signal)]);
    const error = new TurnError("shutting_down", "Toolwire is shutting down; send the request again.");
    for (const cancellation of this.#running.values()) cancellation.cancel(error);
    await Promise.race([answered, wait(endingTime, over.signal)]);
    over.abort();
  }

  async #answered(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys());
  }
}

/** The decoded turn is enough: the raw body must not stay in memory while the model answers. */
function takeBody(request: FastifyRequest): JsonValue | undefined {
  const body = request.body as JsonValue | undefined;
  request.body = undefined;
  return body;
}

function overloaded(most: number): TurnError {
  return new TurnError(
    "overloaded",
    `All ${most} turns that this gateway runs at once (limits.concurrent) are under way. Please try again soon.`,
    { retryAfter: "1" },
  );
}

/** How long cancelled turns may take to end. More than the wait before the end of a turn (`beforeEndLimit`). */
const endingTime = 3_000;

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
