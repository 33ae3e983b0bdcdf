import type { JsonObject } from "../../../src/turn/index.ts";

/** What a scene for the stand-in may say. */
export interface SceneOptions {
  /** What the program says it is; below 0.121.0 it has no `thread/inject_items`. 0.166.0 unless said. */
  version?: string;
  /**
   * By number: the turns in the order in which they are started, also over several processes; the last one is repeated.
   * By name: what the last `[[name]]` in the conversation says, or `default`.
   */
  turns: TurnScript[] | Record<string, TurnScript>;
  /** Answer of `account/read`. An account is not needed unless said, as with a provider of one's own. */
  account?: { account: JsonObject | null; requiresOpenaiAuth: boolean };
  /** Answer of `model/list`; three of the recorded models unless said. */
  models?: JsonObject[];
  /** What `config/read` has as `config`. */
  config?: JsonObject;
  /** What `debug models --bundled` prints; it fails unless said. */
  bundledModels?: JsonObject;
  /** Milliseconds until `initialize` is answered. */
  startDelay?: number;
  /** How many starts, counted from the first, end at once with code 1. */
  failStarts?: number;
  /** Answers instead of the usual ones. A list is taken in its order; its last one is repeated. */
  replies?: Record<string, MethodReply | MethodReply[]>;
  /** Whether the answer of `turn/start` comes before or behind `turn/started`; behind unless said. */
  opening?: "replied" | "notified";
  /** What was injected comes back only when the turn has started. */
  lateEchoes?: boolean;
  /** Neither the end of stdin nor SIGTERM ends the program. */
  stubborn?: boolean;
  /** Variables whose values are written down; the names of all are. */
  env?: string[];
  /** After so many milliseconds the program ends by itself. */
  lifetime?: number;
}

export type MethodReply = { result: JsonObject } | { error: { code: number; message: string } } | "silence" | "usual";

/** Milliseconds between two pieces or messages; `recorded`: as they came. */
export type TurnScript =
  | Step[]
  | { steps: Step[]; pace?: number }
  | { play: RecordingName; pace?: number | "recorded" };

/** One thing that a turn does. Behind the last step it is completed. */
export type Step =
  /** A message in pieces; `open`: it never ends. */
  | { say: string | string[]; id?: string; phase?: string; open?: boolean }
  | { think: string | string[]; id?: string }
  /** The calls of one response. The turn goes on when all are replied to. */
  | { calls: StepCall[]; usage?: StepUsage | true }
  /** The end of a response, and what it has cost. */
  | { usage: StepUsage | true }
  | { limits: true }
  | { fail: StepError }
  /** Codex tries again by itself. */
  | { retry: StepError }
  | { end: true }
  | { item: JsonObject & { type: string }; stage?: "started" | "completed" }
  /** A request to the client; the turn goes on when it is replied to. */
  | { ask: { method: string; params?: JsonObject } }
  | { notify: { method: string; params?: JsonObject } }
  /** A line that is written as it stands. */
  | { line: string }
  /** A notification with so many characters in it. */
  | { huge: number }
  | { stderr: string }
  | { wait: number }
  /** Silence until the interrupt. */
  | { hang: true }
  /** Silence, whatever is asked. */
  | { freeze: true }
  | { exit: number }
  | { kill: NodeJS.Signals };

export interface StepCall {
  /** A name, or which of the tools that the client has offered it is. */
  name: string | { offered: number };
  /** A text that is not JSON is a call that Codex itself refuses. */
  arguments?: JsonObject | string;
  id?: string;
  namespace?: string;
  /** Codex does not know the tool: it answers the call itself, and only raw events show it. */
  unknown?: boolean;
}

export interface StepUsage {
  input?: number;
  output?: number;
  cached?: number;
  reasoning?: number;
}

export interface StepError {
  message: string;
  /** `codexErrorInfo`: "other" unless said. */
  info?: string | JsonObject;
  details?: string;
}

export const recordingNames = [
  "a-plain",
  "b-toolcall-text-split",
  "c-interrupt-midstream",
  "c2-interrupt-immediately",
  "d-connrefused-noretry-unboundedoff",
  "d-ctx-noretry",
  "d-cut-noretry",
  "d-cutonce-defaultretry",
  "d-e400-noretry",
  "d-e401-noretry",
  "d-e429-noretry",
  "d-e429u-noretry",
  "d-e500-noretry",
  "d-failed-noretry",
  "d-incomplete-noretry",
  "e0-dynamic-without-experimental",
  "e1-dynamic-roundtrip",
  "e11-rawevents-pending-usage",
  "e12-stateless-replay-full-loop",
  "e2-dynamic-parallel",
  "e6-unknown-tool",
  "f-image-input",
  "i-model-list-account",
  "j3-inject-invalid",
  "k5-approval-command",
  "k9-stable-only-sentinel",
  "l-noauth-401",
] as const;

export type RecordingName = (typeof recordingNames)[number];
