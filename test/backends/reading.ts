import { chatApi } from "../../src/backends/chat/index.ts";
import { responsesApi } from "../../src/backends/responses/index.ts";
import { type BackendEvent, type Tool, type Turn, TurnError } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";

const declared = ["get_weather", "get_time", "refresh", "search-notes", "apply_patch"];

export const turn: Turn = {
  api: "chat",
  model: "odd",
  stream: true,
  input: [],
  tools: declared.map((name): Tool => ({ type: "function", name })),
  choice: { mode: "auto" },
  settings: {},
  parameters: {},
};

/** What a reader makes of the payloads of a stream, and what it throws. */
export function readStream(api: Api, payloads: readonly unknown[]): { events: BackendEvent[]; error?: TurnError } {
  const events: BackendEvent[] = [];
  const { createReader } = api === "chat" ? chatApi : responsesApi;
  const reader = createReader(
    "odd",
    (text) => text,
    (event) => events.push(event),
    turn,
  );
  try {
    for (const payload of payloads) {
      if (!reader.finished) reader.event({ data: JSON.stringify(payload) });
    }
    if (!reader.finished) reader.event({ data: "[DONE]" });
  } catch (error) {
    if (error instanceof TurnError) return { events, error };
    throw error;
  }
  return { events };
}

export interface ReadCall {
  name: string;
  callId: string | undefined;
  arguments: string;
}

/** The calls that are whole, in the order in which they began. */
export function wholeCalls(events: readonly BackendEvent[]): ReadCall[] {
  const calls = new Map<number, ReadCall & { done: boolean }>();
  for (const event of events) {
    if (event.type === "call.started") {
      const { name, callId } = event;
      calls.set(event.call, { name, callId, arguments: "", done: false });
    } else if (event.type === "call.arguments") {
      const call = calls.get(event.call);
      if (call) call.arguments += event.delta;
    } else if (event.type === "call.done") {
      const call = calls.get(event.call);
      if (call) call.done = true;
    }
  }
  return [...calls.values()].filter((call) => call.done).map(({ done: _, ...call }) => call);
}

export function repairsOf(events: readonly BackendEvent[]): string[] {
  return events.flatMap((event) => (event.type === "call.repaired" ? [event.repair] : []));
}

/** What is wrong with the order of events that a reader emits. */
export function faultsOf(events: readonly BackendEvent[]): string[] {
  const faults: string[] = [];
  const open = new Set<number>();
  const known = new Set<number>();
  const told = new Set<string>();
  events.forEach((event, at) => {
    switch (event.type) {
      case "call.started":
        if (known.has(event.call)) faults.push(`call ${event.call} begins twice`);
        known.add(event.call);
        open.add(event.call);
        return;
      case "call.arguments":
      case "call.done":
        if (!open.has(event.call)) faults.push(`${event.type} of call ${event.call}, which is not open`);
        if (event.type === "call.done") open.delete(event.call);
        return;
      case "call.repaired": {
        const key = `${event.call} ${event.repair}`;
        if (told.has(key)) faults.push(`${key} is told twice`);
        told.add(key);
        if (event.call === undefined) {
          if (events[at + 1]?.type !== "round.finished") faults.push(`${event.repair} does not stand before the end`);
        } else if (!open.has(event.call)) faults.push(`${event.repair} of call ${event.call}, which is not open`);
        return;
      }
      case "round.finished":
        if (at !== events.length - 1) faults.push("something comes after the end");
        if (event.reason === "stop" && open.size > 0) faults.push("a success with an open call");
    }
  });
  return faults;
}
