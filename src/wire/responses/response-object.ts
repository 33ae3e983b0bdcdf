import type { ErrorBody, Item, JsonObject, KeptAnswer, TurnEnding, Usage } from "../../turn/index.ts";
import type { AnswerOptions } from "../codec.ts";
import type { ResponsesRequest } from "./decode.ts";
import { writeOutput } from "./output-items.ts";
import { writeChoice, writeTool } from "./tools.ts";

export type ResponseStatus = "in_progress" | "completed" | "incomplete" | "failed";

/** The fields that change while a response grows. */
export interface ResponseState {
  status: ResponseStatus;
  output: readonly JsonObject[];
  usage?: Usage | undefined;
  completedAt?: number | undefined;
  incompleteReason?: "max_output_tokens" | "content_filter" | "client_closed";
  error?: ErrorBody;
  endTurn?: boolean | undefined;
}

/** The options of an answer that its object shows. */
export type ResponseOptions = Pick<AnswerOptions, "id" | "model" | "createdAt" | "isKept">;

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

/** The final state as it is stored, without the output. What a client has left is only incomplete. */
function storedState(ending: TurnEnding, completedAt: number): ResponseState {
  if (ending.type === "turn.finished" || ending.error.code !== "client_closed")
    return endedState(ending, [], completedAt);
  return { status: "incomplete", output: [], usage: ending.usage, incompleteReason: "client_closed" };
}

/**
 * Writes the response object with every key that OpenAI and Open Responses know. The part that repeats the request is the same in
 * all events of a stream, so it is serialized once.
 */
export class ResponseWriter {
  /** A JSON object without its last bracket. */
  readonly #fixed: string;
  readonly #metadata: string;
  readonly #isKept: () => boolean;
  /** The time that is stored. It takes a while to store a response, and its client must get the same time. */
  #completedAt: number | undefined;

  constructor(request: ResponsesRequest, options: ResponseOptions) {
    this.#fixed = JSON.stringify(fixedPart(request, options)).slice(0, -1);
    this.#metadata = JSON.stringify(request.turn.settings.metadata ?? {});
    this.#isKept = options.isKept;
  }

  write(state: ResponseState): string {
    const completedAt = state.completedAt && (this.#completedAt ?? state.completedAt);
    const growing = { ...growingPart({ ...state, completedAt }, this.#isKept()), output: state.output };
    return `${this.#fixed},"metadata":${this.#metadata},${JSON.stringify(growing).slice(1)}`;
  }

  /** The object as it is stored: without output and metadata. */
  describe(ending: TurnEnding, completedAt: number): string {
    this.#completedAt = completedAt;
    return `${this.#fixed},${JSON.stringify(growingPart(storedState(ending, completedAt), true)).slice(1)}`;
  }
}

/** A stored response as its client got it. */
export function storedResponse({ body, metadata, output }: KeptAnswer): JsonObject {
  return { ...body, metadata, output: writeOutput(output) };
}

function fixedPart({ turn, body }: ResponsesRequest, { id, model, createdAt }: ResponseOptions): JsonObject {
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

function growingPart(state: ResponseState, isKept: boolean): JsonObject {
  return {
    store: isKept,
    status: state.status,
    completed_at: state.completedAt ?? null,
    error: state.error ? { code: state.error.code ?? "server_error", message: state.error.message } : null,
    incomplete_details: state.incompleteReason ? { reason: state.incompleteReason } : null,
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
