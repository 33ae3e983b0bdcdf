import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway/index.ts";
import { version } from "../gateway/version.ts";
import { TurnError } from "../turn/index.ts";
import type { Codec } from "../wire/index.ts";
import { apiPrefixes, pathOf } from "./api-paths.ts";
import { listModels, oneModel } from "./models.ts";
import { pageHeaders, renderPage } from "./page.ts";
import type { Turns } from "./turns.ts";

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Handlers = Partial<Record<(typeof methods)[number], Handler>>;
/** A hook that may refuse a request before its body is read. */
type AdmissionHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const healthPaths = ["/health", "/healthz", "/livez"];
const readyPaths = ["/ready", "/readyz"];
const openPaths = new Set(["/", ...healthPaths, ...readyPaths]);

/** Whether the path needs no key. These paths reveal only that Toolwire runs. */
export function isOpenPath(url: string): boolean {
  return openPaths.has(pathOf(url));
}

export function addRoutes(server: FastifyInstance, gateway: Gateway, turns: Turns): void {
  for (const path of healthPaths) addRoute(server, path, { GET: () => ({ status: "ok" }) });
  for (const path of readyPaths) addRoute(server, path, { GET: (_request, reply) => sendReadiness(gateway, reply) });
  addRoute(server, "/metrics", {
    GET: async (_request, reply) =>
      reply.header("content-type", gateway.metrics.contentType).send(await gateway.metrics.text()),
  });
  addRoute(server, "/", { GET: (request, reply) => showPage(gateway, request, reply) });
  for (const prefix of apiPrefixes) {
    for (const codec of gateway.codecs) addCodec(server, prefix, codec, turns);
    addRoute(server, `${prefix}/models`, { GET: async ({ key }) => listModels(await gateway.models(key)) });
    addRoute(server, `${prefix}/models/*`, {
      GET: async ({ key, params }) => oneModel(await gateway.models(key), (params as { "*": string })["*"]),
    });
  }
}

function addCodec(server: FastifyInstance, prefix: string, codec: Codec, turns: Turns): void {
  const handler = turns.handler(codec);
  for (const { path, upgrades } of codec.routes) {
    const handlers = upgrades ? { GET: refuseWebSocket, POST: handler } : { POST: handler };
    addRoute(server, `${prefix}${path}`, handlers, turns.admit);
  }
}

/** Methods that a path does not support get an error that lists the supported ones. */
function addRoute(server: FastifyInstance, url: string, handlers: Handlers, admit?: AdmissionHook): void {
  const allowed = methods.filter((method) => handlers[method]);
  for (const method of methods) {
    const handler = handlers[method];
    if (handler) server.route({ method, url, handler, ...(admit && method === "POST" && { onRequest: admit }) });
    else server.route({ method, url, handler: (request, reply) => refuseMethod(request, reply, allowed) });
  }
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): never {
  reply.header("allow", [...allowed, "OPTIONS"].join(", "));
  throw new TurnError("method_not_allowed", `${request.method} does not work here; use ${allowed.join(" or ")}.`);
}

/** At this status Codex falls back to POST; at others it keeps retrying the WebSocket. */
function refuseWebSocket(request: FastifyRequest, reply: FastifyReply): never {
  if (request.headers.upgrade?.toLowerCase() !== "websocket") refuseMethod(request, reply, ["POST"]);
  reply.header("upgrade", "HTTP/1.1");
  throw new TurnError("websocket_unavailable", "There is no WebSocket here yet; send the request by POST.");
}

async function sendReadiness(gateway: Gateway, reply: FastifyReply): Promise<FastifyReply> {
  const { troubles, notes } = await gateway.ready();
  if (troubles.length > 0) return reply.code(503).send({ status: "not ready", message: troubles.join(" ") });
  return reply.send({ status: "ready", ...(notes.length > 0 && { notes }) });
}

function showPage(gateway: Gateway, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { keyring, config } = gateway;
  const page = renderPage({
    version,
    url: `${request.protocol}://${request.host}`,
    models: keyring.open ? gateway.knownModels(null) : [],
    defaultModel: config.default_model,
    keyed: !keyring.open,
  });
  return reply.headers(pageHeaders).send(page);
}
