import type {
  AnswerIdForm,
  AnswerStore,
  AnswerView,
  ClientApi,
  Encoder,
  ErrorBody,
  FrameSink,
  JsonObject,
  JsonValue,
  OutputItem,
  Steps,
  Turn,
  TurnError,
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
  /** Whether clients continue an answer by its id. */
  readonly namesAnswers?: boolean;
  /** Throws a `TurnError` that says what is wrong with the request. */
  decode(body: JsonObject, limits: RequestLimits): Request;
  /** The same in steps. An API whose requests may be long needs it, so that a long one does not hold up others. */
  decodeSteps?(body: JsonObject, limits: RequestLimits): Steps<Request>;
  createEncoder(request: Request, options: AnswerOptions): Encoder;
  /** The error body on every path of this API. */
  errorBody(error: ErrorBody): string;
  /** What clients can do with stored answers. */
  readonly resources?: readonly Resource[];
}

/** A path to which clients post turns, under each prefix that the gateway serves. */
export interface CodecRoute {
  path: string;
  /** Whether clients try to open a WebSocket here. They get a 426, because there is none yet. */
  upgrades?: boolean;
}

/** One operation on stored answers, under each prefix that the gateway serves. */
export interface Resource {
  method: "GET" | "POST" | "DELETE";
  /** May have one parameter, for example `/responses/:id`. */
  path: string;
  /** Rejects with a `TurnError` that says what is wrong with the request. */
  handle(call: ResourceCall): Promise<JsonObject>;
}

/** A request for a resource. */
export interface ResourceCall {
  answers: AnswerStore;
  owner: string;
  /** The parameter of the path; empty if it has none. */
  id: string;
  query: URLSearchParams;
  /** Only of a POST. */
  body?: JsonValue | undefined;
}

export interface RequestLimits {
  /** Bytes of text in one tool output. */
  toolOutput: number;
}

/** A decoded request: the turn, and what else the gateway must know. */
export interface ClientRequest {
  readonly turn: Turn;
  /** Whether the answer is to be stored; `undefined`: only if the request names its conversation. */
  readonly keeps: boolean | undefined;
  /** The client uses the legacy `function_call`, and a stored answer must be read back in this form. */
  readonly legacy?: boolean | undefined;
  /** Stored state that this request continues. */
  readonly continues?: ContinuedState | undefined;
  /** The ids of stored items to which the input refers, in their order. */
  readonly references: readonly string[];
  /** Results whose calls are not in the request. They may be in the stored conversation. */
  readonly unmatched?: readonly UnmatchedResult[] | undefined;
  /** Whether a later request can refer to the calls of the answer by id. */
  readonly namesCalls: boolean;
  /** The path of a tool's schema in the request; `tool` is the path of the tool. */
  schemaPath(tool: string): string;
}

/** The result of a call that the request names only by its function. */
export interface UnmatchedResult {
  /** The item in the input, whose `callId` is still empty. */
  output: OutputItem;
  name: string;
  /** What is wrong with the request if there is no such call. */
  error: TurnError;
}

export interface ContinuedState {
  /** The path in the request that refers to the state. */
  param: string;
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
  /** Whether the answer is stored. Until the end of the turn: whether it is to be stored. */
  isKept: () => boolean;
  /** Which set of stream events to emit, if the API has several. */
  profile: "openai" | "extended";
}
