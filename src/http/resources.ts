import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway/index.ts";
import { TurnHolding } from "../guard/index.ts";
import { anonymousOwner, type JsonValue, paced, writeJson } from "../turn/index.ts";
import { json, type Resource } from "../wire/index.ts";
import { CountedAnswers } from "./counted-answers.ts";
import { whenOver } from "./reply-over.ts";

/** Answers a request for a resource of a client API. */
export function resourceHandler(gateway: Gateway, { handle }: Resource) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const holding = request.holding ?? new TurnHolding(gateway.memoryBudget);
    // An answer stays in memory until its client has taken it.
    whenOver(request, reply, () => holding.release());
    const answer = await handle({
      answers: new CountedAnswers(gateway.answers, holding),
      owner: request.key?.owner ?? anonymousOwner,
      id: (request.params as { id?: string }).id ?? "",
      query: queryOf(request.url),
      body: request.body as JsonValue | undefined,
    });
    const body = await paced(writeJson(answer));
    return reply.header("content-type", json).send(body);
  };
}

/** A client may repeat a parameter, so Fastify's own form, in which it is then a list, is not used. */
function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start + 1));
}

/**
 * A hook for requests without a body. Some clients name its type all the same; Fastify would ask for JSON then, and refuse an empty
 * body.
 */
export async function ignoreBody({ raw }: FastifyRequest): Promise<void> {
  for (const name of ["content-type", "content-length", "transfer-encoding"]) delete raw.headers[name];
}
