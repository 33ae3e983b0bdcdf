import {
  givenBack,
  type JsonObject,
  type JsonValue,
  type Tool,
  type ToolChoice,
  type ToolName,
} from "../../turn/index.ts";

/** A tool in the nested shape of Chat Completions; `undefined` for a type that this API does not have. */
export function writeTool(tool: Tool): JsonObject | undefined {
  if (tool.type === "hosted") return undefined;
  const { type, name, description } = tool;
  const extra = { ...givenBack(tool.extensions, "chat"), name, description };
  if (tool.type === "custom") return { type, custom: { ...extra, format: nestedFormat(tool.format) } };
  return { type, function: { ...extra, parameters: tool.parameters, strict: tool.strict } };
}

/** Chat nests a grammar under its type, Responses does not. */
function nestedFormat(format: JsonObject | undefined): JsonObject | undefined {
  if (format?.type !== "grammar") return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

/** `allowed_tools` becomes a shorter list of tools with a plain choice, because few providers support `allowed_tools` itself. */
export function offeredTools(tools: readonly Tool[], choice: ToolChoice): Tool[] {
  if (choice.mode !== "allowed") return [...tools];
  const allowed = new Set(choice.tools.map(({ kind, name }) => `${kind} ${name}`));
  return tools.filter((tool) => tool.type !== "hosted" && allowed.has(`${tool.type} ${tool.name}`));
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
