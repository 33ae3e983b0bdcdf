import { checkChoice, readChoice, readFunctionChoice, readFunctions, readTools } from "../../tools/index.ts";
import {
  asObject,
  finished,
  type JsonObject,
  type OutputFormat,
  optionalArray,
  optionalBoolean,
  optionalNumber,
  optionalObject,
  optionalString,
  requiredString,
  type Settings,
  type Steps,
  type Turn,
  TurnError,
  without,
  wrong,
} from "../../turn/index.ts";
import { checkChatBounds } from "../bounds.ts";
import type { ClientRequest, RequestLimits } from "../codec.ts";
import { checkStoredMetadata } from "../metadata.ts";
import { checkToolOutputs } from "../tool-outputs.ts";
import { readMessages } from "./read-messages.ts";

/** A Chat Completions request: the turn, and how the client wants the answer encoded. */
export interface ChatRequest extends ClientRequest {
  turn: Turn;
  /** The client asked for a last chunk with usage. */
  includeUsage: boolean;
  /** The client sent the legacy `functions` and gets a legacy `function_call`. */
  legacy: boolean;
}

/** Parameters that are read into the turn. All others pass through to a chat backend. */
const read = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "n",
  "tools",
  "tool_choice",
  "functions",
  "function_call",
  "parallel_tool_calls",
  "response_format",
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "top_logprobs",
  "stop",
  "seed",
  "reasoning_effort",
  "verbosity",
  "service_tier",
  "metadata",
  "user",
  "safety_identifier",
  "prompt_cache_key",
]);

export function decodeChatRequest(body: JsonObject, limits: RequestLimits): ChatRequest {
  return finished(chatRequestSteps(body, limits));
}

export function* chatRequestSteps(body: JsonObject, { toolOutput }: RequestLimits): Steps<ChatRequest> {
  checkToolOutputs(body, toolOutputs, toolOutput);
  yield;
  checkChatBounds(body);
  yield;
  const messages = optionalArray(body, "messages");
  if (!messages || messages.length === 0) throw wrong("messages", "a list with at least one message", body.messages);
  refuseSeveralChoices(body);
  const stream = optionalBoolean(body, "stream") ?? false;
  const streamOptions = optionalObject(body, "stream_options");
  const keeps = optionalBoolean(body, "store");
  if (keeps) checkStoredMetadata(body.metadata);
  const legacy = isLegacy(body);
  const tools = legacy ? readFunctions(body.functions) : readTools(body.tools, "chat");
  const choice = legacy ? readFunctionChoice(body.function_call) : readChoice(body.tool_choice, "chat");
  checkChoice(choice, tools, legacy ? "function_call" : "tool_choice");
  const { items: input, unmatched } = yield* readMessages(messages);
  return {
    turn: {
      api: "chat",
      model: optionalString(body, "model") ?? "",
      stream,
      input,
      inputParam: "messages",
      tools,
      choice,
      // A legacy answer can hold only one call.
      settings: { ...readSettings(body), ...(legacy && { parallelToolCalls: false }) },
      format: readFormat(body),
      parameters: without(body, read),
    },
    includeUsage: streamOptions ? (optionalBoolean(streamOptions, "include_usage", "stream_options") ?? false) : false,
    legacy,
    keeps,
    references: [],
    unmatched,
    // A legacy answer has no ids that a result could refer to.
    namesCalls: !legacy,
    schemaPath: (tool) => (legacy ? `${tool.replace("tools", "functions")}.parameters` : `${tool}.function.parameters`),
  };
}

const toolOutputs = {
  list: "messages",
  output: "content",
  isOutput: ({ role }: JsonObject) => role === "tool" || role === "function",
};

/** Clients that support both forms send an empty list for the one that they do not use. */
function isLegacy({ functions, tools }: JsonObject): boolean {
  if (functions === undefined || functions === null) return false;
  return Array.isArray(tools) ? tools.length === 0 : !tools;
}

function refuseSeveralChoices(body: JsonObject): void {
  const n = optionalNumber(body, "n") ?? 1;
  if (n === 1) return;
  throw new TurnError(
    "unsupported_value",
    "`n` must be 1: Toolwire gives one answer a request. Send several requests.",
    {
      param: "n",
    },
  );
}

function readSettings(body: JsonObject): Settings {
  return {
    temperature: optionalNumber(body, "temperature"),
    topP: optionalNumber(body, "top_p"),
    presencePenalty: optionalNumber(body, "presence_penalty"),
    frequencyPenalty: optionalNumber(body, "frequency_penalty"),
    topLogprobs: optionalNumber(body, "top_logprobs"),
    maxOutputTokens: optionalNumber(body, "max_completion_tokens") ?? optionalNumber(body, "max_tokens"),
    stop: readStop(body),
    seed: optionalNumber(body, "seed"),
    parallelToolCalls: optionalBoolean(body, "parallel_tool_calls"),
    effort: optionalString(body, "reasoning_effort"),
    verbosity: optionalString(body, "verbosity"),
    serviceTier: optionalString(body, "service_tier"),
    metadata: optionalObject(body, "metadata"),
    user: optionalString(body, "user"),
    safetyIdentifier: optionalString(body, "safety_identifier"),
    promptCacheKey: optionalString(body, "prompt_cache_key"),
  };
}

function readStop(body: JsonObject): string | string[] | undefined {
  const { stop } = body;
  if (stop === undefined || stop === null) return undefined;
  if (typeof stop === "string") return stop;
  if (Array.isArray(stop) && stop.every((word) => typeof word === "string")) return stop;
  throw wrong("stop", "a string or a list of strings", stop);
}

function readFormat(body: JsonObject): OutputFormat | undefined {
  const format = optionalObject(body, "response_format");
  if (!format) return undefined;
  const type = requiredString(format, "type", "response_format");
  if (type === "text" || type === "json_object") return { type };
  if (type !== "json_schema") {
    throw new TurnError(
      "unsupported_value",
      `\`response_format.type\` is "${type}"; it can be text, json_object or json_schema.`,
      { param: "response_format.type" },
    );
  }
  const at = "response_format.json_schema";
  const schema = asObject(format.json_schema, at);
  return {
    type,
    name: requiredString(schema, "name", at),
    schema: optionalObject(schema, "schema", at),
    description: optionalString(schema, "description", at),
    strict: optionalBoolean(schema, "strict", at),
  };
}
