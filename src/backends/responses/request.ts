import {
  entriesOfStep,
  isObject,
  type JsonObject,
  type OutputFormat,
  type Steps,
  type Turn,
} from "../../turn/index.ts";
import { writeItem } from "../../wire/responses/items.ts";
import { writeChoice, writeTool } from "../../wire/responses/tools.ts";

/** The turn as a Responses request. Keys whose value is `undefined` are not sent. */
export function* responsesRequest(turn: Turn): Steps<JsonObject> {
  const { settings } = turn;
  const same = turn.api === "responses";
  const input = yield* inputOf(turn);
  const tools = turn.tools.map((tool) => withStrict(writeTool(tool), same));
  return {
    // A Responses client's other parameters pass through; a provider would refuse those of another API.
    ...(same ? turn.parameters : extraOfChat(turn)),
    model: turn.model,
    instructions: turn.instructions,
    input,
    stream: turn.stream,
    tools: tools.length > 0 ? tools : undefined,
    // A Responses client may have tools elsewhere, in a prompt or in its input, to which these apply.
    ...((same || tools.length > 0) && {
      tool_choice: turn.choice.mode === "auto" ? undefined : writeChoice(turn.choice),
      parallel_tool_calls: settings.parallelToolCalls,
    }),
    text: merge(same ? turn.parameters.text : undefined, {
      format: turn.format && writeFormat(turn.format),
      verbosity: settings.verbosity,
    }),
    reasoning: merge(same ? turn.parameters.reasoning : undefined, {
      effort: settings.effort,
      summary: settings.reasoningSummary,
    }),
    temperature: settings.temperature,
    top_p: settings.topP,
    top_logprobs: settings.topLogprobs,
    max_output_tokens: settings.maxOutputTokens,
    service_tier: settings.serviceTier,
    metadata: settings.metadata,
    user: settings.user,
    safety_identifier: settings.safetyIdentifier,
    prompt_cache_key: settings.promptCacheKey,
    previous_response_id: turn.previousResponseId,
    ...(same && { presence_penalty: settings.presencePenalty, frequency_penalty: settings.frequencyPenalty }),
  };
}

function* inputOf(turn: Turn): Steps<JsonObject[]> {
  const written: JsonObject[] = [];
  for (const [at, item] of turn.input.entries()) {
    const own = writeItem(item);
    if (own) written.push(own);
    if (at % entriesOfStep === entriesOfStep - 1) yield;
  }
  return written;
}

/** The provider need not store a chat client's turn, because the client cannot refer to it later. */
function extraOfChat(turn: Turn): JsonObject {
  return { store: false, include: turn.parameters.logprobs === true ? ["message.output_text.logprobs"] : undefined };
}

/** A missing `strict` means false for a chat client; a Responses client leaves it to the provider. */
function withStrict(tool: JsonObject, same: boolean): JsonObject {
  if (tool.type !== "function" || typeof tool.strict === "boolean") return tool;
  return { ...tool, strict: same ? undefined : false };
}

function writeFormat(format: OutputFormat): JsonObject {
  return { ...format };
}

/** `undefined` if no field is set. */
function merge(extra: JsonObject[string], fields: JsonObject): JsonObject | undefined {
  const merged: JsonObject = isObject(extra) ? { ...extra } : {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) merged[key] = value;
  return Object.keys(merged).length > 0 ? merged : undefined;
}
