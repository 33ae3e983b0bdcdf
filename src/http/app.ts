import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from "fastify";
import type { Gateway } from "../gateway/index.ts";
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

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

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
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
  });
  server.removeContentTypeParser("text/plain");
  const access = new Access(gateway);
  const turns = new Turns(gateway, access);
  let accepting = true;

  server.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    access.allowOrigin(request, reply);
    access.checkHost(request);
    if (request.method === "OPTIONS") return access.preflight(request, reply);
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
    const path = request.url.split("?", 1)[0] ?? "";
    throw new TurnError("not_found", `There is nothing at ${request.method} ${path.slice(0, 200)}.`);
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

  const open =
    <Answer>(answer: Answer) =>
    (): Answer =>
      answer;
  for (const path of ["/health", "/healthz", "/livez"]) route(path, { GET: open({ status: "ok" }) });
  for (const path of ["/ready", "/readyz"]) {
    route(path, {
      GET: async (_request, reply) => {
        const trouble = await gateway.ready();
        return trouble ? reply.code(503).send({ status: "not ready", message: trouble }) : { status: "ready" };
      },
    });
  }
  route("/metrics", {
    GET: async (request, reply) => {
      access.identify(request);
      return reply.header("content-type", gateway.metrics.contentType).send(await gateway.metrics.text());
    },
  });
  route("/", {
    GET: (request, reply) => {
      const page = renderPage({
        version,
        url: `${request.protocol}://${request.host}`,
        models: gateway.keyring.open ? gateway.models(null) : [],
        defaultModel: gateway.config.default_model,
        keyed: !gateway.keyring.open,
      });
      return reply.headers(pageHeaders).send(page);
    },
  });
  for (const prefix of apiPrefixes) {
    route(`${prefix}/chat/completions`, { POST: turns.handler("chat") });
    route(`${prefix}/responses`, { POST: turns.handler("responses") });
    route(`${prefix}/models`, { GET: (request) => listModels(gateway.models(access.identify(request))) });
    route(`${prefix}/models/*`, {
      GET: (request) => oneModel(gateway.models(access.identify(request)), (request.params as { "*": string })["*"]),
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

function apiOf(url: string): "chat" | "responses" | "other" {
  if (url.includes("/chat/completions")) return "chat";
  return url.includes("/responses") ? "responses" : "other";
}
