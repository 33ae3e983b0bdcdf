import type {
  BackendCallStarted,
  BackendEvent,
  BackendTextDelta,
  CallStarted,
  RoundFinished,
  TurnEvent,
} from "../../src/turn/index.ts";

/** Events as a backend says them, and as a client gets them, with nothing in them that a test does not care for. */

export function text(words: string, item?: number): BackendTextDelta {
  return item === undefined ? { type: "text.delta", text: words } : { type: "text.delta", text: words, item };
}

export const finished: RoundFinished = { type: "round.finished", reason: "stop" };

export function started(call: number, more: Partial<BackendCallStarted> = {}): BackendCallStarted {
  return { type: "call.started", call, kind: "function", name: "look", ...more };
}

/** A whole call, as a backend says it. */
export function wholeCall(call: number, json: string, more: Partial<BackendCallStarted> = {}) {
  return [
    started(call, more),
    { type: "call.arguments", call, delta: json },
    { type: "call.done", call },
  ] satisfies BackendEvent[];
}

/** A whole message, as a client gets it. */
export function message(id: string, words: string): TurnEvent[] {
  return [
    { type: "message.started", id },
    { type: "text.delta", text: words },
    { type: "message.done", status: "completed", isCommentary: false },
  ];
}

/** A whole call, as a client gets it. */
export function call(callId: string, json = "{}", more: Partial<CallStarted> = {}): TurnEvent[] {
  return [
    { type: "call.started", kind: "function", owner: "client", callId, id: `fc_${callId}`, name: "look", ...more },
    { type: "call.arguments", delta: json },
    { type: "call.done", arguments: json },
  ];
}

export function typesOf(events: readonly { type: string }[]): string[] {
  return events.map(({ type }) => type);
}

/** What is said in them. */
export function wordsOf(events: readonly TurnEvent[]): string {
  return events.map((event) => (event.type === "text.delta" ? event.text : "")).join("");
}
