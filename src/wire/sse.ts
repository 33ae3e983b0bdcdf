import { createParser } from "eventsource-parser";
import { parseJson } from "../turn/index.ts";

/** One event of a server-sent stream; `data` is the payload, not yet parsed. */
export interface ServerEvent {
  event?: string | undefined;
  data: string;
}

/** A provider may not make us hold more than this for one event. */
const longestEvent = 16 * 1024 * 1024;

export interface SseReader {
  feed(bytes: Uint8Array): void;
  end(): void;
}

/**
 * Bytes to events, pushed as they come. Cut multi-byte characters, CRLF and comments are the parser's business; an event that
 * exceeds the limit throws.
 */
export function createSseReader(onEvent: (event: ServerEvent) => void): SseReader {
  const decoder = new TextDecoder();
  let failure: Error | undefined;
  let ending = false;
  const parser = createParser({
    maxBufferSize: longestEvent,
    onEvent: (event) => {
      // Providers leave out the last blank line; what stands there counts if it is whole.
      if (ending && event.data !== done && parseJson(event.data) === undefined) return;
      onEvent(event);
    },
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") failure = error;
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

/** The literal that ends a stream on both APIs. */
export const done = "[DONE]";

export const doneLine = `data: ${done}\n\n`;

/** An event without a name, as Chat Completions sends it. */
export function dataLine(payload: string): string {
  return `data: ${payload}\n\n`;
}

/** An event with its name, as Responses sends it; the payload's `type` says the same. */
export function namedEvent(type: string, payload: string): string {
  return `event: ${type}\ndata: ${payload}\n\n`;
}
