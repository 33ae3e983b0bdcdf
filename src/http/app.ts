import Fastify, { type FastifyInstance } from "fastify";
import type { Gateway } from "../gateway/index.ts";
import { createRateLimits, type Key } from "../guard/index.ts";
import type { RequestWork } from "../telemetry/index.ts";
import { TurnError } from "../turn/index.ts";
import { Access, requestIdOf } from "./access.ts";
import { ApiPaths } from "./api-paths.ts";
import { BrokenRequests, hasUnknownExpectation } from "./broken-requests.ts";
import { fromFastify, sendError, unreadablePath } from "./errors.ts";
import { readJsonBodies } from "./json-body.ts";
import { limitRate } from "./rate-limits.ts";
import { addRoutes, isOpenPath, type Refusal } from "./routes.ts";
import { endStalledReader } from "./stalled-readers.ts";
import type { StateHeaders } from "./state-headers.ts";
import { isReadable, pathTarget } from "./target.ts";
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
    /** Of a turn: marks the work for this request. */
    work: RequestWork | undefined;
    /** Of a turn: what its headers say about stored state. */
    state: StateHeaders | undefined;
  }
}

export function createApp(gateway: Gateway): App {
  const { limits } = gateway.config;
  const paths = new ApiPaths(gateway.codecs);
  const access = new Access(gateway, paths);
  const broken = new BrokenRequests(paths);
  const server = Fastify({
    // The hooks refuse a missing Host as they refuse an unknown one; Node would send an answer without a body.
    http: { requireHostHeader: false },
    rewriteUrl: pathTarget,
    bodyLimit: limits.body,
    genReqId: (request) => requestIdOf(request.headers["x-request-id"]),
    requestIdHeader: false,
    clientErrorHandler: broken.answer,
    frameworkErrors: (error, request, reply) =>
      sendError(
        reply.headers(access.answerHeaders(request.id, request.headers)),
        fromFastify(error),
        paths.codecOf(request.url),
      ),
    forceCloseConnections: "idle",
    // The hooks refuse requests while the server closes; Fastify's own answer is not an error body.
    return503OnClosing: false,
    // A request that never ends must not hold its connection forever.
    requestTimeout: 300_000,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
  });
  readJsonBodies(server, limits.body, gateway.memoryBudget);
  server.decorateRequest("key", null);
  server.decorateRequest("work", undefined);
  server.decorateRequest("state", undefined);
  const turns = new Turns(gateway);
  let accepting = true;
  const refuse = addRoutes(server, gateway, turns);
  addHooks(server, { gateway, paths, access, broken, refuse, isAccepting: () => accepting });
  addErrorHandlers(server, gateway, paths);
  addConnectionEvents(server, access, broken);
  return {
    server,
    turns,
    stopAccepting() {
      accepting = false;
    },
  };
}

interface HookParts {
  gateway: Gateway;
  paths: ApiPaths;
  access: Access;
  broken: BrokenRequests;
  /** Refuses a request for which there is no route. */
  refuse: Refusal;
  isAccepting: () => boolean;
}

function addHooks(server: FastifyInstance, { gateway, paths, access, broken, refuse, isAccepting }: HookParts): void {
  const { limits } = gateway.config;
  const rateLimits = createRateLimits(limits.per_key);
  server.addHook("onRequest", async (request, reply) => {
    broken.begin(reply);
    reply.headers(access.answerHeaders(request.id, request.headers));
    endStalledReader(reply.raw, limits.stall, (stopped) =>
      gateway.log.info(
        { request_id: request.id },
        `closing a connection: its client stopped ${stopped} for ${limits.stall / 1000} s`,
      ),
    );
    access.checkHost(request);
    if (request.method === "OPTIONS") return access.preflight(request, reply);
    if (!isReadable(request.raw)) throw unreadablePath();
    // Checked before the body is read: without a key no body is read.
    const open = isOpenPath(request.url);
    if (!open) request.key = access.identify(request);
    if (!isAccepting()) {
      reply.header("connection", "close");
      throw new TurnError("shutting_down", "Toolwire is shutting down; send the request again.");
    }
    if (!open) await limitRate(rateLimits, request.key, reply);
    if (request.is404) refuse(request, reply);
    if (hasUnknownExpectation(request.raw))
      throw new TurnError("expectation_failed", "Toolwire knows no expectation but 100-continue; leave out Expect.");
    return undefined;
  });
  server.addHook("onResponse", async (request, reply) => {
    gateway.metrics.requestFinished({ api: paths.apiOf(request.url), status: reply.statusCode });
  });
}

function addErrorHandlers(server: FastifyInstance, gateway: Gateway, paths: ApiPaths): void {
  server.setErrorHandler((thrown, request, reply) => {
    const error = fromFastify(thrown);
    // The body of a request that no turn took.
    request.holding?.release();
    if (error.code === "internal_error") {
      const route = `${request.method} ${request.routeOptions.url ?? "an unknown path"}`;
      gateway.log.error({ request_id: request.id, err: thrown }, `internal error in ${route}; the client gets a 500`);
    }
    return sendError(reply, error, paths.codecOf(request.url));
  });
}

/** What Node would answer by itself, without a body, or not at all. */
function addConnectionEvents({ server }: FastifyInstance, access: Access, broken: BrokenRequests): void {
  // Without these two, Node asks for the body before the hooks have seen the request, and refuses unknown expectations.
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", ({ headers }, socket) =>
    broken.refuseConnect(socket, access.answerHeaders(requestIdOf(headers["x-request-id"]), headers)),
  );
}
