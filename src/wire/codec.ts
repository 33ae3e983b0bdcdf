import type {
  AnswerIdForm,
  AnswerView,
  ClientApi,
  Encoder,
  ErrorBody,
  FrameSink,
  JsonObject,
  Turn,
} from "../turn/index.ts";

/**
 * One API that clients speak: where it is found, how its requests are read and how its answers and errors are written. All codecs
 * stand in one registry; nothing outside a codec asks which API it is.
 */
export interface Codec<Request extends ClientRequest = ClientRequest> {
  readonly name: ClientApi;
  readonly routes: readonly CodecRoute[];
  /** Headers that may hold the client's key, beside `authorization`. In lower case. */
  readonly keyHeaders?: readonly string[];
  /** Whether a header of the request, in lower case, means something to a provider of the same API. */
  isProviderHeader?(name: string): boolean;
  readonly answerId: AnswerIdForm;
  /** Throws a `TurnError` that says what is wrong with the request. */
  decode(body: JsonObject, limits: RequestLimits): Request;
  createEncoder(request: Request, options: AnswerOptions): Encoder;
  /** The body of an error, on every path of this API. */
  errorBody(error: ErrorBody): string;
}

/** A path that a client posts its turns to, under each of the prefixes that the gateway serves. */
export interface CodecRoute {
  path: string;
  /** Whether clients may ask for a WebSocket here. */
  upgrades?: boolean;
}

export interface RequestLimits {
  /** Bytes of text in one tool output. */
  toolOutput: number;
}

/** A request that was read: the turn, and what the gateway must know of it beside the turn. */
export interface ClientRequest {
  readonly turn: Turn;
  /** State that somebody else keeps and that the request goes on from. */
  readonly continues?: ContinuedState | undefined;
  /** Whether a later request can name the calls of the answer by ids. */
  readonly namesCalls: boolean;
  /** Where in the request the schema of a tool stands; `tool` is where the tool does. */
  schemaPath(tool: string): string;
}

export interface ContinuedState {
  /** Where the request names it. */
  param: string;
  /** A whole conversation, or one item of it. */
  kind: "conversation" | "item";
  /** The id of the response before, as the client has it. */
  responseId?: string | undefined;
}

/** How one answer is to be written. */
export interface AnswerOptions {
  /** The answer's id, as the client sees it. */
  id: string;
  sink: FrameSink;
  answer: AnswerView;
  /** The model's name as the client knows it. */
  model: string;
  /** Seconds since 1970, as the public APIs count. */
  now: () => number;
  /** Which events a stream has, where the API knows several sets of them. */
  profile: "openai" | "extended";
}
