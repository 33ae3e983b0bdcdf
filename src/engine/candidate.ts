import type { FunctionAdapter } from "../tools/index.ts";
import type { Backend, Breaker, Item, ToolChoice, Turn, TurnError } from "../turn/index.ts";

/** A route that is tried for a turn: the model that the client asked for, or a fallback. */
export interface Candidate {
  backend: Backend;
  breaker: Breaker;
  /** Builds the request for this backend. Called only when the candidate is tried. */
  request: (ask: Ask) => BackendRequest | Promise<BackendRequest>;
  /** How often the same request is retried after a failure. */
  retries: number;
  /** Whether syntax errors in the arguments that a provider sends are repaired, if the tool is not strict. */
  repair: boolean;
  /** How often the model is told what was wrong with its calls and asked again. */
  reask: number;
  /** How an invalid call is reported to the client: as the error that ends the turn, or as assistant text. */
  strictFailure: "error" | "message";
  /** The time limit for the first content of the answer, in milliseconds. */
  firstContent: number;
}

/** What a round adds to the client's request. */
export interface Ask {
  /** Appended to the turn's input: items of earlier rounds, and corrections. */
  history: readonly Item[];
  /** Replaces the request's `tool_choice` in a later round. */
  choice?: ToolChoice | undefined;
}

/** A turn in the form that one backend accepts. */
export interface BackendRequest {
  turn: Turn;
  /** The backend has no tools: they are written into the prompt, and the backend's turn ends with the calls that it makes. */
  prompted: boolean;
  /** How calls that the model writes as text are found. Without it, text is left as it is. */
  recovery?: Recovery | undefined;
  /** How the client's tools were converted into functions, if they had to be. */
  adapter?: FunctionAdapter | undefined;
}

export interface Recovery {
  /** auto: every dialect that is unambiguous. A list: only these. */
  dialects: "auto" | readonly string[];
  /** Whether syntax errors in the arguments of tools that are not strict are repaired. */
  repair: boolean;
  /** Whether a prompt of Toolwire told the model to write calls this way. */
  prompted: boolean;
}

/** With these statuses the request itself is wrong, so other backends would refuse it too. */
const requestErrorStatuses = new Set([400, 405, 406, 411, 413, 414, 415, 422, 431]);

export function mayWorkElsewhere({ code, status }: TurnError): boolean {
  return code.startsWith("upstream_") && !(code === "upstream_rejected" && requestErrorStatuses.has(status));
}
