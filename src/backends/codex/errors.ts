import { isObject, type JsonObject, type JsonValue, parseJson, TurnError } from "../../turn/index.ts";
import type { Redact } from "../provider-words.ts";
import { cutAnswer, errorFromStatus } from "../upstream-errors.ts";
import type { RpcError } from "./protocol.ts";

/** How a turn ended that Codex reports as failed. Some of these are regular endings for a client. */
export type FailedTurn = { reason: "length" | "content_filter" } | { error: TurnError };

/** Reads the error of a failed turn, as Codex reports it: `{ message, codexErrorInfo }`. */
export function readFailure(backend: string, reported: JsonValue | undefined, redact: Redact): FailedTurn {
  const error = isObject(reported) ? reported : {};
  const message = typeof error.message === "string" ? error.message : "";
  const incomplete = /Incomplete response returned, reason: (\w+)/.exec(message)?.[1];
  if (incomplete === "content_filter") return { reason: "content_filter" };
  if (incomplete !== undefined) return { reason: "length" };
  return { error: errorFor(backend, error.codexErrorInfo, message, redact) };
}

function errorFor(backend: string, info: JsonValue | undefined, message: string, redact: Redact): TurnError {
  const [word, details] = infoOf(info);
  const status = statusOf(details) ?? readSaid(message)?.status;
  switch (word) {
    case "contextWindowExceeded":
      return rejected(400, message, redact, "context_length_exceeded");
    case "usageLimitExceeded":
    case "sessionBudgetExceeded":
      return limited(message, redact, "insufficient_quota", "none");
    case "rateLimitExceeded":
      return limited(message, redact, "rate_limit_exceeded", "retry");
    case "serverOverloaded":
    case "flexUnavailable":
    case "policyCapacityUnavailable":
      return failed(backend, message, redact, 503);
    case "internalServerError":
      return failed(backend, message, redact, 502);
    case "unauthorized":
      return rejected(401, message, redact);
    case "modelNotFound":
      return rejected(404, message, redact, "model_not_found");
    case "badRequest":
      return rejected(400, message, redact);
    case "cyberPolicy":
    case "misalignmentPolicyViolation":
      return rejected(400, message, redact, "content_policy_violation");
    case "responseStreamDisconnected":
      return status === undefined ? cutAnswer(backend) : byStatus(backend, status, message, redact);
    case "responseTooManyFailedAttempts":
      // Codex does not pass on the provider's message here.
      return errorFromStatus(backend, status ?? 502, "", {}, redact);
    case "httpConnectionFailed":
    case "responseStreamConnectionFailed":
      return status === undefined ? unreachable(backend) : byStatus(backend, status, message, redact);
  }
  return fromWords(backend, message, status, redact);
}

/** Without an error code from Codex, its message holds what the provider said. */
function fromWords(backend: string, message: string, status: number | undefined, redact: Redact): TurnError {
  const body = parseJson(message);
  if (isObject(body)) return errorFromStatus(backend, status ?? 400, message, {}, redact);
  if (status !== undefined) return byStatus(backend, status, message, redact);
  const cut = /^stream disconnected before completion(?:: (.*))?$/s.exec(message);
  // Codex passes on a plain-text refusal unchanged.
  if (!cut && homeProblem.test(message)) return unusable(backend, message, redact);
  if (!cut) return otherFailure.test(message) ? failed(backend, message, redact, 502) : rejected(400, message, redact);
  const said = cut[1] ?? "";
  const isTransportError =
    /^(?:stream closed|Transport error|network error|idle timeout|error (?:decoding|sending))/i.test(said);
  return said === "" || isTransportError ? cutAnswer(backend) : failed(backend, said, redact, 502);
}

/** Failures that the request did not cause. */
const otherFailure = /^$|discovery failed|timed? ?out|high demand/i;
/** Problems that the operator must fix. */
const homeProblem =
  /environment variable|config(?:uration)?\b|log(?:ged)? ?(?:in|out)|sign(?:ed)? ?(?:in|out)|(?:access|refresh) token/i;

function infoOf(info: JsonValue | undefined): [word: string, details: JsonObject] {
  if (typeof info === "string") return [info, {}];
  const [entry] = isObject(info) ? Object.entries(info) : [];
  return entry ? [entry[0], isObject(entry[1]) ? entry[1] : {}] : ["", {}];
}

function statusOf({ httpStatusCode }: JsonObject): number | undefined {
  return typeof httpStatusCode === "number" ? httpStatusCode : undefined;
}

/** "unexpected status 401 Unauthorized: Incorrect API key provided, url: http://…" */
function readSaid(message: string): { status: number; body: string } | undefined {
  const found = /unexpected status (\d{3})/.exec(message);
  if (found === null) return undefined;
  const colon = message.indexOf(":", found.index);
  if (colon === -1 || message[colon + 1] !== " ") return undefined;
  const url = message.indexOf(", url: ", colon);
  return { status: Number(found[1]), body: message.slice(colon + 2, url === -1 ? undefined : url) };
}

function byStatus(backend: string, status: number, message: string, redact: Redact): TurnError {
  const body = readSaid(message)?.body ?? message;
  return errorFromStatus(backend, status, /^Unknown error$/i.test(body) ? "" : body, {}, redact);
}

function rejected(status: number, message: string, redact: Redact, upstreamCode?: string): TurnError {
  return new TurnError("upstream_rejected", redact(message), {
    status,
    upstreamCode,
    failure: { by: "backend", phase: "answer", remedy: "none", quotes: true },
  });
}

function limited(message: string, redact: Redact, upstreamCode: string, remedy: "none" | "retry"): TurnError {
  return new TurnError("upstream_rate_limited", redact(message), {
    upstreamCode,
    failure: { by: "backend", phase: "answer", remedy, quotes: true },
  });
}

function failed(backend: string, message: string, redact: Redact, status: number): TurnError {
  const why = message === "" ? "." : `: ${message}`;
  return new TurnError("upstream_error", redact(`The backend "${backend}" failed${why}`), {
    status,
    failure: { by: "backend", phase: "answer", remedy: "retry", quotes: message !== "" },
  });
}

function unusable(backend: string, message: string, redact: Redact): TurnError {
  return new TurnError("upstream_unavailable", redact(`The backend "${backend}" cannot be used now: ${message}`));
}

function unreachable(backend: string): TurnError {
  return new TurnError("upstream_unreachable", `Codex, behind the backend "${backend}", cannot reach its provider.`, {
    failure: { by: "backend", phase: "connection", remedy: "retry" },
  });
}

/** Codex answered a request with an error. */
export function errorFromRefusal(backend: string, { method, code, message }: RpcError, redact: Redact): TurnError {
  const said = redact(message.slice(0, 500));
  const isBadRequest = code === invalidRequest || code === invalidParams;
  // A failed `thread/start` is not the client's fault, unless the message names its tools, verbosity or service tier.
  const isHomeProblem = method === "thread/start" && !/dynamic tool|verbosity|service_?tier/i.test(said);
  if (isBadRequest && !isHomeProblem) {
    return new TurnError("upstream_rejected", `The backend "${backend}" refused the request: ${said}`, {
      failure: { by: "backend", phase: "answer", remedy: "none", quotes: true },
    });
  }
  return new TurnError("upstream_unavailable", `The backend "${backend}" cannot be used now: ${said}`, {
    failure: { by: "backend", phase: "connection", remedy: isBadRequest ? "none" : "retry" },
  });
}

const [invalidRequest, invalidParams] = [-32600, -32602];
