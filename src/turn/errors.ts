/**
 * Every error that a client can see: its code, HTTP status and type. `docs/errors.md` lists the same codes with what to do. The
 * code that raises an error writes its message, which says what happened and what a person can do about it.
 */
const catalogue = {
  invalid_json: { status: 400, type: "invalid_request_error" },
  invalid_request: { status: 400, type: "invalid_request_error" },
  missing_required_parameter: { status: 400, type: "invalid_request_error" },
  unsupported_value: { status: 400, type: "invalid_request_error" },
  string_above_max_length: { status: 400, type: "invalid_request_error" },
  array_above_max_length: { status: 400, type: "invalid_request_error" },
  object_above_max_properties: { status: 400, type: "invalid_request_error" },
  tool_output_too_large: { status: 400, type: "invalid_request_error" },
  context_too_large: { status: 400, type: "invalid_request_error" },
  previous_response_not_found: { status: 400, type: "invalid_request_error" },
  item_not_found: { status: 400, type: "invalid_request_error" },
  invalid_api_key: { status: 401, type: "authentication_error" },
  model_not_allowed: { status: 403, type: "permission_error" },
  model_not_found: { status: 404, type: "invalid_request_error" },
  not_found: { status: 404, type: "invalid_request_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  request_timeout: { status: 408, type: "invalid_request_error" },
  body_too_large: { status: 413, type: "invalid_request_error" },
  unsupported_media_type: { status: 415, type: "invalid_request_error" },
  expectation_failed: { status: 417, type: "invalid_request_error" },
  unknown_host: { status: 421, type: "invalid_request_error" },
  websocket_unavailable: { status: 426, type: "invalid_request_error" },
  rate_limit_exceeded: { status: 429, type: "rate_limit_error" },
  headers_too_large: { status: 431, type: "invalid_request_error" },
  client_closed: { status: 499, type: "invalid_request_error" },
  internal_error: { status: 500, type: "server_error" },
  upstream_rejected: { status: 400, type: "invalid_request_error" },
  upstream_rate_limited: { status: 429, type: "rate_limit_error" },
  upstream_error: { status: 502, type: "server_error" },
  upstream_unreachable: { status: 502, type: "server_error" },
  upstream_invalid: { status: 502, type: "server_error" },
  upstream_cut: { status: 502, type: "server_error" },
  tool_call_invalid: { status: 502, type: "server_error" },
  upstream_unavailable: { status: 503, type: "server_error" },
  shutting_down: { status: 503, type: "server_error" },
  store_unavailable: { status: 503, type: "server_error" },
  overloaded: { status: 503, type: "server_error" },
  upstream_timeout: { status: 504, type: "server_error" },
} as const satisfies Record<string, { status: number; type: string }>;

export type ErrorCode = keyof typeof catalogue;

export const errorCodes = Object.keys(catalogue) as ErrorCode[];

export function errorEntry(code: ErrorCode): { status: number; type: string } {
  return catalogue[code];
}

/** The `error` object of an error body. Clients require all four keys. */
export interface ErrorBody {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

export interface ErrorDetails {
  /** The request's field at fault, as a path, for example `input[2].content[0].type`. */
  param?: string | undefined;
  /** The provider's own status, type and code, which a client may know. */
  status?: number | undefined;
  type?: string | undefined;
  upstreamCode?: string | null | undefined;
  /** The value of the `retry-after` header: seconds or a date. */
  retryAfter?: string | undefined;
  /** By default the code determines who failed, and there is no remedy. */
  failure?: Failure | undefined;
  cause?: unknown;
}

/** Who failed, and what can be done about it. */
export type Failure =
  /** The request or Toolwire itself. Toolwire wrote the message, and the same request fails again. */
  | { by: "gateway" }
  /** The message may quote the model. */
  | { by: "model" }
  | BackendFailure;

export interface BackendFailure {
  by: "backend";
  /**
   * connection: the backend could not be reached. refusal: it sent an error instead of an answer. answer: its answer is late or
   * broken.
   */
  phase: "connection" | "refusal" | "answer";
  /** retry: the same request may succeed. rewrite: the backend would now send the same turn in another form. */
  remedy: "none" | "retry" | "rewrite";
  /** Whether the message quotes the provider, which may quote what a person wrote. */
  quotes?: boolean;
}

/** An error with everything that an OpenAI client reads from one. */
export class TurnError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly body: ErrorBody;
  readonly retryAfter: string | undefined;
  readonly failure: Failure;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "TurnError";
    const entry = catalogue[code];
    this.code = code;
    this.status = details.status ?? entry.status;
    this.retryAfter = details.retryAfter;
    this.failure = details.failure ?? usualFailure(code);
    this.body = {
      message,
      type: details.type ?? entry.type,
      param: details.param ?? null,
      code: details.upstreamCode === undefined ? code : details.upstreamCode,
    };
  }
}

function usualFailure(code: ErrorCode): Failure {
  return code.startsWith("upstream_") ? { by: "backend", phase: "answer", remedy: "none" } : { by: "gateway" };
}

/** Whether the same request may succeed if it is sent again. */
export function mayRetry({ failure }: TurnError): boolean {
  return failure.by === "backend" && failure.remedy === "retry";
}

/** Whether the backend has learnt from the refusal and would now send the same turn in another form. */
export function wantsRewrite({ failure }: TurnError): boolean {
  return failure.by === "backend" && failure.remedy === "rewrite";
}

/** Whether the backend sent this error instead of an answer. */
export function isRefusal({ failure }: TurnError): boolean {
  return failure.by === "backend" && failure.phase === "refusal";
}

/** Whether the message may quote a provider or a model, which may quote what a person wrote. */
export function quotesOthers({ failure }: TurnError): boolean {
  return failure.by === "model" || (failure.by === "backend" && failure.quotes === true);
}

/**
 * Converts anything that was thrown into an error that a client may see. The message of an unexpected error reveals no internals.
 */
export function toTurnError(thrown: unknown): TurnError {
  if (thrown instanceof TurnError) return thrown;
  return new TurnError(
    "internal_error",
    "Toolwire failed on this request; its log has the cause under this request's id.",
    { cause: thrown },
  );
}
