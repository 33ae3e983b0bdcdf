import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { TurnError, toTurnError } from "../turn/index.ts";
import { type Codec, errorEnvelope, json } from "../wire/index.ts";

/** Sends an error in the form of the path's API, with the headers that hooks have set. */
export function sendError(reply: FastifyReply, error: TurnError, codec: Codec | undefined): FastifyReply {
  const body = codec ? codec.errorBody(error.body) : errorEnvelope(error.body);
  if (error.retryAfter !== undefined) reply.header("retry-after", error.retryAfter);
  return reply.code(error.status).header("content-type", json).send(body);
}

/** Translates the errors that Fastify raises for bad requests. Any other error is internal. */
export function fromFastify(error: unknown, bodyLimit: number): TurnError {
  if (error instanceof TurnError) return error;
  switch (error instanceof Error && "code" in error ? error.code : undefined) {
    case "FST_ERR_CTP_INVALID_JSON_BODY":
      return new TurnError("invalid_json", "The body is not JSON. Check its quotes, commas and brackets.");
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
      return new TurnError("invalid_json", "The body is empty; it must be a JSON object.");
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new TurnError(
        "body_too_large",
        `The body is larger than ${bodyLimit} bytes. Send less, or raise limits.body in the configuration.`,
      );
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new TurnError(
        "unsupported_media_type",
        "The body must be JSON, with the header content-type: application/json.",
      );
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new TurnError("invalid_request", "The body is not as long as its content-length says.");
    case "FST_ERR_BAD_URL":
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new TurnError("invalid_request", "The request's path cannot be read.");
    case "ECONNRESET":
      return new TurnError("client_closed", "The client left before its request was whole.");
    default:
      if (error instanceof SyntaxError) return new TurnError("invalid_json", "The body is not JSON.");
      return toTurnError(error);
  }
}

/** Answers input that is not valid HTTP with an error body, directly on the socket. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer =
    error.code === "HPE_HEADER_OVERFLOW"
      ? new TurnError("headers_too_large", "The request's headers are too large.")
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? new TurnError("request_timeout", "The request did not arrive in time.")
        : new TurnError("invalid_request", "This is not an HTTP request that can be read.");
  const body = errorEnvelope(answer.body);
  const head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\ncontent-type: ${json}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body);
  // A client that does not close its connection must not keep it open, nor whatever waits for its end.
  const hangUp = setTimeout(() => socket.destroy(), timeToHangUp);
  socket.once("close", () => clearTimeout(hangUp));
}

const timeToHangUp = 1_000;
