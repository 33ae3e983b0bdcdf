import { chatApi } from "../../backends/chat/index.ts";
import { responsesApi } from "../../backends/responses/index.ts";
import type { ProviderApi, ServiceApi } from "../../backends/service.ts";
import { invalidAnswer } from "../../backends/upstream-errors.ts";
import type { Ending } from "../../dialects/index.ts";
import { type Backend, type BackendRound, noQuirks, type Turn } from "../../turn/index.ts";
import { BrokenStream, SseReader } from "../../wire/sse.ts";
import type { Recording } from "./recording.ts";

/** How a recorded text is played. */
export interface TextSettings {
  ending: Ending;
  /** Characters per event. Default: the whole text in one event. */
  pieces: number | undefined;
}

const apis: Record<ProviderApi, ServiceApi> = { chat: chatApi, responses: responsesApi };

/** About the size of one network read. */
const readSize = 64 * 1024;

/** Answers every request with the recording. */
export class RecordedBackend implements Backend {
  readonly name = "recording";
  readonly capabilities = { carries: () => true, quirks: noQuirks };
  readonly #recording: Recording;
  readonly #settings: TextSettings;

  constructor(recording: Recording, settings: TextSettings) {
    this.#recording = recording;
    this.#settings = settings;
  }

  async run(turn: Turn, round: BackendRound): Promise<void> {
    const recording = this.#recording;
    if (recording.kind === "text") {
      await this.#emitText(recording.text, round);
      return;
    }
    const reader = apis[recording.api].createReader(this.name, (text) => text, round.emit, turn);
    if (recording.kind === "whole") {
      reader.whole(recording.answer);
      return;
    }
    const sse = new SseReader((event) => {
      if (!reader.finished) reader.event(event);
    });
    const bytes = Buffer.from(recording.text);
    try {
      for (let at = 0; at < bytes.length && !reader.finished; at += readSize) {
        sse.feed(bytes.subarray(at, at + readSize));
        await round.flush();
      }
      if (!reader.finished) sse.end();
      if (!reader.finished) reader.end();
    } catch (error) {
      throw error instanceof BrokenStream ? invalidAnswer(this.name, error.message) : error;
    }
  }

  async #emitText(text: string, { emit, flush }: BackendRound): Promise<void> {
    const { ending, pieces = text.length } = this.#settings;
    for (let at = 0; at < text.length; ) {
      const piece = text.slice(at, wholeCharacter(text, at + pieces));
      emit({ type: "text.delta", text: piece });
      at += piece.length;
      await flush();
    }
    emit({ type: "round.finished", reason: ending === "cut" ? "length" : "stop" });
  }
}

/** The offset itself, or the next one if it would split a surrogate pair. */
function wholeCharacter(text: string, offset: number): number {
  const before = text.charCodeAt(offset - 1);
  return before >= 0xd800 && before < 0xdc00 ? offset + 1 : offset;
}
