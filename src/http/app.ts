import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from "fastify";
import type { Gateway } from "../gateway/index.ts";
import type { Key } from "../guard/index.ts";
import { TurnError } from "../turn/index.ts";
import { Access, requestIdOf } from "./access.ts";
import { answerBrokenRequest, fromFastify, sendError } from "./errors.ts";
import { listModels, oneModel } from "./models.ts";
import { pageHeaders, renderPage } from "./page.ts";
import { Turns } from "./turns.ts";
import { version } from "./version.ts";

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

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const healthPaths = ["/health", "/healthz", "/livez"];
const readyPaths = ["/ready", "/readyz"];

/** What is answered without a key: nothing there tells more than that Toolwire runs. */
const openPaths = new Set(["/", ...healthPaths, ...readyPaths]);

/** Both APIs work under each of these: clients differ in what they take for the base. */
const apiPrefixes = ["/v1", "", "/openai/v1"];

export function createApp(gateway: Gateway): App {
  const { limits } = gateway.config;
  const server = Fastify({
    bodyLimit: limits.body,
    onProtoPoisoning: "remove",
    onConstructorPoisoning: "remove",
    genReqId: (request) => requestIdOf(request.headers["x-request-id"]),
    requestIdHeader: false,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, _request, reply) => sendError(reply, fromFastify(error, limits.body)),
    forceCloseConnections: "idle",
    // A request that never ends must not hold its connection for ever.
    requestTimeout: 300_000,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
  });
  server.removeContentTypeParser("text/plain");
  server.decorateRequest("key", null);
  const access = new Access(gateway);
  const turns = new Turns(gateway);
  let accepting = true;

  server.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    access.allowOrigin(request, reply);
    access.checkHost(request);
    if (request.method === "OPTIONS") return access.preflight(request, reply);
    // Before the body is read: nobody without a key makes us read one.
    if (!openPaths.has(pathOf(request.url))) request.key = access.identify(request);
    if (!accepting) {
      reply.header("connection", "close");
      throw new TurnError("shutting_down", "Toolwire is shutting down; send the request again.");
    }
    return undefined;
  });
  server.addHook("onResponse", async (request, reply) => {
    gateway.metrics.requestFinished({ api: apiOf(request.url), status: reply.statusCode });
  });
  server.setErrorHandler((error: TurnError, request, reply) => {
    const known = fromFastify(error, limits.body);
    if (known.code === "internal_error") gateway.log.error({ request_id: request.id, err: error }, "a request failed");
    return sendError(reply, known);
  });
  server.setNotFoundHandler((request) => {
    throw new TurnError("not_found", `There is nothing at ${request.method} ${pathOf(request.url).slice(0, 200)}.`);
  });

  const route = (path: string, handlers: Partial<Record<(typeof methods)[number], Handler>>) => {
    const allowed = methods.filter((method) => handlers[method]);
    for (const method of methods) {
      server.route({
        method: method as HTTPMethods,
        url: path,
        handler: handlers[method] ?? ((request, reply) => refuseMethod(request, reply, allowed)),
      });
    }
  };

  for (const path of healthPaths) route(path, { GET: () => ({ status: "ok" }) });
  for (const path of readyPaths) {
    route(path, {
      GET: async (_request, reply) => {
        const trouble = await gateway.ready();
        return trouble ? reply.code(503).send({ status: "not ready", message: trouble }) : { status: "ready" };
      },
    });
  }
  route("/metrics", {
    GET: async (_request, reply) =>
      reply.header("content-type", gateway.metrics.contentType).send(await gateway.metrics.text()),
  });
  route("/", {
    GET: (request, reply) => {
      const page = renderPage({
        version,
        url: `${request.protocol}://${request.host}`,
        models: gateway.keyring.open ? gateway.knownModels(null) : [],
        defaultModel: gateway.config.default_model,
        keyed: !gateway.keyring.open,
      });
      return reply.headers(pageHeaders).send(page);
    },
  });
  for (const prefix of apiPrefixes) {
    route(`${prefix}/chat/completions`, { POST: turns.handler("chat") });
    route(`${prefix}/responses`, { POST: turns.handler("responses") });
    route(`${prefix}/models`, { GET: async (request) => listModels(await gateway.models(request.key)) });
    route(`${prefix}/models/*`, {
      GET: async (request) => oneModel(await gateway.models(request.key), (request.params as { "*": string })["*"]),
    });
  }
  return {
    server,
    turns,
    stopAccepting() {
      accepting = false;
    },
  };
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): never {
  reply.header("allow", [...allowed, "OPTIONS"].join(", "));
  throw new TurnError("method_not_allowed", `${request.method} does not work here; use ${allowed.join(" or ")}.`);
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? "";
}

function apiOf(url: string): "chat" | "responses" | "other" {
  if (url.includes("/chat/completions")) return "chat";
  return url.includes("/responses") ? "responses" : "other";
}
