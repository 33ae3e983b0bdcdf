import type { Encoder, TurnEnding } from "../../turn/index.ts";
import type { AnswerOptions } from "../codec.ts";
import type { ResponsesRequest } from "./decode.ts";
import { createResponseWriter, endedState } from "./response-object.ts";

/** Encodes a whole Responses answer. */
export class ResponsesWholeEncoder implements Encoder {
  readonly readsAnswer = true;
  readonly #request: ResponsesRequest;
  readonly #options: AnswerOptions;

  constructor(request: ResponsesRequest, options: AnswerOptions) {
    this.#request = request;
    this.#options = options;
  }

  open(): void {}

  push(): void {}

  keepAlive(): void {}

  end(ending: TurnEnding): void {
    const { id, sink, answer, model, createdAt, now } = this.#options;
    if (ending.type === "turn.finished") {
      const write = createResponseWriter(this.#request, { id, model, createdAt });
      sink.frame("", write(endedState(ending, answer.items, now())));
    }
    sink.end();
  }
}
