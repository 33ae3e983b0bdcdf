import type { FunctionAdapter } from "../tools/index.ts";
import type { Backend, Breaker, Item, ToolChoice, Turn, TurnError } from "../turn/index.ts";

/** One way to have a turn answered: the model that was asked for, or one that stands in for it. */
export interface Candidate {
  backend: Backend;
  breaker: Breaker;
  /** What this backend is asked. Made only when the candidate is tried. */
  request: (ask: Ask) => Promise<BackendRequest>;
  /** How often a failure is met with the same request again. */
  retries: number;
  /** Slips in the arguments that a provider gives are mended, where the tool is not strict. */
  repair: boolean;
  /** How often the model is told what was wrong with its calls, and asked again. */
  reask: number;
  /** What is wrong with calls that cannot be given: the end of the turn, or what the assistant says. */
  strictFailure: "error" | "message";
  /** How long it may take until something of the answer comes, in milliseconds. */
  firstContent: number;
}

/** What a round asks beyond the client's request. */
export interface Ask {
  /** Behind the turn's input: earlier rounds, and corrections. */
  history: readonly Item[];
  /** In place of the request's, in a later round. */
  choice?: ToolChoice | undefined;
}

/** A turn as one backend can take it. */
export interface BackendRequest {
  turn: Turn;
  /** The backend has no tools: they are written into the prompt, and its turn ends with the calls that it makes. */
  prompted: boolean;
  /** How calls that the model writes as text are found; nothing where text is left as it is. */
  recovery?: Recovery | undefined;
  /** How the client's tools were made functions, where they had to be. */
  adapter?: FunctionAdapter | undefined;
}

export interface Recovery {
  /** auto: every dialect that cannot be mistaken. A list: these alone. */
  dialects: "auto" | readonly string[];
  /** Slips in the arguments of tools that are not strict are mended. */
  repair: boolean;
  /** The model was taught to write them so, in a prompt of ours. */
  prompted: boolean;
}

/** What is wrong with the request itself is wrong at every other backend too. */
const aboutTheRequest = new Set([400, 405, 406, 411, 413, 414, 415, 422, 431]);

export function mayWorkElsewhere({ code, status }: TurnError): boolean {
  return code.startsWith("upstream_") && !(code === "upstream_rejected" && aboutTheRequest.has(status));
}
