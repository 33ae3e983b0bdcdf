import type { Emit } from "./backend-event.ts";
import type { Cancellation } from "./cancellation.ts";
import type { JsonValue } from "./json.ts";
import type { Holding } from "./ports.ts";
import type { HistoryQuirks } from "./quirks.ts";
import type { Tool } from "./tool.ts";
import type { Turn } from "./turn.ts";

/** A route to a model: its capabilities, how it runs a round, and its lifecycle. */
export interface Backend {
  /** The name in the configuration. */
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * Resolves when the round is over. The last event that it emits is terminal. If it throws or emits no terminal event, the engine
   * fails the round.
   */
  run(turn: Turn, round: BackendRound): Promise<void>;
  readonly lifecycle?: Lifecycle | undefined;
}

/** A round as the backend sees it: where it emits events, and what cancels it. */
export interface BackendRound {
  emit: Emit;
  /** A backend with a connection calls this at the start of each read, before it parses anything. */
  begin?: (() => void) | undefined;
  /**
   * The backend calls this once after each read, to send what it emitted since the last flush. A promise means that the client's
   * buffer is full, or that the engine still works on what was emitted: the backend stops reading until it resolves.
   */
  flush(): Promise<void> | undefined;
  /**
   * Cancelled when the rest is not needed, for example if the client disconnects or time is up: the backend disconnects at once.
   */
  cancellation: Cancellation;
  /** Counts what the backend buffers of the answer. */
  holding?: Holding | undefined;
}

export interface Capabilities {
  /** Whether the backend can offer this tool to the model unchanged. */
  carries(tool: Tool): boolean;
  /** Whether the tools of this turn must be written into the prompt, because the service does not support them otherwise. */
  needsPrompt?(turn: Turn): boolean;
  /** Whether the backend streams its answer even if the turn does not ask for a stream. */
  readonly alwaysStreams?: boolean;
  /** Whether the backend itself ends the model's turn at its calls. */
  readonly endsAtCalls?: boolean;
  /** Request parameters of either API that the service does not support, each with the value that has no effect. */
  readonly ignoredParameters?: ReadonlyMap<string, JsonValue>;
  /** Whether the service stores responses, so that a request can refer to one by its id. */
  readonly keepsResponses?: boolean;
  /** Whether the service may know tools that are not in the request's `tools`. */
  readonly knowsOtherTools?: boolean;
  /** Whether the service cannot be forced to call a tool of its own, so that no `tool_choice` may demand one. */
  readonly refusesHostedChoice?: boolean;
  /** Whether the backend sends requests to a Codex that Toolwire started. Requests from that Codex would loop. */
  readonly asksCodex?: boolean;
  readonly quirks: HistoryQuirks;
}

/** What a backend does outside of its rounds. A backend implements only the methods that it needs. */
export interface Lifecycle {
  /** Prepares the backend before the first request. */
  warm?(): void;
  /** Resolves when the backend accepts requests and knows its capabilities. Rejects with an error that says what to do. */
  prepare?(cancellation: Cancellation): Promise<void>;
  /** The names of the models that the service offers, if it lists them. */
  models?(): Promise<string[]>;
  /** `null` if the backend can be used now; otherwise a sentence that says what to do. */
  ready?(): Promise<string | null>;
  /** What a person should know even if the backend can be used. */
  notes?(): readonly string[];
  close?(): Promise<void>;
}
