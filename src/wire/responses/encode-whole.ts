import type { Encoder, TurnEnding } from "../../turn/index.ts";
import type { AnswerOptions } from "../codec.ts";
import type { ResponsesRequest } from "./decode.ts";
import { endedState, ResponseWriter } from "./response-object.ts";

/** Encodes a whole Responses answer. */
export class ResponsesWholeEncoder implements Encoder {
  readonly readsAnswer = true;
  readonly #request: ResponsesRequest;
  readonly #options: AnswerOptions;
  #response: ResponseWriter | undefined;
  #completedAt: number | undefined;

  constructor(request: ResponsesRequest, options: AnswerOptions) {
    this.#request = request;
    this.#options = options;
  }

  open(): void {}

  push(): void {}

  keepAlive(): void {}

  describe(ending: TurnEnding): string {
    return this.#writer().describe(ending, this.#completionTime());
  }

  end(ending: TurnEnding): void {
    const { sink, answer } = this.#options;
    if (ending.type === "turn.finished")
      sink.frame("", this.#writer().write(endedState(ending, answer.items, this.#completionTime())));
    sink.end();
  }

  /** The same in the stored response and in the one that the client gets. */
  #completionTime(): number {
    this.#completedAt ??= this.#options.now();
    return this.#completedAt;
  }

  #writer(): ResponseWriter {
    this.#response ??= new ResponseWriter(this.#request, this.#options);
    return this.#response;
  }
}
