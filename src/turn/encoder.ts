import type { TurnEnding, TurnEvent } from "./event.ts";
import type { Item } from "./item.ts";

/**
 * Where an encoder writes. One frame is one event of the client's API: its name and its JSON. The transport decides what a frame
 * becomes: a server-sent event, a WebSocket message, or a log line.
 */
export interface FrameSink {
  /** `event` is empty if the API does not name its events. */
  frame(event: string, json: string): void;
  /** Signals to a waiting client that the turn is still running, if the API has no event for that. */
  keepAlive(): void;
  /** No frame follows. */
  end(): void;
}

/** A sink that turns frames into text for a connection. */
export interface TextSink extends FrameSink {
  /** Returns the text since the last call. */
  take(): string;
}

/** The answer so far: the items that the engine folds from the turn's events. */
export interface AnswerView {
  /** The completed items of all rounds. */
  readonly items: readonly Item[];
  /** The open item. If none is open, the item that was completed last. */
  readonly current: Item | undefined;
}

/**
 * Writes the events of a turn as frames of one API. An encoder is created when the answer gets its id. `answer` contains each event
 * before the encoder gets that event, so an encoder keeps no copy of the text.
 *
 * An answer that is not streamed has its encoder created at its end: `end` writes all of `answer.items` as one frame. A client does
 * not see the calls that the gateway runs: an encoder skips the events of a call whose `owner` is `gateway`, and each `output.done`.
 */
export interface Encoder {
  /** Whether it reads the answer. If nothing reads it, the engine keeps no copy of it. */
  readonly readsAnswer: boolean;
  /** Called once, before anything else. */
  open(): void;
  push(event: TurnEvent): void;
  keepAlive(): void;
  /**
   * The answer's object as JSON text, without its output and metadata, which the store keeps elsewhere. Called before `end`, also
   * if the encoder was never opened, because the client has left. An API without stored answers does not implement it.
   */
  describe?(ending: TurnEnding): string;
  /**
   * Called once, last, if the turn has finished or its stream was opened; it ends the sink, too. Any other failure is an HTTP error
   * with the codec's `errorBody`.
   */
  end(ending: TurnEnding): void;
}

/** The connection that receives the answer to one request. */
export interface ReplyStream {
  /** Sends status and headers. From now on a failure is reported in the stream. */
  open(): void;
  /** A promise means that the client's buffer is full. It resolves when the client can take more. */
  write(text: string): Promise<void> | undefined;
  end(text: string): void;
}
