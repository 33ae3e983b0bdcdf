import Fastify, { type FastifyInstance } from "fastify";
import type { Gateway } from "../gateway/index.ts";
import { createRateLimits, type Key } from "../guard/index.ts";
import { TurnError } from "../turn/index.ts";
import { Access, requestIdOf } from "./access.ts";
import { ApiPaths, pathOf } from "./api-paths.ts";
import { answerBrokenRequest, fromFastify, sendError } from "./errors.ts";
import { limitRate } from "./rate-limits.ts";
import { addRoutes, isOpenPath } from "./routes.ts";
import { endStalledReader } from "./stalled-readers.ts";
import { Turns } from "./turns.ts";

export interface App {
  server: FastifyInstance;
  turns: Turns;
  /** Refuses all requests from now on. */
  stopAccepting(): void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The client's key; `null` if no keys are configured or the path needs none. */
    key: Key | null;
  }
}

export function createApp(gateway: Gateway): App {
  const { limits } = gateway.config;
  const paths = new ApiPaths(gateway.codecs);
  const server = Fastify({
    bodyLimit: limits.body,
    onProtoPoisoning: "remove",
    onConstructorPoisoning: "remove",
    genReqId: (request) => requestIdOf(request.headers["x-request-id"]),
    requestIdHeader: false,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) =>
      sendError(reply, fromFastify(error, limits.body), paths.codecOf(request.url)),
    forceCloseConnections: "idle",
    // A request that never ends must not hold its connection forever.
    requestTimeout: 300_000,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
  });
  server.removeContentTypeParser("text/plain");
  server.decorateRequest("key", null);
  const turns = new Turns(gateway);
  let accepting = true;
  addHooks(server, gateway, paths, () => accepting);
  addErrorHandlers(server, gateway, paths);
  addRoutes(server, gateway, turns);
  return {
    server,
    turns,
    stopAccepting() {
      accepting = false;
    },
  };
}

function addHooks(server: FastifyInstance, gateway: Gateway, paths: ApiPaths, isAccepting: () => boolean): void {
  const access = new Access(gateway, paths);
  const { limits } = gateway.config;
  const rateLimits = createRateLimits(limits.per_key);
  server.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    endStalledReader(reply.raw, limits.stall, (stopped) =>
      gateway.log.info(
        { request_id: request.id },
        `closing a connection: its client stopped ${stopped} for ${limits.stall / 1000} s`,
      ),
    );
    access.allowOrigin(request, reply);
    access.checkHost(request);
    if (request.method === "OPTIONS") return access.preflight(request, reply);
    // Checked before the body is read: without a key no body is read.
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
    gateway.metrics.requestFinished({ api: paths.apiOf(request.url), status: reply.statusCode });
  });
}

function addErrorHandlers(server: FastifyInstance, gateway: Gateway, paths: ApiPaths): void {
  server.setErrorHandler((thrown, request, reply) => {
    const error = fromFastify(thrown, gateway.config.limits.body);
    if (error.code === "internal_error") {
      const route = `${request.method} ${request.routeOptions.url ?? "an unknown path"}`;
      gateway.log.error({ request_id: request.id, err: thrown }, `internal error in ${route}; the client gets a 500`);
    }
    return sendError(reply, error, paths.codecOf(request.url));
  });
  server.setNotFoundHandler((request) => {
    throw new TurnError("not_found", `There is nothing at ${request.method} ${pathOf(request.url).slice(0, 200)}.`);
  });
}
