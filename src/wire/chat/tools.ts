import type { JsonObject, JsonValue, Tool, ToolChoice, ToolName } from "../../turn/index.ts";

/** A tool in the nested shape of Chat Completions; `undefined` for a type that this API does not have. */
export function writeTool(tool: Tool): JsonObject | undefined {
  if (tool.type === "function") {
    const { type, ...definition } = tool;
    return { type, function: { ...definition } };
  }
  if (tool.type === "custom") {
    const { type, ...definition } = tool;
    return { type, custom: { ...definition } };
  }
  return undefined;
}

/**
 * `allowed_tools` becomes a shorter list of tools with a plain choice: few providers know the form itself, all know this one.
 */
export function offeredTools(tools: readonly Tool[], choice: ToolChoice): Tool[] {
  if (choice.mode !== "allowed") return [...tools];
  return tools.filter(
    (tool) =>
      tool.type !== "hosted" &&
      choice.tools.some((allowed) => allowed.kind === tool.type && allowed.name === tool.name),
  );
}

export function writeChoice(choice: ToolChoice): JsonValue | undefined {
  switch (choice.mode) {
    case "auto":
    case "none":
    case "required":
      return choice.mode;
    case "forced":
      return writeToolName(choice.tool);
    case "allowed":
      return choice.required ? "required" : "auto";
    case "hosted":
      return undefined;
  }
}

function writeToolName({ kind, name }: ToolName): JsonObject {
  return kind === "function" ? { type: kind, function: { name } } : { type: kind, custom: { name } };
}
