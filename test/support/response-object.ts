import { isObject, type JsonObject, type JsonValue } from "../../src/turn/index.ts";
import { checkResponsesUsage, type Faults, isCount, isFilledString, objectsOf, portableId } from "./folded.ts";

type Rule = (value: JsonValue | undefined) => boolean;

const string: Rule = (value) => typeof value === "string";
const number: Rule = (value) => typeof value === "number";
const boolean: Rule = (value) => typeof value === "boolean";
const list: Rule = (value) => Array.isArray(value);
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null || rule(value);
const withKeys =
  (...keys: string[]): Rule =>
  (value) =>
    isObject(value) && keys.every((key) => key in value);

const statuses = new Set(["queued", "in_progress", "completed", "failed", "incomplete", "cancelled"]);

/** Open Responses wants every key of a response object, always; `instructions` and the numbers are stricter than OpenAI's. */
const keys: Record<string, Rule> = {
  id: isFilledString,
  object: (value) => value === "response",
  created_at: isCount,
  completed_at: orNull(isCount),
  status: (value) => typeof value === "string" && statuses.has(value),
  incomplete_details: orNull((value) => isObject(value) && isFilledString(value.reason)),
  model: isFilledString,
  previous_response_id: orNull(string),
  instructions: orNull(string),
  output: list,
  error: orNull((value) => isObject(value) && isFilledString(value.code) && isFilledString(value.message)),
  tools: (value) => list(value) && objectsOf(value).every(isTool),
  tool_choice: (value) => string(value) || isObject(value),
  truncation: isFilledString,
  parallel_tool_calls: boolean,
  text: (value) => isObject(value) && isObject(value.format) && isFilledString(value.format.type),
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  top_logprobs: isCount,
  temperature: number,
  reasoning: orNull(withKeys("effort", "summary")),
  usage: orNull(isObject),
  max_output_tokens: orNull(isCount),
  max_tool_calls: orNull(isCount),
  store: boolean,
  background: boolean,
  service_tier: isFilledString,
  metadata: isObject,
  safety_identifier: orNull(string),
  prompt_cache_key: orNull(string),
};

function isTool(tool: JsonObject): boolean {
  if (!isFilledString(tool.type)) return false;
  return tool.type !== "function" || withKeys("name", "description", "parameters", "strict")(tool);
}

/** The response object that every lifecycle event and every whole answer carries. */
export function checkResponseObject(response: unknown, where: string, faults: Faults): response is JsonObject {
  if (!isObject(response)) {
    faults.add(`${where}: no response object`);
    return false;
  }
  for (const [key, rule] of Object.entries(keys)) {
    if (!(key in response)) faults.add(`${where}: response lacks ${key}`);
    else
      faults.unless(rule(response[key]), `${where}: response.${key} is ${JSON.stringify(response[key]).slice(0, 60)}`);
  }
  const { status } = response;
  const goesWith = (key: string, wanted: string) =>
    faults.unless((response[key] ?? null) === null || status === wanted, `${where}: ${key} though status is ${status}`);
  goesWith("completed_at", "completed");
  goesWith("incomplete_details", "incomplete");
  goesWith("error", "failed");
  if (status === "completed") faults.unless(response.completed_at !== null, `${where}: completed without completed_at`);
  if (status === "incomplete") {
    faults.unless(isObject(response.incomplete_details), `${where}: incomplete without incomplete_details`);
  }
  if (status === "failed") faults.unless(isObject(response.error), `${where}: failed without error`);
  if (status === "in_progress") faults.unless(response.usage === null, `${where}: usage before the end`);
  else if (isObject(response.usage)) checkResponsesUsage(response.usage, faults);
  return true;
}

/** A finished item of a response's output. */
export function checkItem(item: JsonObject, where: string, faults: Faults): void {
  if (!faults.unless(isFilledString(item.type), `${where}: an item without type`)) return;
  faults.unless(isFilledString(item.id), `${where}: ${item.type} without id`);
  switch (item.type) {
    case "message":
      faults.unless(item.status === "completed" || item.status === "incomplete", `${where}: message without status`);
      faults.unless(item.role === "assistant", `${where}: message without role assistant`);
      faults.unless(
        Array.isArray(item.content) && objectsOf(item.content).every(isOutputPart),
        `${where}: message with a part of unknown form`,
      );
      faults.unless(
        !("phase" in item) || item.phase === "commentary" || item.phase === "final_answer",
        `${where}: message with an unknown phase`,
      );
      break;
    case "function_call":
      faults.unless(item.status === "completed", `${where}: function_call without status completed`);
      checkCall(item, "arguments", where, faults);
      break;
    case "custom_tool_call":
      checkCall(item, "input", where, faults);
      break;
    case "reasoning":
      faults.unless(
        Array.isArray(item.summary) &&
          objectsOf(item.summary).every((part) => part.type === "summary_text" && string(part.text)),
        `${where}: reasoning without a summary list`,
      );
      faults.unless(
        !("encrypted_content" in item) || isFilledString(item.encrypted_content),
        `${where}: reasoning with encrypted_content that is not a string`,
      );
  }
}

function checkCall(item: JsonObject, key: "arguments" | "input", where: string, faults: Faults): void {
  faults.unless(
    typeof item.call_id === "string" && portableId.test(item.call_id),
    `${where}: ${item.type} without a fit call_id`,
  );
  faults.unless(isFilledString(item.name), `${where}: ${item.type} without name`);
  faults.unless(typeof item[key] === "string", `${where}: ${item.type} without ${key}`);
}

function isOutputPart(part: JsonObject): boolean {
  if (part.type === "refusal") return string(part.refusal);
  return part.type === "output_text" && string(part.text) && list(part.annotations);
}

export function isCallItem(item: JsonObject): boolean {
  return item.type === "function_call" || item.type === "custom_tool_call";
}
