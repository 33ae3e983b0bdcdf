import { ExponentialBackoff, type IBackoff } from "cockatiel";
import type { FunctionAdapter } from "../tools/index.ts";
import type { Backend, Breaker, Item, Turn, TurnError } from "../turn/index.ts";

/** One candidate to have a turn answered: the model that was asked for, or one that stands in for it. */
export interface Candidate {
  backend: Backend;
  breaker: Breaker;
  /** What this backend is asked, with more behind the turn's input. Made only when the candidate is taken. */
  request: (more: readonly Item[]) => Promise<BackendRequest>;
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

/** A turn as one backend can take it. */
export interface BackendRequest {
  turn: Turn;
  /** The backend has no tools: they are written into the prompt, and its turn ends with the calls that it makes. */
  prompted: boolean;
  /** How calls that the model writes as text are found; nothing where text is left as it is. */
  recovery?: Recovery | undefined;
  /** How the client's tools were made functions, where they had to be. */
  form?: FunctionAdapter | undefined;
}

export interface Recovery {
  /** auto: every dialect that cannot be mistaken. A list: these alone. */
  dialects: "auto" | readonly string[];
  /** Slips in the arguments of tools that are not strict are mended. */
  repair: boolean;
  /** The model was taught to write them so, in a prompt of ours. */
  prompted: boolean;
}

/** Grows from about a quarter of a second, with jitter: clients that failed together do not come back together. */
const backoff = new ExponentialBackoff({ initialDelay: 250, maxDelay: 4_000 });
/** A provider that wants to be left alone for longer is: the client decides. */
const longestWait = 5_000;

export function firstDelay(): IBackoff<unknown> {
  return backoff.next();
}

/** How long to wait before the same request is sent again; `undefined` when it is not. */
export function retryDelay(error: TurnError, delay: number): number | undefined {
  if (!error.again) return undefined;
  const asked = waitAskedFor(error.retryAfter);
  if (asked > longestWait) return undefined;
  return asked + delay;
}

/** `retry-after` is a number of seconds or a date. */
function waitAskedFor(retryAfter: string | undefined): number {
  if (retryAfter === undefined) return 0;
  const seconds = Number(retryAfter);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1000;
  return milliseconds > 0 ? milliseconds : 0;
}

/** What is wrong with the request itself is wrong at every other backend too. */
const aboutTheRequest = new Set([400, 405, 406, 411, 413, 414, 415, 422, 431]);

export function mayWorkElsewhere({ code, status }: TurnError): boolean {
  return code.startsWith("upstream_") && !(code === "upstream_rejected" && aboutTheRequest.has(status));
}
