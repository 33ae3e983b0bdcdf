import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway/index.ts";
import { version } from "../gateway/version.ts";
import { TurnError } from "../turn/index.ts";
import type { Codec } from "../wire/index.ts";
import { apiPrefixes, pathOf } from "./api-paths.ts";
import { isContinue } from "./broken-requests.ts";
import { listModels, oneModel } from "./models.ts";
import { pageHeaders, renderPage } from "./page.ts";
import { ignoreBody, resourceHandler } from "./resources.ts";
import type { Turns } from "./turns.ts";

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;
type Method = "GET" | "POST" | "DELETE";
/** A hook that runs before the body is read. It may refuse the request. */
type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const healthPaths = ["/health", "/healthz", "/livez"];
const readyPaths = ["/ready", "/readyz"];
const openPaths = new Set(["/", ...healthPaths, ...readyPaths]);

/** Whether the path needs no key. These paths reveal only that Toolwire runs. */
export function isOpenPath(url: string): boolean {
  return openPaths.has(pathOf(url));
}

/** Throws the error of a request that has no route: another method is right, or nothing is at its path. */
export type Refusal = (request: FastifyRequest, reply: FastifyReply) => never;

export function addRoutes(server: FastifyInstance, gateway: Gateway, turns: Turns): Refusal {
  const routes = new Routes(server);
  for (const path of healthPaths) routes.add("GET", path, () => ({ status: "ok" }));
  for (const path of readyPaths) routes.add("GET", path, (_request, reply) => sendReadiness(gateway, reply));
  routes.add("GET", "/metrics", async (_request, reply) =>
    reply.header("content-type", gateway.metrics.contentType).send(await gateway.metrics.text()),
  );
  routes.add("GET", "/", (request, reply) => showPage(gateway, request, reply));
  for (const prefix of apiPrefixes) {
    for (const codec of gateway.codecs) addCodec(routes, prefix, codec, gateway, turns);
    routes.add("GET", `${prefix}/models`, async ({ key }) => listModels(await gateway.models(key)));
    routes.add("GET", `${prefix}/models/*`, async ({ key, params }) =>
      oneModel(await gateway.models(key), (params as { "*": string })["*"]),
    );
  }
  server.setNotFoundHandler(routes.refuse);
  return routes.refuse;
}

function addCodec(routes: Routes, prefix: string, codec: Codec, gateway: Gateway, turns: Turns): void {
  const handler = turns.handler(codec);
  for (const { path, upgrades } of codec.routes) {
    routes.add("POST", prefix + path, handler, turns.admit);
    if (upgrades) routes.addRefusal(prefix + path, refuseWebSocket);
  }
  for (const resource of codec.resources ?? []) {
    routes.add(resource.method, prefix + resource.path, resourceHandler(gateway, resource));
  }
}

/** Adds the routes, and knows the methods of each path: every other method gets an error that lists them. */
class Routes {
  readonly #server: FastifyInstance;
  readonly #allowed = new Map<string, Method[]>();

  constructor(server: FastifyInstance) {
    this.#server = server;
  }

  add(method: Method, url: string, handler: Handler, admit?: Hook): void {
    this.#server.route({ method, url, handler, onRequest: [...(admit ? [admit] : []), ...hooks[method]] });
    const others = this.#allowed.get(url) ?? [];
    this.#allowed.set(
      url,
      methods.filter((each) => each === method || others.includes(each)),
    );
  }

  /** A handler of GET that refuses every request in its own words. */
  addRefusal(url: string, handler: Handler): void {
    this.#server.route({ method: "GET", url, handler });
  }

  readonly refuse: Refusal = (request, reply) => {
    const path = pathOf(request.url);
    const allowed = this.#methodsAt(decodeURI(path));
    if (allowed) refuseMethod(request, reply, allowed);
    throw new TurnError("not_found", `There is nothing at ${request.method} ${path.slice(0, 200)}.`);
  };

  #methodsAt(path: string): readonly Method[] | undefined {
    const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const direct = this.#allowed.get(plain);
    if (direct) return direct;
    for (const [url, allowed] of this.#allowed) if (isAt(url, plain)) return allowed;
    return undefined;
  }
}

const methods: readonly Method[] = ["GET", "POST", "DELETE"];

/** Nothing but a POST is asked for its body. */
const hooks: Record<Method, readonly Hook[]> = { GET: [], POST: [askForBody], DELETE: [ignoreBody] };

/** Whether a path is one of those that the URL of a route stands for: it may have parameters, or end with `*`. */
function isAt(url: string, path: string): boolean {
  if (url.endsWith("*")) return path.startsWith(url.slice(0, -1));
  if (!url.includes(":")) return false;
  const [expected, found] = [url.split("/"), path.split("/", mostSegments)];
  const fits = (segment: string, at: number) => (segment.startsWith(":") ? found[at] !== "" : segment === found[at]);
  return expected.length === found.length && expected.every(fits);
}

/** More segments than any route has. A client may send any number of them. */
const mostSegments = 16;

/** A client that expects `100-continue` sends its body only after this. A body that is too large is not asked for. */
async function askForBody({ headers, routeOptions }: FastifyRequest, { raw }: FastifyReply): Promise<void> {
  if (!isContinue(headers.expect) || raw.req.httpVersionMinor === 0) return;
  if (Number(headers["content-length"] ?? 0) <= routeOptions.bodyLimit) raw.writeContinue();
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply, allowed: readonly Method[]): never {
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
