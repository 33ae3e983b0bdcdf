import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway/index.ts";
import { createHostCheck, createOrigins, type Key, type KeyRefusal } from "../guard/index.ts";
import { newId, TurnError } from "../turn/index.ts";
import type { ApiPaths } from "./api-paths.ts";
import { rateHeaders } from "./rate-limits.ts";
import { authorityOf } from "./target.ts";

const requestIdForm = /^[\w.:/+=-]{1,128}$/;

/** The client's request id if it is safe to echo, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === "string" && requestIdForm.test(header) ? header : newId("req");
}

/** The CORS headers and the checks of Host header and key. All of it happens before the body is read. */
export class Access {
  readonly #gateway: Gateway;
  readonly #paths: ApiPaths;
  readonly #hosts;
  readonly #origins;

  constructor(gateway: Gateway, paths: ApiPaths) {
    this.#gateway = gateway;
    this.#paths = paths;
    this.#hosts = createHostCheck(gateway.config.hosts);
    this.#origins = createOrigins(gateway.config.cors.origins);
  }

  /** The headers of every answer, also of errors: the request's id, and the CORS headers. */
  answerHeaders(id: string, { origin }: IncomingHttpHeaders): Record<string, string> {
    if (origin === undefined) return { "x-request-id": id };
    if (!this.#origins.allows(origin)) return { "x-request-id": id, vary: "Origin" };
    return {
      "x-request-id": id,
      vary: "Origin",
      "access-control-allow-origin": origin,
      "access-control-expose-headers": exposed,
    };
  }

  /** Answers a CORS preflight, which browsers send without a key. */
  preflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { headers } = request;
    if (headers.origin !== undefined && this.#origins.allows(headers.origin)) {
      reply.header("access-control-allow-methods", "GET, POST, DELETE, OPTIONS");
      reply.header(
        "access-control-allow-headers",
        headers["access-control-request-headers"] ?? "authorization, content-type",
      );
      reply.header("access-control-max-age", "600");
      if (headers["access-control-request-private-network"] === "true") {
        reply.header("access-control-allow-private-network", "true");
      }
    }
    return reply.code(204).send();
  }

  checkHost(request: FastifyRequest): void {
    const authority = authorityOf(request.raw);
    if (this.#hosts.allows(hostsOf(request.raw)) && (authority === null || this.#hosts.allows(authority))) return;
    throw new TurnError(
      "unknown_host",
      "This host name is not one of Toolwire's. Use localhost, or add the name to hosts in the configuration.",
    );
  }

  /** The key of the request; `null` if there are no keys. */
  identify(request: FastifyRequest): Key | null {
    if (this.#gateway.keyring.open) return null;
    const identity = this.#gateway.keyring.identify(this.#presented(request), new Date());
    if (identity.ok) return identity.key;
    if (identity.reason === "unread") throw new TurnError("store_unavailable", unread, { retryAfter: "3" });
    throw new TurnError("invalid_api_key", refusals[identity.reason]);
  }

  /** The key in `authorization`, or in the API's own key header if it has one. */
  #presented({ headers, url }: FastifyRequest): string | undefined {
    if (headers.authorization) return headers.authorization;
    for (const name of this.#paths.codecOf(url)?.keyHeaders ?? []) {
      const key = headers[name];
      if (typeof key === "string" && key !== "") return `Bearer ${key}`;
    }
    return headers.authorization;
  }
}

/** Every Host header: Node exposes only the first of several, and a proxy before us may have checked another one. */
function hostsOf({ rawHeaders }: IncomingMessage): string[] {
  const hosts: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at], rawHeaders[at + 1]];
    if (name?.length === 4 && name.toLowerCase() === "host" && value !== undefined) hosts.push(value);
  }
  return hosts;
}

const exposed = [
  "x-request-id",
  "x-toolwire-dropped-tools",
  "x-toolwire-dropped-input",
  "x-toolwire-ignored-parameters",
  "x-toolwire-store",
  "retry-after",
  ...rateHeaders,
].join(", ");

const unread = "Toolwire cannot read the keys of its store at present. Please try again in 3s.";

const refusals: Record<Exclude<KeyRefusal, "unread">, string> = {
  missing: "A key is needed here: send the header Authorization: Bearer <key>.",
  malformed: "The Authorization header must be: Bearer <key>.",
  unknown: "This key is not known here: it is neither in Toolwire's configuration nor in its store.",
  expired: "This key has expired.",
  revoked: "This key was revoked.",
};
