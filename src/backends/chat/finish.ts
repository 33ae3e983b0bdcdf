/** What a finish reason means. calls: the model waits for tool outputs. failed: the provider aborted the answer. */
export type StopCause = "stop" | "calls" | "length" | "content_filter" | "failed";

/** Providers add reasons of their own to those of the API. An unknown reason means that the model stopped by itself. */
export function stopCauseOf(reason: string): StopCause {
  return causes.get(reason.toLowerCase()) ?? "stop";
}

const words: Record<Exclude<StopCause, "stop">, readonly string[]> = {
  calls: ["tool_calls", "function_call", "tool_call", "tool_use"],
  length: ["length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"],
  content_filter: ["content_filter", "safety", "recitation", "sensitive", "refusal"],
  failed: [
    ...["error", "failed", "abort", "aborted", "cancelled", "canceled", "timeout", "network_error"],
    ...["insufficient_system_resource", "malformed_function_call"],
  ],
};

const causes = new Map(
  (["calls", "length", "content_filter", "failed"] as const).flatMap((cause) =>
    words[cause].map((word): [string, StopCause] => [word, cause]),
  ),
);
