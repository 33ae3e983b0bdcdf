import { chatStreams, chatWholes } from "./chat-answers.mjs";
import { responsesStreams, responsesWholes } from "./responses-answers.mjs";

/** What the answers of both APIs have in common: how they are printed, and which good ones there are. */

export const eventStream = { "content-type": "text/event-stream; charset=utf-8" };
export const plainJson = { "content-type": "application/json" };

export function print({ event, data }) {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}

export function streamsOf(api) {
  return api === "chat" ? chatStreams : responsesStreams;
}

export function wholesOf(api) {
  return api === "chat" ? chatWholes : responsesWholes;
}
