import type { JsonObject, JsonValue } from "./json.ts";

/**
 * The name of a wire format: `chat`, `responses`, or that of another API. Fields and items that the common language has no word for
 * carry the name of theirs, and are given back to the same format only.
 */
export type WireFormat = string;

export type Role = "system" | "developer" | "user" | "assistant";

/** Fields of one API that the common language has no word for; given back to the same API only. */
export interface Extensions {
  format: WireFormat;
  fields: JsonObject;
}

export interface TextPart {
  type: "text";
  text: string;
  /** Citations of an assistant's text, as the Responses API writes them. */
  annotations?: JsonObject[] | undefined;
  /** Of the tokens of an assistant's text, as both APIs write them. */
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
  /** The token limit or a filter has cut it. */
  isIncomplete?: boolean | undefined;
  /** A call followed it: it was not the answer yet. */
  isCommentary?: boolean | undefined;
  /** It goes on with the text that stood before an item in between: to Chat Completions it is one message. */
  continues?: boolean | undefined;
  extensions?: Extensions | undefined;
}

/**
 * function: arguments are JSON text. custom: arguments are free text. search: the client looks for tools, by arguments in JSON text,
 * and its output is what it has found.
 */
export type CallKind = "function" | "custom" | "search";

/** Who runs a call and brings its output. */
export type CallOwner = "client" | "gateway";

export interface CallItem {
  type: "call";
  kind: CallKind;
  /** The client, unless said. */
  owner?: CallOwner | undefined;
  /** Correlates the call with its output. */
  callId: string;
  name: string;
  /** Of the tool, where it stands in one. */
  namespace?: string | undefined;
  arguments: string;
  /** The item's own id (`fc_…`), where it has one. */
  id?: string | undefined;
  extensions?: Extensions | undefined;
}

export interface OutputItem {
  type: "output";
  kind: CallKind;
  callId: string;
  output: string | Part[];
  /** What a search has found, as the client wrote it. */
  tools?: JsonValue[] | undefined;
  id?: string | undefined;
  extensions?: Extensions | undefined;
}

export interface ReasoningItem {
  type: "reasoning";
  /** One string a part. */
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
  /** Whether it is the call of a tool that the provider runs. */
  isToolCall?: boolean | undefined;
  /** The same in the shape of another format, where its provider wrote it so. */
  extensions?: Extensions | undefined;
}

export type Item = MessageItem | CallItem | OutputItem | ReasoningItem | OpaqueItem;
