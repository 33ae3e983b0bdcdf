import type { TurnEnding, TurnEvent } from "./event.ts";
import type { Item } from "./item.ts";

/**
 * Where an encoder writes: one frame is one event of a client's API, as its name and its JSON. The transport behind it decides what
 * becomes of a frame: an event of a server-sent stream, a message of a WebSocket, a line of a log.
 */
export interface FrameSink {
  /** `event` is empty where the API gives its events no names. */
  frame(event: string, json: string): void;
  /** Tells a waiting client that the turn goes on, where the API has no event for that. */
  keepAlive(): void;
  /** Nothing follows. */
  end(): void;
}

/** A sink whose frames become text for a connection. */
export interface TextSink extends FrameSink {
  /** What has come since the last time. */
  take(): string;
}

/** The answer as it grows: the items that the engine folds from the turn's events. */
export interface AnswerView {
  /** Those that are done, of all rounds. */
  readonly items: readonly Item[];
  /** The item that is open; where none is, the one that was done last. */
  readonly current: Item | undefined;
}

/**
 * Writes the events of a turn as frames of one API: as they come, or for an answer that is not streamed as one frame in `end`. An
 * encoder is created when the answer gets its id. The answer that it is given contains each event before the encoder sees that event,
 * so an encoder keeps no copy of the text.
 */
export interface Encoder {
  /** Whether it reads the answer. If nothing reads it, the engine keeps no copy of it. */
  readonly readsAnswer: boolean;
  /** Called once, before anything else. */
  open(): void;
  push(event: TurnEvent): void;
  keepAlive(): void;
  /** Called once, last. */
  end(ending: TurnEnding): void;
}

/** Where the answer to one request goes, once it is opened. */
export interface ReplyStream {
  /** Sends status and headers: from now on a failure is told in the stream. */
  open(): void;
  /** A promise means that the client is full: it resolves when it can take more. */
  write(text: string): Promise<void> | undefined;
  end(text: string): void;
}
