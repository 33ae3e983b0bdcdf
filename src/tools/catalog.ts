import {
  asObject,
  type FunctionTool,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPath,
  optionalBoolean,
  optionalObject,
  optionalString,
  requiredString,
  type Tool,
  TurnError,
  unread,
  type WireFormat,
  wrong,
} from "../turn/index.ts";

/**
 * Reads the client's `tools`, flat (Responses) or nested under the type's name (Chat). Both APIs accept both shapes, because
 * clients that migrate mix them.
 */
export function readTools(value: JsonValue | undefined, format: WireFormat, at = "tools"): Tool[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong(at, "a list of tools", value);
  return value.map((tool, index) => readTool(tool, format, joinPath(at, index)));
}

/** The legacy `functions` of Chat: function tools without the outer object. */
export function readFunctions(value: JsonValue | undefined, at = "functions"): Tool[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong(at, "a list of functions", value);
  return value.map((entry, index) => readFunction(asObject(entry, joinPath(at, index)), "chat", joinPath(at, index)));
}

/** A tool's label in headers and logs: its name, or its type if it has no name. */
export function toolLabel(tool: Tool): string {
  if (tool.type !== "hosted") return tool.type === "custom" ? `custom:${tool.name}` : tool.name;
  const { type, name } = tool.definition;
  return typeof name === "string" ? `${type}:${name}` : type;
}

function readTool(value: JsonValue, format: WireFormat, at: string): Tool {
  const tool = asObject(value, at);
  const type = requiredString(tool, "type", at);
  if (type === "function") return readFunction(inside(tool, "function"), format, pathInside(tool, "function", at));
  if (type === "custom") {
    const custom = inside(tool, "custom");
    const path = pathInside(tool, "custom", at);
    return {
      type: "custom",
      name: readName(custom, path),
      description: optionalString(custom, "description", path),
      format: flatFormat(optionalObject(custom, "format", path)),
      extensions: unread(custom, readOfCustom, format),
    };
  }
  return { type: "hosted", format, definition: { ...tool, type } };
}

function readFunction(tool: JsonObject, format: WireFormat, at: string): FunctionTool {
  return {
    type: "function",
    name: readName(tool, at),
    description: optionalString(tool, "description", at),
    parameters: optionalObject(tool, "parameters", at),
    strict: optionalBoolean(tool, "strict", at),
    extensions: unread(tool, readOfFunction, format),
  };
}

function readName(tool: JsonObject, at: string): string {
  const name = requiredString(tool, "name", at);
  if (name === "" || name.length > 256) {
    throw new TurnError("invalid_request", `\`${joinPath(at, "name")}\` must have 1 to 256 characters.`, {
      param: joinPath(at, "name"),
    });
  }
  return name;
}

const readOfFunction = new Set(["type", "name", "description", "parameters", "strict"]);
const readOfCustom = new Set(["type", "name", "description", "format"]);

/** Chat nests a grammar under its type, Responses does not. */
function flatFormat(format: JsonObject | undefined): JsonObject | undefined {
  return isObject(format?.grammar) ? { type: "grammar", ...format.grammar } : format;
}

function inside(tool: JsonObject, key: string): JsonObject {
  const nested = tool[key];
  return isObject(nested) ? nested : tool;
}

function pathInside(tool: JsonObject, key: string, at: string): string {
  return isObject(tool[key]) ? joinPath(at, key) : at;
}
