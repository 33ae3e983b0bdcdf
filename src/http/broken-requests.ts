import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyReply } from "fastify";
import { TurnError } from "../turn/index.ts";
import { errorEnvelope, json } from "../wire/index.ts";
import type { ApiPaths } from "./api-paths.ts";
import { sendError } from "./errors.ts";

/**
 * Answers input that Node does not turn into a request, or not into a whole one. HTTP/1.1 answers come in the order of their
 * requests, so a request that is still being answered on the connection gets its answer first, whole.
 */
export class BrokenRequests {
  readonly #paths: ApiPaths;
  /** The last reply of each connection. When it is over, so are all before it. */
  readonly #last = new WeakMap<Duplex, FastifyReply>();
  readonly #broken = new WeakSet<Socket>();

  constructor(paths: ApiPaths) {
    this.#paths = paths;
  }

  /** Every request is reported here before anything else happens to it. */
  begin(reply: FastifyReply): void {
    this.#last.set(reply.request.raw.socket, reply);
  }

  /** Node's `clientError`: the connection's input is not HTTP, or does not come in time. */
  readonly answer = (failure: NodeJS.ErrnoException, socket: Socket): void => {
    if (this.#broken.has(socket)) {
      // Node reports each further piece of the same input. Any other failure means that the client is gone.
      if (!failure.code?.startsWith("HPE_")) socket.destroy();
      return;
    }
    this.#broken.add(socket);
    if (failure.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const error = errorOf(failure);
    const reply = this.#openReply(socket);
    if (reply === undefined) endWith(socket, error);
    else if (reply.request.raw.complete) reply.raw.once("close", () => endWith(socket, error));
    // The request that is broken has an answer already.
    else if (reply.sent) reply.raw.once("close", () => socket.destroySoon());
    else sendError(reply.header("connection", "close"), error, this.#paths.codecOf(reply.request.url));
  };

  /** Node's `connect`: the client takes the gateway for a proxy. */
  refuseConnect(socket: Duplex, headers: Readonly<Record<string, string>>): void {
    socket.on("error", () => socket.destroy());
    // Node no longer writes to this connection, so an answer that is under way cannot be finished.
    if (this.#openReply(socket)) {
      socket.destroy();
      return;
    }
    const error = new TurnError("method_not_allowed", "CONNECT does not work here: Toolwire is not a proxy.");
    endWith(socket, error, { ...headers, allow: "GET, POST, OPTIONS" });
  }

  #openReply(socket: Duplex): FastifyReply | undefined {
    const reply = this.#last.get(socket);
    return reply?.raw.closed === false ? reply : undefined;
  }
}

/** Whether the client expects something that Toolwire does not know. Node knows `100-continue`; HTTP/1.0 has no expectations. */
export function hasUnknownExpectation({ headers: { expect }, httpVersionMinor }: IncomingMessage): boolean {
  return expect !== undefined && httpVersionMinor > 0 && !isContinue(expect);
}

export function isContinue(expectation: string | undefined): boolean {
  return expectation?.toLowerCase() === "100-continue";
}

function errorOf({ code }: NodeJS.ErrnoException): TurnError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new TurnError("headers_too_large", "The request's headers are too large.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new TurnError("request_timeout", "The request did not arrive in time.");
    default:
      return new TurnError("invalid_request", "This is not an HTTP request that can be read.");
  }
}

/** Writes a complete answer, directly on the socket, and closes the connection. */
function endWith(socket: Duplex, error: TurnError, headers: Readonly<Record<string, string>> = {}): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorEnvelope(error.body);
  const fields = {
    ...headers,
    "content-type": json,
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join("")}\r\n${body}`);
  // A client that does not close its connection must not keep it open, nor whatever waits for its end.
  const hangUp = setTimeout(() => socket.destroy(), timeToHangUp);
  socket.once("close", () => clearTimeout(hangUp));
}

const timeToHangUp = 1_000;
