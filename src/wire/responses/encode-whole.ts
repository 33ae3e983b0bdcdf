import type { Encoder, TurnEnding } from "../../turn/index.ts";
import type { AnswerOptions } from "../codec.ts";
import { errorEnvelope } from "../envelope.ts";
import type { ResponsesRequest } from "./decode.ts";
import { createResponseWriter, endedState } from "./response-object.ts";

/** A Responses answer in one piece. */
export class ResponsesWholeEncoder implements Encoder {
  readonly streams = false;
  readonly readsAnswer = true;
  readonly #request: ResponsesRequest;
  readonly #options: AnswerOptions;
  #id = "";

  constructor(request: ResponsesRequest, options: AnswerOptions) {
    this.#request = request;
    this.#options = options;
  }

  open(id: string): void {
    this.#id = id;
  }

  push(): void {}

  keepAlive(): void {}

  end(ending: TurnEnding): void {
    const { sink, answer, model, now } = this.#options;
    if (ending.type === "turn.failed") sink.frame("", errorEnvelope(ending.error.body));
    else {
      const createdAt = now();
      const write = createResponseWriter(this.#request, { id: this.#id, model, createdAt });
      sink.frame("", write(endedState(ending, answer.items, createdAt)));
    }
    sink.end();
  }
}
