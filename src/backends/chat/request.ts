import { isObject, type JsonObject, type OutputFormat, type Steps, type Turn } from "../../turn/index.ts";
import { messageSteps } from "../../wire/chat/messages.ts";
import { offeredTools, writeChoice, writeTool } from "../../wire/chat/tools.ts";
import type { ProviderQuirks } from "../provider-quirks.ts";
import { orderMessages } from "./message-order.ts";

/** The turn as a Chat Completions request. Keys whose value is `undefined` are not sent. */
export function* chatRequest(turn: Turn, quirks: Pick<ProviderQuirks, "messageOrder">): Steps<JsonObject> {
  const { settings } = turn;
  const messages = yield* messageSteps(turn);
  const tools = offeredTools(turn.tools, turn.choice).map(writeTool).filter(isObject);
  const same = turn.api === "chat";
  return {
    // A chat client's other parameters pass through; a provider would refuse those of another API.
    ...(same && turn.parameters),
    model: turn.model,
    messages: orderMessages(messages, quirks.messageOrder(turn.model), same),
    stream: turn.stream,
    stream_options: turn.stream ? { include_usage: true } : undefined,
    ...(tools.length > 0 && {
      tools,
      tool_choice: turn.choice.mode === "auto" ? undefined : writeChoice(turn.choice),
      parallel_tool_calls: settings.parallelToolCalls,
    }),
    response_format: turn.format && writeFormat(turn.format),
    temperature: settings.temperature,
    top_p: settings.topP,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: settings.frequencyPenalty,
    stop: settings.stop,
    seed: settings.seed,
    user: settings.user,
    // Only a chat client knows whether its provider accepts the effort `none`.
    reasoning_effort: !same && settings.effort === "none" ? undefined : settings.effort,
    top_logprobs: settings.topLogprobs,
    ...(same
      ? {
          verbosity: settings.verbosity,
          service_tier: settings.serviceTier,
          metadata: settings.metadata,
          safety_identifier: settings.safetyIdentifier,
          prompt_cache_key: settings.promptCacheKey,
        }
      : {
          // Every provider knows the older name.
          max_tokens: settings.maxOutputTokens,
          logprobs: settings.topLogprobs ? true : undefined,
        }),
  };
}

function writeFormat(format: OutputFormat): JsonObject {
  if (format.type !== "json_schema") return { type: format.type };
  const { type, ...schema } = format;
  return { type, json_schema: { ...schema } };
}
