import type { Api, Item } from "./item.ts";
import type { JsonObject } from "./json.ts";
import type { Tool, ToolChoice } from "./tool.ts";

/** What both APIs can say about sampling and accounting, under one name each. */
export interface Settings {
  temperature?: number;
  topP?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  topLogprobs?: number;
  maxOutputTokens?: number;
  stop?: string | string[];
  seed?: number;
  parallelToolCalls?: boolean;
  effort?: string;
  reasoningSummary?: string;
  verbosity?: string;
  serviceTier?: string;
  metadata?: JsonObject;
  user?: string;
  safetyIdentifier?: string;
  promptCacheKey?: string;
}

export type OutputFormat =
  | { type: "text" }
  | { type: "json_object" }
  | { type: "json_schema"; name: string; schema?: JsonObject; description?: string; strict?: boolean };

/** One request to a model, in the common language. */
export interface Turn {
  /** The API that the client spoke. */
  api: Api;
  /** The model's name as the backend knows it. */
  model: string;
  /** Whether the client wants the answer as it comes. */
  stream: boolean;
  instructions?: string;
  /** The conversation, oldest first. */
  input: Item[];
  tools: Tool[];
  choice: ToolChoice;
  settings: Settings;
  format?: OutputFormat;
  /** State kept by a Responses provider, which only such a backend can continue. */
  previousResponseId?: string;
  /** The request's parameters that the common language has no word for; for a backend of the same API. */
  parameters: JsonObject;
}
