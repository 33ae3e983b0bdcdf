import { FunctionAdapter, readChoice, readTools } from "../../src/tools/index.ts";
import type { CallItem, Item, JsonObject, JsonValue, OutputItem, Tool, Turn } from "../../src/turn/index.ts";
import { readItem } from "../../src/wire/responses/items.ts";

/** As a Responses client writes it. */
export interface Wish {
  tools?: JsonObject[];
  input?: JsonObject[];
  choice?: JsonValue;
}

export const functionsOnly = (tool: Tool) => tool.type === "function";
export const everything = () => true;

export function turnOf({ tools = [], input = [], choice = "auto" }: Wish): Turn {
  return {
    api: "responses",
    model: "any",
    stream: false,
    input: input.map((item, index) => readItem(item, `input[${index}]`)),
    tools: readTools(tools, "responses"),
    choice: readChoice(choice, "responses"),
    settings: {},
    parameters: {},
  };
}

export function formOf(wish: Wish, carries: (tool: Tool) => boolean = functionsOnly): FunctionAdapter {
  return new FunctionAdapter(turnOf(wish), carries);
}

export function namesOf({ turn }: FunctionAdapter): string[] {
  return turn.tools.map((tool) => (tool.type === "hosted" ? tool.definition.type : tool.name));
}

/** The function of this name, as the backend gets it. */
export function offered({ turn }: FunctionAdapter, name: string): Tool & { type: "function" } {
  const tool = turn.tools.find((each) => each.type === "function" && each.name === name);
  if (tool?.type !== "function") throw new Error(`There is no function ${name}.`);
  return tool;
}

export function plain(name: string, more: JsonObject = {}): JsonObject {
  return { type: "function", name, ...more };
}

export function custom(name: string, more: JsonObject = {}): JsonObject {
  return { type: "custom", name, ...more };
}

export function namespace(name: string, tools: (string | JsonObject)[], more: JsonObject = {}): JsonObject {
  return {
    type: "namespace",
    name,
    tools: tools.map((tool) => (typeof tool === "string" ? plain(tool) : tool)),
    ...more,
  };
}

export const search: JsonObject = { type: "tool_search", execution: "client" };
export const later = { defer_loading: true };

export function called(name: string, within?: string, kind: "function" | "custom" = "function"): JsonObject {
  const inside =
    kind === "custom" ? { type: "custom_tool_call", input: "text" } : { type: "function_call", arguments: "{}" };
  return { ...inside, call_id: `call_${within ?? ""}_${name}`, name, namespace: within };
}

export function found(...tools: JsonObject[]): JsonObject {
  return { type: "tool_search_output", call_id: "call_search", execution: "client", tools };
}

/** The calls and outputs of a conversation as the backend is told them. */
export function told(form: FunctionAdapter, input: Item[] = form.turn.input): (CallItem | OutputItem)[] {
  return form.history(input).filter((item) => item.type === "call" || item.type === "output");
}

export function toldNames(form: FunctionAdapter): string[] {
  return told(form).flatMap((item) => (item.type === "call" ? [item.name] : []));
}

export const legalName = /^[A-Za-z0-9_-]{1,64}$/;
