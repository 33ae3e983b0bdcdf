import type { CallStarted, Turn, TurnError, TurnListener, TurnSummary, Usage } from "../../src/turn/index.ts";

/** What the tests of the listeners tell them. */

export const turn: Turn = {
  api: "responses",
  model: "m",
  stream: true,
  input: [],
  tools: [{ type: "function", name: "look", parameters: {} }],
  choice: { mode: "auto" },
  settings: {},
  parameters: {},
};

export const usage: Usage = {
  inputTokens: 100,
  outputTokens: 20,
  totalTokens: 120,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

export function call(callId: string, name = "look"): CallStarted {
  return { type: "call.started", kind: "function", owner: "client", name, callId, id: `fc_${callId}` };
}

export function ended(status: TurnSummary["status"], error?: TurnError): TurnSummary {
  return { status, error, usage, firstContentMs: 300, overheadMs: 2, totalMs: 1500 };
}

/** A round: every attempt but the last is tried again, and told before what the client gets is sent. */
export function tellRound(
  listener: TurnListener,
  attempts: readonly (() => void)[],
  { commits = true, backend = "chutes" } = {},
): void {
  for (const attempt of attempts) {
    listener.attemptStarted?.(backend);
    attempt();
  }
  if (commits) listener.roundCommitted?.();
}
