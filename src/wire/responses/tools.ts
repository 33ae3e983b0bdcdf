import {
  givenBack,
  type JsonObject,
  type JsonValue,
  type Tool,
  type ToolChoice,
  type ToolName,
} from "../../turn/index.ts";

/**
 * The tool types of the Responses API besides functions. A provider refuses a request with a type that it does not know, so any
 * other type is dropped.
 */
const hostedTypes = new Set([
  "apply_patch",
  "code_interpreter",
  "computer",
  "computer_use",
  "computer_use_preview",
  "custom",
  "file_search",
  "image_generation",
  "local_shell",
  "mcp",
  "namespace",
  "programmatic_tool_calling",
  "shell",
  "tool_search",
  "web_search",
  "web_search_2025_08_26",
  "web_search_preview",
  "web_search_preview_2025_03_11",
]);

export function isResponsesTool(tool: Tool): boolean {
  return tool.type !== "hosted" || hostedTypes.has(tool.definition.type);
}

/** A tool in the flat shape of the Responses API, with every key that Open Responses requires. */
export function writeTool(tool: Tool): JsonObject {
  switch (tool.type) {
    case "function": {
      const { type, name, description, parameters, strict, extensions } = tool;
      return {
        ...givenBack(extensions, "responses"),
        type,
        name,
        description: description ?? null,
        parameters: parameters ?? null,
        strict: strict ?? null,
      };
    }
    case "custom": {
      const { extensions, ...definition } = tool;
      return { ...givenBack(extensions, "responses"), ...definition };
    }
    case "hosted":
      return tool.definition;
  }
}

export function writeChoice(choice: ToolChoice): JsonValue {
  switch (choice.mode) {
    case "auto":
    case "none":
    case "required":
      return choice.mode;
    case "forced":
      return writeToolName(choice.tool);
    case "allowed":
      return {
        type: "allowed_tools",
        mode: choice.required ? "required" : "auto",
        tools: [...choice.tools.map(writeToolName), ...choice.others],
      };
    case "hosted":
      return choice.choice;
  }
}

function writeToolName({ kind, name, namespace, extensions }: ToolName): JsonObject {
  return { ...givenBack(extensions, "responses"), type: kind, name, namespace };
}
