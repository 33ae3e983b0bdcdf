import type { FrameSink, TextSink } from "../turn/index.ts";
import { done } from "./sse.ts";

/** Writes frames as server-sent events. */
export class SseSink implements TextSink {
  #text = "";

  frame(event: string, json: string): void {
    this.#text += event === "" ? `data: ${json}\n\n` : `event: ${event}\ndata: ${json}\n\n`;
  }

  keepAlive(): void {
    this.#text += ": keep-alive\n\n";
  }

  end(): void {
    this.#text += `data: ${done}\n\n`;
  }

  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }
}

/** Keeps only the last frame, which is the body of a whole answer. */
export class WholeSink implements TextSink {
  #body = "";

  frame(_event: string, json: string): void {
    this.#body = json;
  }

  keepAlive(): void {}

  end(): void {}

  take(): string {
    return this.#body;
  }
}

export interface Frame {
  event: string;
  json: string;
}

/** Records every frame. Replaying them into another sink, from any index, produces the same bytes. */
export class FrameRecorder implements FrameSink {
  readonly frames: Frame[] = [];
  isEnded = false;

  frame(event: string, json: string): void {
    this.frames.push({ event, json });
  }

  keepAlive(): void {}

  end(): void {
    this.isEnded = true;
  }

  play(sink: FrameSink, from = 0): void {
    for (let at = from; at < this.frames.length; at++) {
      const frame = this.frames[at];
      if (frame) sink.frame(frame.event, frame.json);
    }
    if (this.isEnded) sink.end();
  }
}
