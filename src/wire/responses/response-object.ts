import type { ErrorBody, Item, JsonObject, TurnEnding, Usage } from "../../turn/index.ts";
import type { ResponsesRequest } from "./decode.ts";
import { writeOutput } from "./output-items.ts";
import { writeChoice, writeTool } from "./tools.ts";

export type ResponseStatus = "in_progress" | "completed" | "incomplete" | "failed";

/** The fields that change while a response grows. */
export interface ResponseState {
  status: ResponseStatus;
  output: readonly JsonObject[];
  usage?: Usage | undefined;
  completedAt?: number;
  incompleteReason?: "max_output_tokens" | "content_filter";
  error?: ErrorBody;
  endTurn?: boolean | undefined;
}

export interface ResponseNames {
  id: string;
  model: string;
  createdAt: number;
}

/** The final state of a response. */
export function endedState(
  ending: TurnEnding,
  items: readonly Item[],
  completedAt: number,
): ResponseState & { status: "completed" | "incomplete" | "failed" } {
  const output = writeOutput(items);
  const { usage } = ending;
  if (ending.type === "turn.failed") return { status: "failed", output, usage, error: ending.error.body };
  const { reason, endTurn } = ending;
  if (reason === "stop") return { status: "completed", output, usage, completedAt, endTurn };
  const incompleteReason = reason === "length" ? "max_output_tokens" : "content_filter";
  return { status: "incomplete", output, usage, incompleteReason };
}

/**
 * Writes the response object with every key that OpenAI and Open Responses know. The part that repeats the request is the same in
 * all events of a stream, so it is serialized once.
 */
export function createResponseWriter(
  request: ResponsesRequest,
  names: ResponseNames,
): (state: ResponseState) => string {
  const fixed = JSON.stringify(fixedPart(request, names)).slice(0, -1);
  return (state) => `${fixed},${JSON.stringify(growingPart(state)).slice(1)}`;
}

function fixedPart({ turn, body }: ResponsesRequest, { id, model, createdAt }: ResponseNames): JsonObject {
  const { settings } = turn;
  return {
    id,
    object: "response",
    created_at: createdAt,
    model,
    access_programs: null,
    background: false,
    conversation: null,
    frequency_penalty: settings.frequencyPenalty ?? 0,
    instructions: repeatable(turn.instructions),
    max_output_tokens: settings.maxOutputTokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: settings.metadata ?? {},
    moderation: null,
    parallel_tool_calls: settings.parallelToolCalls ?? true,
    presence_penalty: settings.presencePenalty ?? 0,
    previous_response_id: body.previous_response_id ?? null,
    prompt: body.prompt ?? null,
    prompt_cache_key: settings.promptCacheKey ?? null,
    prompt_cache_retention: body.prompt_cache_retention ?? null,
    reasoning: { effort: settings.effort ?? null, summary: settings.reasoningSummary ?? null },
    safety_identifier: settings.safetyIdentifier ?? null,
    service_tier: settings.serviceTier ?? "default",
    store: false,
    temperature: settings.temperature ?? 1,
    text: { format: turn.format ? { ...turn.format } : { type: "text" }, verbosity: settings.verbosity },
    tool_choice: writeChoice(turn.choice),
    tools: turn.tools.map(writeTool),
    top_logprobs: settings.topLogprobs ?? 0,
    top_p: settings.topP ?? 1,
    truncation: body.truncation === "auto" ? "auto" : "disabled",
    user: settings.user,
  };
}

/** Characters of the instructions that every response object repeats. To repeat much more would hold the event loop. */
const longestRepeated = 1024 * 1024;

function repeatable(instructions: string | undefined): string | null {
  return instructions === undefined || instructions.length > longestRepeated ? null : instructions;
}

function growingPart(state: ResponseState): JsonObject {
  return {
    status: state.status,
    completed_at: state.completedAt ?? null,
    error: state.error ? { code: state.error.code ?? "server_error", message: state.error.message } : null,
    incomplete_details: state.incompleteReason ? { reason: state.incompleteReason } : null,
    output: [...state.output],
    usage: state.usage ? writeUsage(state.usage) : null,
    end_turn: state.endTurn,
  };
}

function writeUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.totalTokens,
  };
}
