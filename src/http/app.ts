import Fastify, { type FastifyInstance } from "fastify";
import type { Gateway } from "../gateway/index.ts";
import { createRateLimits, type Key } from "../guard/index.ts";
import { TurnError } from "../turn/index.ts";
import { Access, requestIdOf } from "./access.ts";
import { answerBrokenRequest, fromFastify, sendError } from "./errors.ts";
import { limitRate } from "./rate-limits.ts";
import { addRoutes, apiOf, codecOf, isOpenPath, pathOf } from "./routes.ts";
import { endStalledReader } from "./stalled-readers.ts";
import { Turns } from "./turns.ts";

export interface App {
  server: FastifyInstance;
  turns: Turns;
  /** From now on new requests are refused. */
  stopAccepting(): void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Who asks; `null` where no keys are configured or none is needed. */
    key: Key | null;
  }
}

export function createApp(gateway: Gateway): App {
  const { limits } = gateway.config;
  const server = Fastify({
    bodyLimit: limits.body,
    onProtoPoisoning: "remove",
    onConstructorPoisoning: "remove",
    genReqId: (request) => requestIdOf(request.headers["x-request-id"]),
    requestIdHeader: false,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) =>
      sendError(reply, fromFastify(error, limits.body), codecOf(gateway.codecs, request.url)),
    forceCloseConnections: "idle",
    // A request that never ends must not hold its connection for ever.
    requestTimeout: 300_000,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
  });
  server.removeContentTypeParser("text/plain");
  server.decorateRequest("key", null);
  const turns = new Turns(gateway);
  let accepting = true;
  addHooks(server, gateway, () => accepting);
  addErrorHandlers(server, gateway);
  addRoutes(server, gateway, turns);
  return {
    server,
    turns,
    stopAccepting() {
      accepting = false;
    },
  };
}

function addHooks(server: FastifyInstance, gateway: Gateway, isAccepting: () => boolean): void {
  const access = new Access(gateway);
  const { limits } = gateway.config;
  const rateLimits = createRateLimits(limits.per_key);
  server.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    endStalledReader(reply.raw, limits.stall, () =>
      gateway.log.info({ request_id: request.id }, "the client stopped reading"),
    );
    access.allowOrigin(request, reply);
    access.checkHost(request);
    if (request.method === "OPTIONS") return access.preflight(request, reply);
    // Before the body is read: nobody without a key makes us read one.
    const open = isOpenPath(request.url);
    if (!open) request.key = access.identify(request);
    if (!isAccepting()) {
      reply.header("connection", "close");
      throw new TurnError("shutting_down", "Toolwire is shutting down; send the request again.");
    }
    if (!open) await limitRate(rateLimits, request.key, reply);
    return undefined;
  });
  server.addHook("onResponse", async (request, reply) => {
    gateway.metrics.requestFinished({ api: apiOf(gateway.codecs, request.url), status: reply.statusCode });
  });
}

function addErrorHandlers(server: FastifyInstance, gateway: Gateway): void {
  server.setErrorHandler((thrown, request, reply) => {
    const error = fromFastify(thrown, gateway.config.limits.body);
    if (error.code === "internal_error") gateway.log.error({ request_id: request.id, err: thrown }, "a request failed");
    return sendError(reply, error, codecOf(gateway.codecs, request.url));
  });
  server.setNotFoundHandler((request) => {
    throw new TurnError("not_found", `There is nothing at ${request.method} ${pathOf(request.url).slice(0, 200)}.`);
  });
}
