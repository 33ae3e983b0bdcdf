import { isTooDeep } from "../tools/index.ts";
import { type BackendFailure, isObject, type JsonObject, type JsonValue, parseJson, TurnError } from "../turn/index.ts";
import { messageOf, pathOf, type Redact, retryAfterOf, typeOf, wordOf } from "./provider-words.ts";
import { statusOf } from "./reported-status.ts";

export type { Redact } from "./provider-words.ts";

/**
 * A provider's HTTP error. An error about the request keeps the provider's status and message; an error about the provider gets
 * ours.
 */
export function errorFromStatus(
  backend: string,
  status: number,
  body: string,
  headers: Record<string, string | string[] | undefined>,
  redact: Redact,
): TurnError {
  if (status < 400) {
    return invalidAnswer(backend, `a redirect (${status}) instead of an answer. Is its base_url right?`, "none");
  }
  const parsed = parseJson(body);
  const error = isTooDeep(parsed) ? undefined : errorInside(parsed);
  return providerError({
    backend,
    status,
    error,
    said: error ? messageOf(error) : plainText(body),
    silent: `The backend "${backend}" answered ${status}.`,
    failed: `The backend "${backend}" failed with status ${status}`,
    retryAfter: retryAfterOf(headers["retry-after"]),
    phase: "refusal",
    redact,
  });
}

/** An error that a provider reports inside its answer, after a successful status. */
export function errorFromAnswer(backend: string, reported: JsonValue | undefined, redact: Redact): TurnError {
  const error = isObject(reported) ? reported : {};
  const said = messageOf(error) ?? (typeof reported === "string" ? reported : undefined);
  return providerError({
    backend,
    status: statusOf(error) ?? 502,
    error,
    said,
    silent: `The backend "${backend}" refused the request and did not say why.`,
    failed: `The backend "${backend}" failed${said ? "" : " and did not say why"}`,
    phase: "answer",
    redact,
  });
}

interface ProviderError {
  backend: string;
  status: number;
  /** The provider's error object, if it sent one. */
  error: JsonObject | undefined;
  said: string | undefined;
  /** The message for a refusal without a reason. */
  silent: string;
  /** The beginning of the message for a failure of the provider. */
  failed: string;
  retryAfter?: string | undefined;
  phase: BackendFailure["phase"];
  redact: Redact;
}

function providerError(reported: ProviderError): TurnError {
  const { backend, status, error, said, silent, failed, retryAfter, phase, redact } = reported;
  const failure = (isTransient: boolean): BackendFailure => ({
    by: "backend",
    phase,
    remedy: isTransient ? "retry" : "none",
    quotes: said !== undefined,
  });
  if (status >= 500) {
    return new TurnError("upstream_error", redact(`${failed}${said ? `: ${said}` : "."}`), {
      status: status === 503 ? 503 : 502,
      retryAfter,
      // A retry does not help if the provider lacks the feature.
      failure: failure(status !== 501 && status !== 505),
    });
  }
  const details = {
    type: typeOf(error?.type, redact),
    param: pathOf(error?.param, redact),
    upstreamCode: codeOf(error, said, redact),
    retryAfter,
  };
  if (status === 429) {
    const limited = said ?? `The backend "${backend}" allows no more requests for now.`;
    // A retry does not help if the quota is used up.
    const isUsedUp = details.upstreamCode === "insufficient_quota" || details.type === "insufficient_quota";
    return new TurnError("upstream_rate_limited", redact(limited), { ...details, failure: failure(!isUsedUp) });
  }
  return new TurnError("upstream_rejected", redact(said ?? silent), {
    ...details,
    status,
    failure: failure(status === 408 || status === 409 || status === 425),
  });
}

/**
 * The provider's code. `context_length_exceeded` is also recognized by the message: many providers omit it, and clients act on it.
 */
function codeOf(error: JsonObject | undefined, said: string | undefined, redact: Redact): string | null | undefined {
  const code = error && wordOf(error.code, redact);
  const isGeneric = code === undefined || code === error?.type || genericCode.test(code);
  if (isGeneric && said !== undefined && tooLong.test(said)) return "context_length_exceeded";
  return error ? (code ?? null) : undefined;
}

/** Codes that say nothing specific. */
const genericCode = /^(?:\d+|(?:invalid|bad)_?(?:request|parameter)(?:_error)?)$/i;
/** How vLLM and most providers, llama.cpp, and Anthropic's models report that a conversation is too long. */
const tooLong = /maximum context length|exceeds the available context size|prompt is too long/i;

/** A connection that could not be established or broke off. */
export function errorFromNetwork(backend: string, error: unknown): TurnError {
  if (error instanceof TurnError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "UND_ERR_CONNECT_TIMEOUT":
      return new TurnError("upstream_timeout", `The backend "${backend}" could not be reached in time.`, {
        failure: { by: "backend", phase: "connection", remedy: "retry" },
        cause: error,
      });
    case "UND_ERR_HEADERS_TIMEOUT":
      return new TurnError("upstream_timeout", `The backend "${backend}" did not answer in time.`, { cause: error });
    case "UND_ERR_BODY_TIMEOUT":
      return new TurnError("upstream_timeout", `The backend "${backend}" fell silent in the middle of its answer.`, {
        cause: error,
      });
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return new TurnError(
        "upstream_unreachable",
        `The backend "${backend}" cannot be reached (${code}). Is its base_url right, and is it running?`,
        { failure: { by: "backend", phase: "connection", remedy: "retry" }, cause: error },
      );
    default:
      if (tlsTrouble.test(code)) {
        return new TurnError(
          "upstream_unreachable",
          `No secure connection to the backend "${backend}" (${code}). Is its base_url right, http or https?`,
          { failure: { by: "backend", phase: "connection", remedy: "none" }, cause: error },
        );
      }
      return new TurnError("upstream_cut", `The connection to the backend "${backend}" broke off.`, {
        failure: { by: "backend", phase: "answer", remedy: "retry" },
        cause: error,
      });
  }
}

/** Node's error codes for failures before a TLS connection is established. */
const tlsTrouble = /^(?:EPROTO|ERR_(?:SSL|TLS)|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

export function cutAnswer(backend: string): TurnError {
  return new TurnError("upstream_cut", `The backend "${backend}" stopped in the middle of its answer.`, {
    failure: { by: "backend", phase: "answer", remedy: "retry" },
  });
}

/** The remedy is `none` for a misconfigured address, because it stays wrong. */
export function invalidAnswer(backend: string, what: string, remedy: BackendFailure["remedy"] = "retry"): TurnError {
  const stop = /[.?]$/.test(what) ? "" : ".";
  return new TurnError("upstream_invalid", `The backend "${backend}" sent ${what}${stop}`, {
    failure: { by: "backend", phase: "answer", remedy },
  });
}

function errorInside(body: JsonValue | undefined): JsonObject | undefined {
  if (Array.isArray(body)) return errorInside(body[0]);
  if (!isObject(body)) return undefined;
  if (isObject(body.error)) return body.error;
  if (typeof body.error === "string") return { message: body.error };
  return body;
}

function plainText(body: string): string | undefined {
  const text = body.trim();
  return text === "" || text.startsWith("<") ? undefined : text;
}
