import type { JsonObject, JsonValue, KeptAnswer, OutputFormat, Turn, TurnEnding } from "../../turn/index.ts";
import { weightOf } from "../../turn/index.ts";
import type { AnswerOptions } from "../codec.ts";
import { finishReason, writeUsage } from "./answer.ts";
import { AnswerMessage } from "./answer-message.ts";
import type { ChatRequest } from "./decode.ts";
import { writeChoice, writeTool } from "./tools.ts";

/**
 * The completion as it is stored: without message and metadata, but with the request's parameters, which this API shows only in a
 * stored completion. `hasCalls`: whether the client got a call.
 */
export function describeCompletion(
  { turn, legacy }: ChatRequest,
  { id, model, createdAt: created }: Pick<AnswerOptions, "id" | "model" | "createdAt">,
  ending: TurnEnding,
  hasCalls: boolean,
): string {
  const hasFailed = ending.type === "turn.failed";
  return JSON.stringify({
    id,
    object: "chat.completion",
    created,
    model,
    ...parametersOf(turn),
    usage: ending.usage ? writeUsage(ending.usage) : null,
    finish_reason: hasFailed ? null : finishReason(ending.reason, hasCalls, legacy),
    // The client ended the turn itself.
    error: hasFailed && ending.error.code !== "client_closed" ? ending.error.body : undefined,
  });
}

/** A stored completion with the keys of OpenAI's. */
export function storedCompletion({ body, metadata, output, legacy }: KeptAnswer): JsonObject {
  const { finish_reason: finish, ...rest } = body;
  const choice = new AnswerMessage(output).choice(legacy, finish ?? null, { tool_calls: null, function_call: null });
  return { ...rest, request_id: null, metadata, choices: [choice] };
}

function parametersOf({ settings, tools, choice, format }: Turn): JsonObject {
  const written = tools.map(writeTool).filter((tool) => tool !== undefined);
  return {
    temperature: settings.temperature ?? 1,
    top_p: settings.topP ?? 1,
    presence_penalty: settings.presencePenalty ?? 0,
    frequency_penalty: settings.frequencyPenalty ?? 0,
    seed: settings.seed ?? null,
    service_tier: settings.serviceTier ?? "default",
    system_fingerprint: null,
    input_user: settings.user ?? null,
    tools: written.length > 0 ? repeatable(written) : null,
    tool_choice: written.length > 0 ? repeatable(writeChoice(choice) ?? null) : null,
    response_format: format ? repeatable(writeFormat(format)) : null,
  };
}

/** Characters of a parameter that a stored completion repeats. To write much more would hold the event loop. */
const longestRepeated = 1024 * 1024;

function repeatable(value: JsonValue): JsonValue {
  return weightOf(value, longestRepeated) > longestRepeated ? null : value;
}

function writeFormat(format: OutputFormat): JsonObject {
  if (format.type !== "json_schema") return { type: format.type };
  const { type, ...schema } = format;
  return { type, json_schema: schema };
}
