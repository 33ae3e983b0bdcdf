import { type JsonObject, parseJson } from "../../src/turn/index.ts";
import type { Faults } from "./folded.ts";
import type { OpenItem } from "./open-item.ts";

export interface CallRules {
  extended: boolean;
  rawArguments: boolean;
}

export const callEvents = new Set([
  "response.function_call_arguments.delta",
  "response.function_call_arguments.done",
  "response.custom_tool_call_input.delta",
  "response.custom_tool_call_input.done",
]);

export const extendedCallEvents = new Set([
  "response.output_tool_call.begin",
  "response.output_tool_call.delta",
  "response.output_tool_call.end",
]);

const argumentsKeys: Record<string, "arguments" | "input"> = { function_call: "arguments", custom_tool_call: "input" };

export function readCallEvent(type: string, event: JsonObject, item: OpenItem, rules: CallRules, faults: Faults): void {
  const wanted = type.startsWith("response.function_call_arguments.") ? "function_call" : "custom_tool_call";
  if (!faults.unless(item.type === wanted, `${type}: the open item is a ${item.type}`)) return;
  const key = argumentsKeys[wanted] ?? "arguments";
  if (key === "arguments") faults.unless(!("call_id" in event), `${type}: call_id at the top level`);
  faults.unless(item.argumentsDone === null, `${type}: the ${key} are already done`);
  if (type.endsWith(".delta")) {
    if (faults.unless(typeof event.delta === "string", `${type}: delta is not a string`)) item.arguments += event.delta;
    return;
  }
  const value = event[key];
  if (typeof value !== "string") {
    faults.add(`${type}: ${key} is not a string`);
    return;
  }
  item.argumentsDone = value;
  faults.unless(isSame(item, item.arguments, value), `${type}: ${key} are not what the deltas said`);
  if (key === "input") return;
  faults.unless(event.name === item.added.name, `${type}: name is not the call's`);
  if (!rules.rawArguments) faults.unless(parseJson(value) !== undefined, `${type}: arguments are not whole JSON`);
}

export function readExtendedCallEvent(
  type: string,
  event: JsonObject,
  item: OpenItem,
  previous: string | null,
  faults: Faults,
): void {
  if (!faults.unless(item.type in argumentsKeys, `${type}: the open item is a ${item.type}`)) return;
  const { extended } = item;
  if (type.endsWith(".begin")) {
    faults.unless(previous === "response.output_item.added", `${type}: not right after output_item.added`);
    const same = event.call_id === item.added.call_id && event.name === item.added.name;
    faults.unless(same, `${type}: call_id or name is not the call's`);
    extended.begun = true;
    return;
  }
  faults.unless(extended.begun, `${type}: the call was not begun`);
  faults.unless(!extended.ended, `${type}: the call was already ended`);
  if (type.endsWith(".delta")) {
    if (faults.unless(typeof event.delta === "string", `${type}: delta is not a string`))
      extended.deltas += event.delta;
    return;
  }
  extended.ended = true;
  const value = event.arguments ?? event.input;
  const same = typeof value === "string" && isSame(item, extended.deltas, value) && event.name === item.added.name;
  faults.unless(same, `${type}: arguments or name are not what was streamed`);
}

/** What must be true of a call when its item is done. */
export function checkFinishedCall(open: OpenItem, item: JsonObject, rules: CallRules, faults: Faults): void {
  const key = argumentsKeys[open.type] ?? "arguments";
  const { argumentsDone, extended } = open;
  if (argumentsDone === null) {
    faults.add(`output_item.done: the call's ${key} are not done`);
    return;
  }
  faults.unless(item[key] === argumentsDone, `output_item.done: ${key} are not those of the done event`);
  if (!rules.extended || key === "input") return;
  if (!faults.unless(extended.begun && extended.ended, "output_item.done: no output_tool_call begin and end")) return;
  faults.unless(
    isSame(open, extended.deltas, argumentsDone),
    "output_item.done: output_tool_call.delta differs from the arguments",
  );
}

/** Nothing was streamed for a tool that takes nothing: the done event may still say `{}`. */
function isSame(item: OpenItem, deltas: string, value: string): boolean {
  return deltas === value || (item.type === "function_call" && deltas === "" && value === "{}");
}
