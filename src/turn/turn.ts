import type { Item } from "./item.ts";
import type { JsonObject } from "./json.ts";
import type { Tool, ToolChoice } from "./tool.ts";

/** The sampling and accounting parameters of both APIs, under one name each. */
export interface Settings {
  temperature?: number | undefined;
  topP?: number | undefined;
  presencePenalty?: number | undefined;
  frequencyPenalty?: number | undefined;
  topLogprobs?: number | undefined;
  maxOutputTokens?: number | undefined;
  stop?: string | string[] | undefined;
  seed?: number | undefined;
  parallelToolCalls?: boolean | undefined;
  effort?: string | undefined;
  reasoningSummary?: string | undefined;
  verbosity?: string | undefined;
  serviceTier?: string | undefined;
  metadata?: JsonObject | undefined;
  user?: string | undefined;
  safetyIdentifier?: string | undefined;
  promptCacheKey?: string | undefined;
}

export type OutputFormat =
  | { type: "text" }
  | { type: "json_object" }
  | {
      type: "json_schema";
      name: string;
      schema?: JsonObject | undefined;
      description?: string | undefined;
      strict?: boolean | undefined;
    };

/** The name of the codec for the client's API. */
export type ClientApi = string;

/** One request to a model, in the common language. */
export interface Turn {
  api: ClientApi;
  /** The model's name as the backend knows it. */
  model: string;
  /** Whether the client wants the answer streamed. */
  stream: boolean;
  instructions?: string | undefined;
  /** The conversation, oldest first. */
  input: Item[];
  /** The request parameter that holds the conversation, for error messages: for example `messages`; `input` by default. */
  inputParam?: string | undefined;
  tools: Tool[];
  choice: ToolChoice;
  settings: Settings;
  format?: OutputFormat | undefined;
  /** State that a Responses provider stores. Only such a backend can continue it. */
  previousResponseId?: string | undefined;
  /** The request's headers that mean something to a provider of the same API. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The request's parameters that the common language cannot express, for a backend of the same API. */
  parameters: JsonObject;
}
