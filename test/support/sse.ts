import type { Faults } from "./folded.ts";

export interface SseEvent {
  event: string | null;
  data: string;
}

export interface SseText {
  events: SseEvent[];
  comments: number;
}

/** Reads a whole stream by the letter: what a lenient parser forgives is a fault here. */
export function readSse(text: string, faults: Faults): SseText {
  const events: SseEvent[] = [];
  let comments = 0;
  let fields: { event: string[]; data: string[] } = { event: [], data: [] };
  const lines = text.split(/\r\n|\n|\r/);
  const dispatch = () => {
    const { event, data } = fields;
    fields = { event: [], data: [] };
    if (event.length === 0 && data.length === 0) return;
    faults.unless(event.length < 2, "sse: two event lines in one event");
    faults.unless(data.length < 2, "sse: two data lines in one event");
    if (faults.unless(data.length > 0, "sse: an event without data")) {
      events.push({ event: event.at(-1) ?? null, data: data.join("\n") });
    }
  };
  for (const line of lines) {
    if (line === "") {
      dispatch();
      continue;
    }
    const colon = line.indexOf(":");
    if (colon === 0) {
      comments++;
      continue;
    }
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event" || field === "data") fields[field].push(value);
    else faults.add(`sse: field "${field.slice(0, 40)}"`);
  }
  faults.unless(text === "" || (lines.at(-1) === "" && lines.at(-2) === ""), "sse: no blank line at the end");
  dispatch();
  return { events, comments };
}
