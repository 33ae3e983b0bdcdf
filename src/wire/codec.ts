import type {
  AnswerIdForm,
  AnswerView,
  ClientApi,
  Encoder,
  ErrorBody,
  FrameSink,
  JsonObject,
  Steps,
  Turn,
} from "../turn/index.ts";

/**
 * One client API: its routes, how its requests are decoded, and how its answers and errors are encoded. All codecs are in one
 * registry; code outside a codec does not ask which API it is.
 */
export interface Codec<Request extends ClientRequest = ClientRequest> {
  readonly name: ClientApi;
  readonly routes: readonly CodecRoute[];
  /** Headers other than `authorization` that may hold the client's key, in lower case. */
  readonly keyHeaders?: readonly string[];
  /** Whether a provider of the same API uses this request header; `name` is in lower case. */
  isProviderHeader?(name: string): boolean;
  readonly answerId: AnswerIdForm;
  /** Throws a `TurnError` that says what is wrong with the request. */
  decode(body: JsonObject, limits: RequestLimits): Request;
  /** The same in steps. An API whose requests may be long needs it, so that a long one does not hold up others. */
  decodeSteps?(body: JsonObject, limits: RequestLimits): Steps<Request>;
  createEncoder(request: Request, options: AnswerOptions): Encoder;
  /** The error body on every path of this API. */
  errorBody(error: ErrorBody): string;
}

/** A path to which clients post turns, under each prefix that the gateway serves. */
export interface CodecRoute {
  path: string;
  /** Whether clients try to open a WebSocket here. They get a 426, because there is none yet. */
  upgrades?: boolean;
}

export interface RequestLimits {
  /** Bytes of text in one tool output. */
  toolOutput: number;
}

/** A decoded request: the turn, and what else the gateway must know. */
export interface ClientRequest {
  readonly turn: Turn;
  /** State that a provider stores and this request continues. */
  readonly continues?: ContinuedState | undefined;
  /** Whether a later request can refer to the calls of the answer by id. */
  readonly namesCalls: boolean;
  /** The path of a tool's schema in the request; `tool` is the path of the tool. */
  schemaPath(tool: string): string;
}

export interface ContinuedState {
  /** The path in the request that refers to the state. */
  param: string;
  /** A whole conversation, or one item of it. */
  kind: "conversation" | "item";
  /** The id of the previous response, as the client sent it. */
  responseId?: string | undefined;
}

/** How to encode one answer. */
export interface AnswerOptions {
  /** The answer's id, as the client sees it. */
  id: string;
  sink: FrameSink;
  answer: AnswerView;
  /** The model's name as the client knows it. */
  model: string;
  /** When the request came in. Seconds since 1970, as in the public APIs. */
  createdAt: number;
  /** In the same unit. */
  now: () => number;
  /** Which set of stream events to emit, if the API has several. */
  profile: "openai" | "extended";
}
