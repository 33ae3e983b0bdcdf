import type { ErrorBody } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import type { FoldedCall } from "../support/folded.ts";
import type { BytesReply, Reply } from "../support/provider.ts";
import type { SocketPiece } from "./socket-provider.ts";

/** One way for a provider to be odd or to fail, and how the turn must then end for every client. */
export interface Fault {
  /** Goes on from "a provider that". */
  name: string;
  /** What it sends as a stream, whether or not one was asked for. */
  stream?: ByApi<Pieces>;
  /** What it sends in one piece, whether or not a stream was asked for. */
  whole?: ByApi<unknown>;
  /** What it answers however it was asked. */
  reply?: ByApi<Reply>;
  /** What it writes to the connection, where it is no server of HTTP or a bad one. */
  socket?: (asked: Asked) => SocketPiece[];
  ends: Ending | ((asked: Asked) => Ending);
  /** What ends the turn, where the provider does not: the backend has this timeout short, and no other. */
  timed?: Timeout | ((asked: Asked) => Timeout);
  /** So many bytes that its cells are better met one after the other. */
  heavy?: boolean;
}

/** The short ones, in milliseconds: long enough for a busy machine to do well in. */
export const timeouts = { first_content: 1_000, idle: 1_000, total: 2_000 };
export type Timeout = keyof typeof timeouts;

export type ByApi<T> = Partial<Record<Api, T>>;
export type Pieces = BytesReply["bytes"];
export type Call = Pick<FoldedCall, "name" | "arguments"> & Partial<Pick<FoldedCall, "id">>;

/** How a provider's answer comes. */
export const forms = ["stream", "whole", "reply", "socket"] as const;
export type Form = (typeof forms)[number];

export interface Asked {
  client: Api;
  backend: Api;
  /** Whether the client asked for a stream; the backend is asked for the same. */
  stream: boolean;
  form: Form;
}

/** What a client has of an answer. */
export interface Content {
  text?: string;
  reasoning?: string;
  calls?: Call[];
}

/** The answer came to an end of its own. */
export interface Answered extends Content {
  ended: "completed" | "length" | "content_filter";
}

/** The turn failed: in the stream where content had been sent, else by an HTTP error. */
export interface Failed {
  /** Of the HTTP error. */
  status: number;
  error?: Partial<Record<keyof ErrorBody, unknown>>;
  /** What a part of the provider's answer was before it failed; its calls may be given, because they are whole. */
  after?: Content;
  retryAfter?: string;
}

/** The contract leaves open which: the answer, or a failure that is not the client's fault. */
export interface Either {
  either: Answered;
}

export type Ending = Answered | Failed | Either;

export function answered(content: Content): Answered {
  return { ended: "completed", ...content };
}

export function limited(content: Content): Answered {
  return { ended: "length", ...content };
}

export function filtered(content: Content): Answered {
  return { ended: "content_filter", ...content };
}

/** The connection or the answer stopped before its end. */
export function cut(after?: Content): Failed {
  return { status: 502, error: { code: "upstream_cut" }, ...(after && { after }) };
}

/** The answer is none of the API's. */
export function unreadable(after?: Content): Failed {
  return { status: 502, error: { code: "upstream_invalid" }, ...(after && { after }) };
}

/** What came cannot be read; whether it was cut or never was an answer is a matter of taste. */
export function nothingCame(after?: Content): Failed {
  return { status: 502, error: { code: oneOf("upstream_cut", "upstream_invalid") }, ...(after && { after }) };
}

export function timedOut(after?: Content): Failed {
  return { status: 504, error: { code: "upstream_timeout" }, ...(after && { after }) };
}

/** The provider said itself that it failed. */
export function reported(words: string, after?: Content): Failed {
  return { status: 502, error: { message: containing(words) }, ...(after && { after }) };
}

/** Matches a string that has the words in it. */
export function containing(words: string): RegExp {
  return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
}

function oneOf(...words: string[]): RegExp {
  return new RegExp(`^(?:${words.join("|")})$`);
}

export function both<T>(make: (api: Api) => T): Record<Api, T> {
  return { chat: make("chat"), responses: make("responses") };
}
