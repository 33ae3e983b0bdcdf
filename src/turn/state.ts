import type { Item } from "./item.ts";
import type { JsonObject } from "./json.ts";
import type { Memory } from "./memory.ts";
import type { ClientApi } from "./turn.ts";

/** completed: the model ended by itself. incomplete: a limit or the client ended the answer. failed: an error ended it. */
export type KeptStatus = "completed" | "incomplete" | "failed";

/** A turn to store, with what its client sent and got. */
export interface KeptTurn {
  owner: string;
  /** The id of the answer, as the client knows it. */
  id: string;
  api: ClientApi;
  /** The public name of the model. */
  model: string;
  status: KeptStatus;
  /** When the request came in, in milliseconds since 1970. */
  createdAt: number;
  /** What the request added to the conversation. */
  input: readonly Item[];
  /** The answer of all rounds, in the model's order. */
  output: readonly Item[];
  /** The answer's object in its API, as JSON text, without what `output` and `metadata` hold. */
  body: string;
  metadata?: JsonObject | undefined;
  /** The client uses the legacy `function_call`. */
  legacy?: boolean | undefined;
  /** The stored answer that this one continues. */
  previous?: string | undefined;
  /** The client's name of the conversation that the turn belongs to. */
  conversation?: string | undefined;
  /** Whether the conversation begins anew with this turn. The answers before it can still be continued by their ids. */
  restarts?: boolean | undefined;
  /** State at a provider from which the conversation continues. */
  base?: UpstreamBase | undefined;
  /** How to recognize a request that repeats the last turn of its conversation, which then replaces that turn. */
  repeat?: RepeatMark | undefined;
}

/** A response that only its provider has. */
export interface UpstreamBase {
  backend: string;
  responseId: string;
}

export interface RepeatMark {
  /** A digest of the idempotency key, or of the text of the request. */
  digest: string;
  /**
   * For how long after a completed turn was requested another request with the same digest repeats it, in milliseconds; `null`:
   * always. A turn that was not completed is repeated whenever the digest is the same.
   */
  within: number | null;
}

/** Names parts of what is stored. */
export interface ContextQuery {
  /** An answer: its context is everything that its model was given, and its output. */
  previous?: string | undefined;
  /** A conversation by the client's name for it. */
  conversation?: string | undefined;
  /** If the last turn of the conversation has this mark, it is left out: the request repeats it. */
  repeat?: RepeatMark | undefined;
  /** When the request came in, in milliseconds since 1970; now by default. */
  at?: number | undefined;
  /** Single items by their ids. */
  items?: readonly string[] | undefined;
  /** The most characters that may be read. */
  limit: number;
}

export interface Context {
  /** Oldest first; `undefined` if the owner has no such answer. A conversation that does not exist yet is empty. */
  history: Item[] | undefined;
  base?: UpstreamBase | undefined;
  /** The items that were found, by id. */
  items: ReadonlyMap<string, Item>;
  /** Which of the ids that were asked for the history has. It does not show them: the items of clients have no ids there. */
  inHistory: ReadonlySet<string>;
  /** Characters that were read, or would have been. */
  size: number;
  /** Whether more than `limit` characters are stored. Then nothing was read. */
  isTooLarge: boolean;
}

/** A stored answer. */
export interface KeptAnswer {
  id: string;
  model: string;
  status: KeptStatus;
  /** In milliseconds since 1970. */
  createdAt: number;
  body: JsonObject;
  metadata: JsonObject;
  output: Item[];
  legacy: boolean;
  /** Characters that were read. */
  size: number;
}

/** Messages of what a model was given: from a position on, in one direction. Without a position they begin at the end that comes first. */
export interface InputRange {
  direction: "up" | "down";
  from?: number | undefined;
  /** About as many messages are read. */
  count: number;
}

/** A part of what a model was given. */
export interface InputWindow {
  /** Oldest first. All that overlap the range, unless they are very large; then at least the first one in its direction. */
  sections: InputSection[];
  /** The messages in all sections, from a position up to another, and how many the model was given. */
  start: number;
  end: number;
  length: number;
  /** The client uses the legacy `function_call`. */
  legacy: boolean;
  /** Characters that were read. */
  size: number;
}

/** Messages that are shown together: calls with the outputs that follow them, and an answer for which the gateway ran tools. */
export interface InputSection {
  /** The position of its first message, and its length in messages. */
  position: number;
  length: number;
  /** Every item has an id. */
  items: Item[];
}

/** The messages that have an item with some id. */
export interface InputPlaces {
  first: number;
  last: number;
}

export interface AnswerListQuery {
  limit: number;
  order: "asc" | "desc";
  /** The id of an answer: the list begins behind it. */
  after?: string | undefined;
  model?: string | undefined;
  /** Every pair must be part of an answer's metadata. */
  metadata?: Readonly<Record<string, string>> | undefined;
}

export interface AnswerList {
  answers: KeptAnswer[];
  hasMore: boolean;
}

/** The stored answers of clients. Every method finds only what belongs to the owner. */
export interface AnswerStore {
  answer(owner: string, api: ClientApi, id: string): Promise<KeptAnswer | undefined>;
  /** What the model was given for an answer. */
  inputOf(owner: string, api: ClientApi, id: string, range: InputRange): Promise<InputWindow | undefined>;
  /** Where the model was given an item. Clients choose ids, so it may be several times. */
  placesOf(owner: string, api: ClientApi, id: string, item: string): Promise<InputPlaces | undefined>;
  /** By the time of creation. `undefined` if `after` names no answer of the owner. */
  list(owner: string, api: ClientApi, query: AnswerListQuery): Promise<AnswerList | undefined>;
  setMetadata(owner: string, api: ClientApi, id: string, metadata: JsonObject): Promise<KeptAnswer | undefined>;
  /** Returns whether there was such an answer. What later answers continue from stays, but no request finds it by id any more. */
  remove(owner: string, api: ClientApi, id: string): Promise<boolean>;
}

/** What outlives a turn. A promise of a write resolves when every gateway of the same store can read it. */
export interface StateStore extends Memory, AnswerStore {
  /**
   * Returns false if the turn was not stored: another request has repeated it, or what it continues was deleted meanwhile. A turn that
   * is stored already is not stored again.
   */
  keep(turn: KeptTurn): Promise<boolean>;
  context(owner: string, query: ContextQuery): Promise<Context>;
}
