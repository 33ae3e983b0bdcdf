import type { Ask, Candidate } from "../../src/engine/candidate.ts";
import { Continuity } from "../../src/engine/continuity.ts";
import type { TurnPlan } from "../../src/engine/index.ts";
import { InProcessMemory } from "../../src/store/index.ts";
import {
  type Backend,
  type BackendEvent,
  type BackendRound,
  Cancellation,
  type Capabilities,
  type ErrorDetails,
  Ids,
  type Lifecycle,
  noQuirks,
  type Turn,
  TurnError,
} from "../../src/turn/index.ts";
import type { FakeClient } from "./fake-client.ts";

/** What a backend does when it is asked. A list of events is emitted at once, as one read. */
export type Script = readonly BackendEvent[] | ((round: BackendRound, turn: Turn) => void | Promise<void>);

/** A backend that plays one script a request, the last one again and again. */
export class ScriptedBackend implements Backend {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly lifecycle: Lifecycle | undefined;
  readonly #scripts: readonly Script[];
  /** What it was asked. */
  readonly turns: Turn[] = [];
  readonly rounds: BackendRound[] = [];

  constructor(name: string, scripts: readonly Script[], more: Partial<Capabilities> = {}, lifecycle?: Lifecycle) {
    this.name = name;
    this.#scripts = scripts;
    this.capabilities = { carries: () => true, quirks: noQuirks, ...more };
    this.lifecycle = lifecycle;
  }

  async run(turn: Turn, round: BackendRound): Promise<void> {
    this.turns.push(turn);
    this.rounds.push(round);
    const script = this.#scripts[this.turns.length - 1] ?? this.#scripts.at(-1) ?? [];
    if (typeof script === "function") {
      await script(round, turn);
      return;
    }
    for (const event of script) round.emit(event);
    await round.flush();
  }
}

/** Says this, and then nothing more until the connection is closed. */
export function andThenSilence(...events: BackendEvent[]): Script {
  return (round) => {
    for (const event of events) round.emit(event);
    round.flush();
    return new Promise((resolve) => round.cancellation.onCancel(resolve));
  };
}

/** Says this, and then fails. */
export function andThenFailure(error: unknown, ...events: BackendEvent[]): Script {
  return async (round) => {
    for (const event of events) round.emit(event);
    await round.flush();
    throw error;
  };
}

/** A failure that is worth another try. */
export function overloaded(message = "too many requests", details: ErrorDetails = {}): TurnError {
  const failure = { by: "backend", phase: "refusal", remedy: "retry" } as const;
  return new TurnError("upstream_rate_limited", message, { failure, ...details });
}

/** A failure that the same backend would repeat, and another one may not. */
export function broken(message = "it is broken"): TurnError {
  return new TurnError("upstream_error", message);
}

export const askingTurn: Turn = {
  api: "chat",
  model: "m",
  stream: true,
  input: [{ type: "message", role: "user", content: [{ type: "text", text: "Where is the sea?" }] }],
  tools: [{ type: "function", name: "look" }],
  choice: { mode: "auto" },
  settings: {},
  parameters: {},
};

/** A candidate that tells what it was asked for, beyond the client's request. */
export interface WatchedCandidate extends Candidate {
  asks: Ask[];
  /** Answers that broke off. */
  brokenOff: TurnError[];
}

export function candidateOf(backend: Backend, turn = askingTurn, more: Partial<Candidate> = {}): WatchedCandidate {
  const asks: Ask[] = [];
  const brokenOff: TurnError[] = [];
  return {
    backend,
    breaker: { watch: (ask) => ask(), failed: (error) => void brokenOff.push(error) },
    request: async ({ history, choice }) => {
      asks.push({ history: [...history], choice });
      const input = [...turn.input, ...history];
      return { turn: { ...turn, input, choice: choice ?? turn.choice }, prompted: false };
    },
    retries: 0,
    repair: false,
    reask: 0,
    strictFailure: "error",
    firstContent: 60_000,
    ...more,
    asks,
    brokenOff,
  };
}

export function planOf(client: FakeClient, candidates: readonly Candidate[], more: Partial<TurnPlan> = {}): TurnPlan {
  return {
    turn: askingTurn,
    candidates,
    createEncoder: client.createEncoder,
    sink: client.sink,
    idForm: { prefix: "answer", separator: "_" },
    ids: new Ids(),
    continuity: new Continuity(new InProcessMemory(), "ann"),
    listener: {},
    clock: { now: () => Date.now() },
    receivedAt: Date.now(),
    keepAlive: 15_000,
    total: 600_000,
    cancellation: new Cancellation(),
    ...more,
  };
}
