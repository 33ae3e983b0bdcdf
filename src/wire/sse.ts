import { createParser } from "eventsource-parser";
import { parseJson } from "../turn/index.ts";

/** One event of a server-sent stream; `data` is the payload, not yet parsed. */
export interface ServerEvent {
  event?: string | undefined;
  data: string;
}

/** A provider may not make us hold more than this for one event. */
const longestEvent = 16 * 1024 * 1024;

/** What came is no server-sent stream, or none that can be held. The message continues "the backend sent". */
export class BrokenStream extends Error {}

export interface SseReader {
  feed(bytes: Uint8Array): void;
  end(): void;
}

/**
 * Bytes to events, pushed as they come. Cut multi-byte characters, CRLF and comments are the parser's business. Throws
 * `BrokenStream` on an event that exceeds the limit and on a line that may be a mangled event: to leave it out in silence would
 * pass a hole off as an answer.
 */
export function createSseReader(onEvent: (event: ServerEvent) => void): SseReader {
  const decoder = new TextDecoder();
  let failure: BrokenStream | undefined;
  let ending = false;
  const parser = createParser({
    maxBufferSize: longestEvent,
    onEvent: (event) => {
      // Providers leave out the last blank line; what stands there counts if it is whole.
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

/** A field that may come with a later version of the format; nothing of an answer stands in it. */
const unknownField = /^[A-Za-z][\w-]*:[^{]*$/;

/** The literal that ends a stream on both APIs. */
export const done = "[DONE]";

/** An event without a name. */
export function dataLine(payload: string): string {
  return `data: ${payload}\n\n`;
}
