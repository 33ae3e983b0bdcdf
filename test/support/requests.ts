import type { CallKind, JsonObject, JsonValue } from "../../src/turn/index.ts";
import type { Api } from "./api.ts";
import type { Folded } from "./folded.ts";

/** A tool, before it takes the form of either API. */
export interface ToolWish {
  name: string;
  kind?: CallKind;
  description?: string;
  parameters?: JsonObject;
  strict?: boolean;
  /** Of a custom tool. */
  format?: JsonObject;
}

/** A request, before it takes the form of either API. */
export interface TurnWish {
  model: string;
  prompt?: string;
  system?: string;
  tools?: ToolWish[];
  choice?: "auto" | "none" | "required" | { name: string; kind?: CallKind } | { allowed: string[]; required?: boolean };
  parallel?: boolean;
  stream?: boolean;
  /** Chat's `include_usage`; Responses always tells. */
  usage?: boolean;
  /** Messages or items before and after the prompt, in the API's own form; see `followUp`. */
  before?: JsonObject[];
  after?: JsonObject[];
  /** Fields of the API's own. */
  more?: JsonObject;
}

export function requestFor(api: Api, wish: TurnWish): JsonObject {
  const { model, prompt = "What is the weather in Rome?", system, tools = [], choice, parallel, stream, usage } = wish;
  const instruction = system === undefined ? [] : [{ role: "system", content: system }];
  const conversation = [
    ...instruction,
    ...(wish.before ?? []),
    { role: "user", content: prompt },
    ...(wish.after ?? []),
  ];
  return {
    model,
    ...(api === "chat" ? { messages: conversation } : { input: conversation }),
    ...(tools.length > 0 && { tools: tools.map((tool) => writeTool(api, tool)) }),
    ...(choice !== undefined && { tool_choice: writeChoice(api, choice) }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
    ...(stream !== undefined && { stream }),
    ...(api === "chat" && usage && { stream_options: { include_usage: true } }),
    ...wish.more,
  };
}

/** What a client sends after a turn with calls: the turn as it got it, then an output for each call, in order. */
export function followUp(api: Api, turn: Folded & { items: JsonObject[] }, outputs: readonly string[]): JsonObject[] {
  if (api === "responses") {
    const answers = turn.calls.map(({ id, kind }, index) => ({
      type: kind === "custom" ? "custom_tool_call_output" : "function_call_output",
      call_id: id,
      output: outputs[index] ?? "",
    }));
    return [...turn.items, ...answers];
  }
  const calls = turn.calls.map(({ id, name, arguments: text, kind }) =>
    kind === "custom"
      ? { id, type: "custom", custom: { name, input: text } }
      : { id, type: "function", function: { name, arguments: text } },
  );
  return [
    { role: "assistant", content: turn.text || null, ...(calls.length > 0 && { tool_calls: calls }) },
    ...turn.calls.map(({ id }, index) => ({ role: "tool", tool_call_id: id, content: outputs[index] ?? "" })),
  ];
}

function writeTool(api: Api, { kind = "function", ...definition }: ToolWish): JsonObject {
  return api === "chat" ? { type: kind, [kind]: { ...definition } } : { type: kind, ...definition };
}

function writeChoice(api: Api, choice: NonNullable<TurnWish["choice"]>): JsonValue {
  if (typeof choice === "string") return choice;
  if ("name" in choice) return writeName(api, choice.name, choice.kind);
  const allowed = {
    mode: choice.required ? "required" : "auto",
    tools: choice.allowed.map((name) => writeName(api, name)),
  };
  return api === "chat" ? { type: "allowed_tools", allowed_tools: allowed } : { type: "allowed_tools", ...allowed };
}

function writeName(api: Api, name: string, kind: CallKind = "function"): JsonObject {
  return api === "chat" ? { type: kind, [kind]: { name } } : { type: kind, name };
}
