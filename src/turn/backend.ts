import type { Emit } from "./backend-event.ts";
import type { Cancellation } from "./cancellation.ts";
import type { JsonValue } from "./json.ts";
import type { HistoryQuirks } from "./quirks.ts";
import type { Tool } from "./tool.ts";
import type { Turn } from "./turn.ts";

/** A route to a model: what it can do, how a round is run, and how it lives. */
export interface Backend {
  /** As the configuration names it. */
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * Resolves when the round is over; the last event that it emits is terminal. What it throws, or a missing last event, the engine
   * turns into a failure.
   */
  run(turn: Turn, round: BackendRound): Promise<void>;
  readonly lifecycle?: Lifecycle | undefined;
}

/** A model round as a backend sees it: where its events go, and what it must listen to. */
export interface BackendRound {
  emit: Emit;
  /**
   * Called once after each read: hands on what was emitted since the last one. A promise means that the reader is full: the
   * backend stops reading until it resolves.
   */
  flush(): Promise<void> | undefined;
  /** Cancelled when the client has left or time is up: the backend closes its connection at once. */
  cancellation: Cancellation;
}

export interface Capabilities {
  /** Whether a tool of this type can be offered to the model as it is. */
  carries(tool: Tool): boolean;
  /** Whether the tools of this turn have to be written into the prompt, because the service cannot be asked for them otherwise. */
  needsPrompt?(turn: Turn): boolean;
  /** Whether an answer comes in pieces even where the turn wants it whole. */
  readonly alwaysStreams?: boolean;
  /** Whether it ends the model's turn at its calls by itself. */
  readonly endsAtCalls?: boolean;
  /** Parameters of either API that the service cannot take, by their names in a request, with the value that means nothing. */
  readonly ignoredParameters?: ReadonlyMap<string, JsonValue>;
  /** Whether the service keeps responses, so that a request can refer to one by its id. */
  readonly keepsResponses?: boolean;
  /** Whether the service may know tools that stand elsewhere than in the `tools` of a request. */
  readonly knowsOtherTools?: boolean;
  /** Whether the service cannot be made to call a tool of its own, so that no `tool_choice` may demand one. */
  readonly refusesHostedChoice?: boolean;
  /** Whether it asks a Codex that Toolwire has started. Requests of such a Codex would go round in a circle. */
  readonly asksCodex?: boolean;
  readonly quirks: HistoryQuirks;
}

/** How a backend lives beside its rounds. What a backend has none of is left out. */
export interface Lifecycle {
  /** Gets ready before anybody asks. */
  warm?(): void;
  /** Resolves when the backend can be asked and knows what it can do; rejects with what to do about it. */
  prepare?(cancellation: Cancellation): Promise<void>;
  /** The names of the models that the service behind it offers, where it says. */
  models?(): Promise<string[]>;
  /** Whether the backend can be used now; otherwise a sentence that says what to do. */
  ready?(): Promise<string | null>;
  /** What a person should know of it though it can be used. */
  notes?(): readonly string[];
  close?(): Promise<void>;
}
