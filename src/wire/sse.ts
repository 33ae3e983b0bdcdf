import { createParser } from "eventsource-parser";
import { parseJson } from "../turn/index.ts";

/** One server-sent event; `data` is the payload, not yet parsed. */
export interface ServerEvent {
  event?: string | undefined;
  data: string;
}

/** The most that is buffered for one event. */
const longestEvent = 16 * 1024 * 1024;

/** The body is not a server-sent stream, or exceeds a limit. The message continues "the backend sent". */
export class BrokenStream extends Error {}

export interface SseReader {
  feed(bytes: Uint8Array): void;
  end(): void;
}

/**
 * Parses bytes to events and pushes each when it is complete. Handles split multi-byte characters, CRLF and comments. Throws
 * `BrokenStream` on an event that exceeds the limit and on a line that may be a mangled event: to skip it silently would hide a gap
 * in the answer.
 */
export function createSseReader(onEvent: (event: ServerEvent) => void): SseReader {
  const decoder = new TextDecoder();
  let failure: BrokenStream | undefined;
  let ending = false;
  const parser = createParser({
    maxBufferSize: longestEvent,
    onEvent: (event) => {
      // Some providers omit the last blank line. The event before it counts if it is complete.
      if (ending && event.data !== done && parseJson(event.data) === undefined) return;
      onEvent(event);
    },
    onError: ({ type, line = "" }) => {
      if (type === "max-buffer-size-exceeded") failure = new BrokenStream("an event that is too large");
      else if (type === "unknown-field" && !ending && !unknownField.test(line)) {
        failure = new BrokenStream("a line that cannot be read");
      }
    },
  });
  const feed = (text: string) => {
    if (text !== "") parser.feed(text);
    if (failure) throw failure;
  };
  return {
    feed: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end() {
      const tail = decoder.decode();
      ending = true;
      feed(`${tail}\n\n`);
    },
  };
}

/** An unknown field, for example of a later version of the format. It holds no part of an answer. */
const unknownField = /^[A-Za-z][\w-]*:[^{]*$/;

/** The literal that ends a stream on both APIs. */
export const done = "[DONE]";

/** An event without a name. */
export function dataLine(payload: string): string {
  return `data: ${payload}\n\n`;
}
