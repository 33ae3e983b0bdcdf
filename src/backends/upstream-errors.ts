import { isObject, type JsonObject, type JsonValue, parseJson, TurnError } from "../turn/index.ts";

/** Takes keys and addresses out of a provider's words before a client sees them. */
export type Redact = (text: string) => string;

/** A provider's HTTP error: its own status and message where they are about the request, ours where they are about the provider. */
export function errorFromStatus(
  backend: string,
  status: number,
  body: string,
  headers: Record<string, string | string[] | undefined>,
  redact: Redact,
): TurnError {
  const inside = errorInside(parseJson(body));
  const said = inside ? messageOf(inside) : plainText(body);
  const retryAfter = headers["retry-after"];
  const details = {
    type: stringOf(inside?.type),
    param: stringOf(inside?.param),
    upstreamCode: inside ? (stringOf(inside.code) ?? null) : undefined,
    ...(typeof retryAfter === "string" && { retryAfter }),
  };
  if (status === 429) {
    return new TurnError(
      "upstream_rate_limited",
      redact(said ?? `The backend "${backend}" allows no more requests for now.`),
      { ...details, again: true },
    );
  }
  if (status >= 400 && status < 500) {
    return new TurnError("upstream_rejected", redact(said ?? `The backend "${backend}" answered ${status}.`), {
      ...details,
      status,
      again: status === 408 || status === 409 || status === 425,
    });
  }
  const what = said ? `: ${said}` : ".";
  return new TurnError("upstream_error", redact(`The backend "${backend}" failed with status ${status}${what}`), {
    status: status === 503 ? 503 : 502,
    // A feature that is not there will not be there in a second.
    again: status !== 501 && status !== 505,
    ...(typeof retryAfter === "string" && { retryAfter }),
  });
}

/** An error that a provider reports inside its answer. */
export function errorFromAnswer(backend: string, error: JsonValue | undefined, redact: Redact): TurnError {
  const inside = isObject(error) ? error : {};
  const said = messageOf(inside) ?? (typeof error === "string" ? error : "it did not say why.");
  const code = stringOf(inside.code);
  const limited = code?.includes("rate_limit") || inside.code === 429;
  const message = redact(`The backend "${backend}" failed: ${said}`);
  return new TurnError(limited ? "upstream_rate_limited" : "upstream_error", message, {
    upstreamCode: code,
    again: !isAboutTheRequest(inside),
  });
}

function isAboutTheRequest({ type, code }: JsonObject): boolean {
  return /invalid_request|context_length|content_policy/.test(`${String(type)} ${String(code)}`);
}

/** A connection that could not be made or did not last. */
export function errorFromNetwork(backend: string, error: unknown): TurnError {
  if (error instanceof TurnError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "UND_ERR_CONNECT_TIMEOUT":
      return new TurnError("upstream_timeout", `The backend "${backend}" could not be reached in time.`, {
        again: true,
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
        { again: true, cause: error },
      );
    default:
      if (tlsTrouble.test(code)) {
        return new TurnError(
          "upstream_unreachable",
          `No secure connection to the backend "${backend}" (${code}). Is its base_url right, http or https?`,
          { cause: error },
        );
      }
      return new TurnError("upstream_cut", `The connection to the backend "${backend}" broke off.`, {
        again: true,
        cause: error,
      });
  }
}

/** How Node names what goes wrong before a secure connection stands. */
const tlsTrouble = /^(?:EPROTO|ERR_(?:SSL|TLS)|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

export function cutAnswer(backend: string): TurnError {
  return new TurnError("upstream_cut", `The backend "${backend}" stopped in the middle of its answer.`, {
    again: true,
  });
}

export function invalidAnswer(backend: string, what: string, again = true): TurnError {
  const stop = /[.?]$/.test(what) ? "" : ".";
  return new TurnError("upstream_invalid", `The backend "${backend}" sent ${what}${stop}`, { again });
}

function errorInside(body: JsonValue | undefined): JsonObject | undefined {
  if (Array.isArray(body)) return errorInside(body[0]);
  if (!isObject(body)) return undefined;
  if (isObject(body.error)) return body.error;
  if (typeof body.error === "string") return { message: body.error };
  return body;
}

/** Providers put their sentence under several names, or a list of what is wrong. */
function messageOf(error: JsonObject): string | undefined {
  const said = stringOf(error.message) ?? stringOf(error.detail) ?? stringOf(error.msg);
  return said ?? (error.detail ? JSON.stringify(error.detail) : undefined);
}

function plainText(body: string): string | undefined {
  const text = body.trim();
  return text === "" || text.startsWith("<") ? undefined : text;
}

function stringOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
