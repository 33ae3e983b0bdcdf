import { bringsTools, checkChoice, readChoice, readTools } from "../../tools/index.ts";
import {
  entriesOfStep,
  finished,
  type Item,
  type JsonObject,
  type JsonValue,
  joinPath,
  type OutputFormat,
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
import { checkReferences, checkResponsesBounds } from "../bounds.ts";
import type { ClientRequest, ContinuedState, RequestLimits } from "../codec.ts";
import { checkStoredMetadata } from "../metadata.ts";
import { checkToolOutputs } from "../tool-outputs.ts";
import { readItem } from "./items.ts";

/** A Responses request: the turn, and the request body, which the response object repeats. */
export interface ResponsesRequest extends ClientRequest {
  turn: Turn;
  body: JsonObject;
}

/** Parameters that are read into the turn. All others pass through to a Responses backend. */
const read = new Set([
  "model",
  "input",
  "instructions",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "text",
  "reasoning",
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "top_logprobs",
  "max_output_tokens",
  "service_tier",
  "metadata",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "previous_response_id",
  // Not passed on: a turn runs while its client waits.
  "background",
]);

export function decodeResponsesRequest(body: JsonObject, limits: RequestLimits): ResponsesRequest {
  return finished(responsesRequestSteps(body, limits));
}

export function* responsesRequestSteps(body: JsonObject, { toolOutput }: RequestLimits): Steps<ResponsesRequest> {
  checkToolOutputs(body, toolOutputs, toolOutput);
  yield;
  checkResponsesBounds(body);
  yield;
  const tools = readTools(body.tools, "responses");
  const choice = readChoice(body.tool_choice, "responses");
  const input = yield* readInput(body);
  // The input may define the chosen tool.
  if (!input.some(bringsTools)) checkChoice(choice, tools);
  const keeps = optionalBoolean(body, "store") ?? true;
  if (keeps) checkStoredMetadata(body.metadata);
  optionalNumber(body, "max_tool_calls");
  optionalObject(body, "prompt");
  optionalString(body, "prompt_cache_retention");
  const previous = optionalString(body, "previous_response_id");
  const text = optionalObject(body, "text");
  const reasoning = optionalObject(body, "reasoning");
  return {
    turn: {
      api: "responses",
      model: optionalString(body, "model") ?? "",
      stream: optionalBoolean(body, "stream") ?? false,
      instructions: optionalString(body, "instructions"),
      input,
      inputParam: "input",
      tools,
      choice,
      settings: readSettings(body, text, reasoning),
      format: text && readFormat(text),
      previousResponseId: previous,
      parameters: {
        ...without(body, read),
        // Fields that the two APIs do not share.
        ...extra("text", text, readOfText),
        ...extra("reasoning", reasoning, readOfReasoning),
      },
    },
    body,
    keeps,
    continues: continuedState(body),
    references: yield* referencesOf(input),
    namesCalls: true,
    schemaPath: (tool) => `${tool}.parameters`,
  };
}

const toolOutputs = {
  list: "input",
  output: "output",
  // Includes outputs of tools that only some backends have, for example `shell_call_output`. An `mcp_call` holds its own output.
  isOutput: ({ type }: JsonObject) =>
    typeof type === "string" && (type.endsWith("_call_output") || type === "mcp_call"),
};

function continuedState(body: JsonObject): ContinuedState | undefined {
  const { previous_response_id: previous } = body;
  const responseId = typeof previous === "string" ? previous : undefined;
  const param = ["previous_response_id", "conversation", "prompt"].find((name) => (body[name] ?? null) !== null);
  return param === undefined ? undefined : { param, responseId };
}

function* referencesOf(input: readonly Item[]): Steps<string[]> {
  const ids: string[] = [];
  for (const [index, item] of input.entries()) {
    if (item.type === "opaque" && item.fields.type === "item_reference")
      ids.push(requiredString(item.fields, "id", joinPath("input", index)));
    if (index % manyItems === manyItems - 1) yield;
  }
  checkReferences(ids, "input");
  return ids;
}

/** A look at an item costs little. */
const manyItems = 16 * entriesOfStep;

function* readInput(body: JsonObject): Steps<Item[]> {
  const { input } = body;
  if (typeof input === "string") return [{ type: "message", role: "user", content: [{ type: "text", text: input }] }];
  if (Array.isArray(input)) return yield* readItems(input);
  const continues = body.previous_response_id ?? body.conversation ?? body.prompt;
  if ((input === undefined || input === null) && continues !== undefined && continues !== null) return [];
  throw wrong("input", "a string or a list of items", input);
}

function* readItems(input: readonly JsonValue[]): Steps<Item[]> {
  const items: Item[] = [];
  for (const [index, item] of input.entries()) {
    items.push(readItem(item, joinPath("input", index)));
    if (index % entriesOfStep === entriesOfStep - 1) yield;
  }
  return items;
}

const readOfText = new Set(["format", "verbosity"]);
const readOfReasoning = new Set(["effort", "summary"]);

function extra(key: string, value: JsonObject | undefined, readKeys: ReadonlySet<string>): JsonObject | undefined {
  const rest = value && without(value, readKeys);
  return rest && Object.keys(rest).length > 0 ? { [key]: rest } : undefined;
}

function readSettings(body: JsonObject, text: JsonObject | undefined, reasoning: JsonObject | undefined): Settings {
  return {
    temperature: optionalNumber(body, "temperature"),
    topP: optionalNumber(body, "top_p"),
    presencePenalty: optionalNumber(body, "presence_penalty"),
    frequencyPenalty: optionalNumber(body, "frequency_penalty"),
    topLogprobs: optionalNumber(body, "top_logprobs"),
    maxOutputTokens: optionalNumber(body, "max_output_tokens"),
    parallelToolCalls: optionalBoolean(body, "parallel_tool_calls"),
    effort: reasoning && optionalString(reasoning, "effort", "reasoning"),
    reasoningSummary: reasoning && optionalString(reasoning, "summary", "reasoning"),
    verbosity: text && optionalString(text, "verbosity", "text"),
    serviceTier: optionalString(body, "service_tier"),
    metadata: optionalObject(body, "metadata"),
    user: optionalString(body, "user"),
    safetyIdentifier: optionalString(body, "safety_identifier"),
    promptCacheKey: optionalString(body, "prompt_cache_key"),
  };
}

function readFormat(text: JsonObject): OutputFormat | undefined {
  const format = optionalObject(text, "format", "text");
  if (!format) return undefined;
  const at = "text.format";
  const type = requiredString(format, "type", at);
  if (type === "text" || type === "json_object") return { type };
  if (type !== "json_schema") {
    throw new TurnError(
      "unsupported_value",
      `\`text.format.type\` is "${type}"; it can be text, json_object or json_schema.`,
      { param: "text.format.type" },
    );
  }
  return {
    type,
    name: requiredString(format, "name", at),
    schema: optionalObject(format, "schema", at),
    description: optionalString(format, "description", at),
    strict: optionalBoolean(format, "strict", at),
  };
}
