import type { TurnError } from "../turn/index.ts";

/** A short reason for a failed attempt, without a provider's or a model's text: `429 from chutes`. */
export function failureReason(error: TurnError, backend: string): string {
  switch (error.code) {
    case "upstream_rejected":
    case "upstream_rate_limited":
      return `${error.status} from ${backend}`;
    case "upstream_error":
      return `server error from ${backend}`;
    case "upstream_unreachable":
      return unreachable(error.cause, backend);
    case "upstream_timeout":
      return `${backend} timed out`;
    case "upstream_cut":
      return `answer from ${backend} was cut off`;
    case "upstream_invalid":
      return `invalid answer from ${backend}`;
    case "upstream_unavailable":
      return `${backend} is unavailable`;
    case "tool_call_invalid":
      return `no valid tool call from ${backend}`;
    default:
      return error.code.replaceAll("_", " ");
  }
}

function unreachable(cause: unknown, backend: string): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ECONNREFUSED") return `connection refused by ${backend}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `the host of ${backend} was not found`;
  return `no connection to ${backend}`;
}
