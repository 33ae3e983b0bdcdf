import type { CallKind, Extensions, WireFormat } from "./item.ts";
import type { JsonObject } from "./json.ts";

export interface FunctionTool {
  type: "function";
  name: string;
  description?: string | undefined;
  /** A JSON Schema; untrusted. */
  parameters?: JsonObject | undefined;
  strict?: boolean | undefined;
  /** The parameter that holds the free text, if the function stands in for a custom tool. */
  freeText?: string | undefined;
  extensions?: Extensions | undefined;
}

/** A tool whose argument is free text, optionally constrained by a grammar. */
export interface CustomTool {
  type: "custom";
  name: string;
  description?: string | undefined;
  /** Flat, as in the Responses API: `{ type: "grammar", syntax, definition }`. */
  format?: JsonObject | undefined;
  extensions?: Extensions | undefined;
}

/** Any other type (web_search, namespace, mcp, …): carried as the client wrote it. */
export interface HostedTool {
  type: "hosted";
  format: WireFormat;
  definition: JsonObject & { type: string };
}

export type Tool = FunctionTool | CustomTool | HostedTool;

/** A tool as `tool_choice` names it. */
export interface ToolName {
  kind: CallKind;
  name: string;
  namespace?: string | undefined;
  extensions?: Extensions | undefined;
}

export type ToolChoice =
  | { mode: "auto" }
  | { mode: "none" }
  | { mode: "required" }
  | { mode: "forced"; tool: ToolName }
  /** `others` are tools of other types, carried as the client wrote them. */
  | { mode: "allowed"; required: boolean; tools: ToolName[]; others: JsonObject[] }
  /** A hosted tool is demanded: carried as the client wrote it. */
  | { mode: "hosted"; format: WireFormat; choice: JsonObject };
