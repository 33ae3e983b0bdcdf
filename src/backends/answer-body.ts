import {
  answerLimits,
  BeyondJsonLimits,
  HeldBytes,
  type Holding,
  JsonReader,
  type JsonValue,
  TextPieces,
  type TurnError,
} from "../turn/index.ts";
import { type ServerEvent, SseReader } from "../wire/sse.ts";
import { parseProviderJson, tooMuchJson } from "./provider-json.ts";
import { errorFromStatus, invalidAnswer, type Redact } from "./upstream-errors.ts";

/** Reads one provider's answer, streamed or whole. The last event that it emits is a terminal one. */
export interface AnswerReader {
  event(event: ServerEvent): void;
  whole(answer: JsonValue): void;
  /** The body has ended; a terminal event must have been emitted when this returns. */
  end(): void;
  /** Whether the answer is complete, so that a broken connection does no harm. */
  readonly enough: boolean;
  /** Whether the terminal event was emitted, so that there is nothing to wait for. */
  readonly finished: boolean;
}

/** The body of a provider's response. */
export interface Body {
  feed(chunk: Buffer): void;
  /** The body has ended. Returns the next step if the rest is long work: it is done in a later turn of the event loop. */
  end(): Step | undefined;
}

export type Step = () => Step | undefined;

export interface BodyParts {
  /** The backend's name. */
  name: string;
  reader: AnswerReader;
  holding: Holding | undefined;
}

const largestErrorBody = 64 * 1024;
const largestAnswer = 32 * 1024 * 1024;
/** A larger answer is parsed as it arrives. */
const smallAnswer = 64 * 1024;
/** To ask again for a larger answer that cannot be read costs too much. */
const largestRetried = 1024 * 1024;
const streaming = { stream: true };
const decoder = new TextDecoder();

/**
 * The body of an answer. Its first character shows what it is, whatever its content type says: JSON begins with a bracket, a line of
 * a stream never does. Whitespace before it keeps a connection alive while the model thinks.
 */
export class AnswerBody implements Body {
  readonly #parts: BodyParts;
  readonly #seemsStream: boolean;
  #body: Body | undefined;

  constructor(parts: BodyParts, seemsStream: boolean) {
    this.#parts = parts;
    this.#seemsStream = seemsStream;
  }

  feed(chunk: Buffer): void {
    if (!this.#body) {
      const first = /[^\s\ufeff]/.exec(chunk.toString("utf8", 0, 64))?.[0];
      if (first === undefined && chunk.length <= 64) return;
      this.#body = this.#begun(first);
    }
    this.#body.feed(chunk);
  }

  end(): Step | undefined {
    return (this.#body ?? this.#begun(undefined)).end();
  }

  #begun(first: string | undefined): Body {
    const isStream = first === undefined ? this.#seemsStream : !'{["<'.includes(first);
    if (isStream) return new StreamBody(this.#parts);
    const { name } = this.#parts;
    if (first === "<") throw invalidAnswer(name, notJson);
    if (first === "[" || first === '"') throw invalidAnswer(name, notAnObject, "none");
    return new WholeBody(this.#parts);
  }
}

export const notAnObject = "an answer that is not a JSON object";

class StreamBody implements Body {
  readonly #reader: AnswerReader;
  readonly #sse: SseReader;
  readonly #held: HeldBytes;

  constructor({ reader, holding }: BodyParts) {
    this.#reader = reader;
    this.#held = new HeldBytes(holding);
    this.#sse = new SseReader((event) => {
      if (!reader.finished) reader.event(event);
    });
  }

  feed(chunk: Buffer): void {
    this.#sse.feed(chunk);
    this.#held.reach(this.#sse.buffered);
  }

  end(): undefined {
    this.#sse.end();
    if (!this.#reader.finished) this.#reader.end();
  }
}

/** A small answer is parsed at its end, a large one as it arrives. */
class WholeBody implements Body {
  readonly #name: string;
  readonly #reader: AnswerReader;
  readonly #held: HeldBytes;
  #chunks: Buffer[] = [];
  #json: JsonReader | undefined;
  #size = 0;

  constructor({ name, reader, holding }: BodyParts) {
    this.#name = name;
    this.#reader = reader;
    this.#held = new HeldBytes(holding);
  }

  feed(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > largestAnswer) throw invalidAnswer(this.#name, "an answer that is too large", "none");
    this.#held.reach(this.#size);
    this.#chunks.push(chunk);
    if (this.#size > smallAnswer) this.#parseSome();
  }

  end(): Step | undefined {
    if (!this.#json) {
      this.#reader.whole(this.#parseSmall());
      return undefined;
    }
    const answer = this.#parsed(this.#json.end.bind(this.#json));
    return () => void this.#reader.whole(answer);
  }

  #parseSome(): void {
    const json = this.#json ?? new JsonReader(answerLimits);
    this.#json = json;
    for (const chunk of this.#chunks) {
      for (let at = 0; at < chunk.length; at += json.piece) {
        this.#parsed(() => json.feed(chunk.subarray(at, at + json.piece)));
      }
    }
    this.#chunks = [];
  }

  #parseSmall(): JsonValue {
    // Also drops the byte order mark that some servers write before JSON, which does not allow one.
    const answer = parseProviderJson(this.#name, decoder.decode(Buffer.concat(this.#chunks)));
    if (answer !== undefined) return answer;
    throw this.#invalid();
  }

  #invalid(): TurnError {
    return invalidAnswer(this.#name, notJson, this.#size > largestRetried ? "none" : "retry");
  }

  #parsed<Result>(parse: () => Result): Result {
    try {
      return parse();
    } catch (thrown) {
      if (thrown instanceof BeyondJsonLimits) throw tooMuchJson(this.#name, thrown.what);
      if (thrown instanceof SyntaxError) throw this.#invalid();
      throw thrown;
    }
  }
}

const notJson = "an answer that is not JSON";

export interface ErrorBodyParts {
  name: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  redact: Redact;
}

/** The body of an HTTP error. Its end throws the error. So does a body that is too long to be read to its end. */
export class ErrorBody implements Body {
  readonly #parts: ErrorBodyParts;
  readonly #decoder = new TextDecoder();
  readonly #text = new TextPieces();
  #size = 0;

  constructor(parts: ErrorBodyParts) {
    this.#parts = parts;
  }

  feed(chunk: Buffer): void {
    this.#size += chunk.length;
    this.#text.add(this.#decoder.decode(chunk, streaming));
    if (this.#size > largestErrorBody) this.end();
  }

  end(): never {
    const { name, status, headers, redact } = this.#parts;
    throw errorFromStatus(name, status, this.#text.take().slice(0, largestErrorBody), headers, redact);
  }
}
