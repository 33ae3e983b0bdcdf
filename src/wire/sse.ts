import { answerLimits, parseJson, TextPieces } from "../turn/index.ts";

/** One server-sent event; `data` is the payload, not yet parsed. */
export interface ServerEvent {
  event?: string | undefined;
  data: string;
}

/** The most that is buffered for one event, in characters. */
const longestEvent = 16 * 1024 * 1024;
/** What a line of data counts beside its characters, so that empty lines do not add up to much memory. */
const costOfLine = 32;
/** No API has a longer event name. */
const longestName = 256;
/** No version of the format has this many fields in one stream. */
const mostUnknownFields = 1_000;

/** The body is not a server-sent stream, or exceeds a limit. The message continues "the backend sent". */
export class BrokenStream extends Error {
  readonly remedy: "none" | "retry";

  constructor(message: string, remedy: "none" | "retry" = "retry") {
    super(message);
    this.remedy = remedy;
  }
}

/**
 * Parses bytes to events and pushes each when it is complete. Handles split multi-byte characters, CRLF and comments. Throws
 * `BrokenStream` on an event that exceeds the limit and on a line that may be a mangled event: to skip it silently would hide a gap
 * in the answer. Each character is looked at a constant number of times, however the bytes are cut.
 */
export class SseReader {
  readonly #onEvent: (event: ServerEvent) => void;
  /** Also drops a byte order mark. */
  readonly #decoder = new TextDecoder();
  /** The line that is not complete yet. */
  readonly #line = new TextPieces();
  /** The event that is not complete yet. */
  #event: string | undefined;
  #data: string | undefined;
  #size = 0;
  #unknownFields = 0;
  /** The last character was a CR that ended a line: an LF that follows belongs to it. */
  #endedByCr = false;
  #isEnding = false;

  constructor(onEvent: (event: ServerEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** How many characters are buffered. */
  get buffered(): number {
    return this.#size + this.#line.length;
  }

  feed(bytes: Uint8Array): void {
    this.#read(this.#decoder.decode(bytes, streaming));
  }

  /** Some providers omit the last blank line. The event before it counts if it is complete. */
  end(): void {
    const tail = this.#decoder.decode();
    this.#isEnding = true;
    this.#read(`${tail}\n\n`);
  }

  #read(text: string): void {
    let start = 0;
    if (this.#endedByCr && text !== "") {
      this.#endedByCr = false;
      if (text.charCodeAt(0) === lf) start = 1;
    }
    // Each of the two is searched again only when it was passed, so that a text of one kind is not searched for the other repeatedly.
    let nextLf = text.indexOf("\n", start);
    let nextCr = text.indexOf("\r", start);
    while (nextLf !== -1 || nextCr !== -1) {
      const isCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const end = isCr ? nextCr : nextLf;
      if (this.#line.length > 0) this.#takeHeld(text.slice(start, end));
      else if (start === end) this.#dispatch();
      else this.#take(text, start, end);
      start = end + 1;
      if (isCr) {
        if (start === text.length) this.#endedByCr = true;
        else if (nextLf === start) start++;
        nextCr = text.indexOf("\r", start);
      }
      if (nextLf !== -1 && nextLf < start) nextLf = text.indexOf("\n", start);
    }
    if (start < text.length) this.#line.add(start === 0 ? text : text.slice(start));
    if (this.buffered > longestEvent) throw tooLarge();
  }

  #takeHeld(rest: string): void {
    this.#line.add(rest);
    const line = this.#line.take();
    this.#take(line, 0, line.length);
  }

  /** Takes the line between two positions. The common fields are recognized without cutting out the line. */
  #take(text: string, start: number, end: number): void {
    const first = text.charCodeAt(start);
    if (first === letterD && text.startsWith("ata:", start + 1)) this.#addData(valueIn(text, start + 5, end));
    else if (first === letterE && text.startsWith("vent:", start + 1)) this.#name(valueIn(text, start + 6, end));
    else if (first !== colon) this.#takeOther(text.slice(start, end));
  }

  #takeOther(line: string): void {
    if (line === "data") this.#addData("");
    else if (line === "event") this.#name("");
    else if (!ignoredField.test(line)) this.#takeUnknown(line);
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    this.#size += value.length + costOfLine;
    if (this.#size > longestEvent) throw tooLarge();
  }

  #name(value: string): void {
    this.#event = value === "" || value.length > longestName ? undefined : value;
  }

  #takeUnknown(line: string): void {
    if (this.#isEnding) return;
    if (!unknownField.test(line)) throw new BrokenStream("a line that cannot be read");
    if (++this.#unknownFields > mostUnknownFields) throw new BrokenStream("too many lines that are no events", "none");
  }

  #dispatch(): void {
    const data = this.#data;
    const event = this.#event;
    this.#event = undefined;
    if (data === undefined) return;
    this.#data = undefined;
    this.#size = 0;
    if (this.#isEnding && data !== done && parseJson(data, answerLimits) === undefined) return;
    this.#onEvent({ event, data });
  }
}

function tooLarge(): BrokenStream {
  return new BrokenStream("an event that is too large", "none");
}

const streaming = { stream: true };
const lf = 10;
const space = 32;
const colon = 58;
const letterD = 100;
const letterE = 101;

/** A space after the colon is not part of the value. */
function valueIn(text: string, start: number, end: number): string {
  return text.slice(start < end && text.charCodeAt(start) === space ? start + 1 : start, end);
}

/** Fields for clients that reconnect. */
const ignoredField = /^(?:id|retry)(?::|$)/;

/** An unknown field, for example of a later version of the format. It holds no part of an answer. */
const unknownField = /^[A-Za-z][\w-]*(?::[^{]*)?$/;

/** The literal that ends a stream on both APIs. */
export const done = "[DONE]";

/** An event without a name. */
export function dataLine(payload: string): string {
  return `data: ${payload}\n\n`;
}
