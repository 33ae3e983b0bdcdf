import type { JsonObject, JsonValue } from "./json.ts";

/**
 * The name of a wire format: `chat`, `responses`, or that of another API. Fields and items that the common language cannot express
 * carry the name of their format, and are written back only in that format.
 */
export type WireFormat = string;

export type Role = "system" | "developer" | "user" | "assistant";

/** Fields of one API that the common language cannot express. They are written back only to the same API. */
export interface Extensions {
  format: WireFormat;
  fields: JsonObject;
}

export interface TextPart {
  type: "text";
  text: string;
  /** Citations of an assistant's text, as the Responses API writes them. */
  annotations?: JsonObject[] | undefined;
  /** Log probabilities of the tokens of an assistant's text, as both APIs write them. */
  logprobs?: JsonObject[] | undefined;
  extensions?: Extensions | undefined;
}

export interface RefusalPart {
  type: "refusal";
  refusal: string;
}

/** An image by URL (data: URLs included) or by a file id of the provider. */
export interface ImagePart {
  type: "image";
  url?: string | undefined;
  fileId?: string | undefined;
  detail?: string | undefined;
  extensions?: Extensions | undefined;
}

export interface FilePart {
  type: "file";
  data?: string | undefined;
  url?: string | undefined;
  fileId?: string | undefined;
  name?: string | undefined;
  extensions?: Extensions | undefined;
}

export interface OpaquePart {
  type: "opaque";
  format: WireFormat;
  fields: JsonObject;
}

export type Part = TextPart | RefusalPart | ImagePart | FilePart | OpaquePart;

export interface MessageItem {
  type: "message";
  role: Role;
  content: Part[];
  id?: string | undefined;
  /** The token limit or a content filter cut the message off. */
  isIncomplete?: boolean | undefined;
  /** A call followed the message, so it was not the answer yet. */
  isCommentary?: boolean | undefined;
  /** The message continues the text from before an item in between. In Chat Completions both texts are one message. */
  continues?: boolean | undefined;
  extensions?: Extensions | undefined;
}

/**
 * function: arguments are JSON text. custom: arguments are free text. search: the client searches for tools; arguments are JSON
 * text, and the output is the tools that it found.
 */
export type CallKind = "function" | "custom" | "search";

/** Who runs a call and returns its output. */
export type CallOwner = "client" | "gateway";

export interface CallItem {
  type: "call";
  kind: CallKind;
  /** The client by default. */
  owner?: CallOwner | undefined;
  /** Correlates the call with its output. */
  callId: string;
  name: string;
  /** The tool's namespace, if it has one. */
  namespace?: string | undefined;
  arguments: string;
  /** The item's own id (`fc_…`), if it has one. */
  id?: string | undefined;
  extensions?: Extensions | undefined;
}

export interface OutputItem {
  type: "output";
  kind: CallKind;
  callId: string;
  output: string | Part[];
  /** The tools that a search found, as the client wrote them. */
  tools?: JsonValue[] | undefined;
  id?: string | undefined;
  extensions?: Extensions | undefined;
}

export interface ReasoningItem {
  type: "reasoning";
  /** One string per part. */
  summary: string[];
  id?: string | undefined;
  encrypted?: string | undefined;
  extensions?: Extensions | undefined;
}

/** An item that passes through unread. */
export interface OpaqueItem {
  type: "opaque";
  format: WireFormat;
  fields: JsonObject;
  /** Whether the item is a call of a tool that the provider runs. */
  isToolCall?: boolean | undefined;
  /** The same item in another wire format, if the provider wrote it in that format. */
  extensions?: Extensions | undefined;
}

export type Item = MessageItem | CallItem | OutputItem | ReasoningItem | OpaqueItem;
