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
export function fromFastify(error: unknown): TurnError {
  if (error instanceof TurnError) return error;
  switch (error instanceof Error && "code" in error ? error.code : undefined) {
    case "FST_ERR_CTP_INVALID_JSON_BODY":
      return brokenBody();
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
      return new TurnError("invalid_json", "The body is empty; it must be a JSON object.");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new TurnError(
        "unsupported_media_type",
        "The body must be JSON, with the header content-type: application/json.",
      );
    case "FST_ERR_BAD_URL":
    case "FST_ERR_MAX_PARAM_LENGTH":
      return unreadablePath();
    case "ECONNRESET":
      return new TurnError("client_closed", "The client left before its request was whole.");
    default:
      if (error instanceof SyntaxError) return new TurnError("invalid_json", "The body is not JSON.");
      return toTurnError(error);
  }
}

export function brokenBody(): TurnError {
  return new TurnError("invalid_json", "The body is not JSON. Check its quotes, commas and brackets.");
}

export function bodyTooLarge(limit: number): TurnError {
  return new TurnError(
    "body_too_large",
    `The body is larger than ${limit} bytes. Send less, or raise limits.body in the configuration.`,
  );
}

export function wrongLength(): TurnError {
  return new TurnError("invalid_request", "The body is not as long as its content-length says.");
}

export function unreadablePath(): TurnError {
  return new TurnError("invalid_request", "The request's path cannot be read.");
}
