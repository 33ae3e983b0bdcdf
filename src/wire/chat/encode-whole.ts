import type { Encoder, TurnEnding, TurnFinished } from "../../turn/index.ts";
import type { AnswerOptions } from "../codec.ts";
import { finishReason, hasCalls, writeUsage } from "./answer.ts";
import { AnswerMessage } from "./answer-message.ts";
import type { ChatRequest } from "./decode.ts";
import { describeCompletion } from "./stored-completion.ts";

/** Encodes a whole Chat Completions answer. */
export class ChatWholeEncoder implements Encoder {
  readonly readsAnswer = true;
  readonly #request: ChatRequest;
  readonly #options: AnswerOptions;

  constructor(request: ChatRequest, options: AnswerOptions) {
    this.#request = request;
    this.#options = options;
  }

  open(): void {}

  push(): void {}

  keepAlive(): void {}

  describe(ending: TurnEnding): string {
    return describeCompletion(this.#request, this.#options, ending, hasCalls(this.#options.answer.items));
  }

  end(ending: TurnEnding): void {
    const { sink } = this.#options;
    if (ending.type === "turn.finished") sink.frame("", this.#completion(ending));
    sink.end();
  }

  #completion({ reason, usage }: TurnFinished): string {
    const { id, model, createdAt: created, answer } = this.#options;
    const { legacy } = this.#request;
    const message = new AnswerMessage(answer.items);
    return JSON.stringify({
      id,
      object: "chat.completion",
      created,
      model,
      choices: [message.choice(legacy, finishReason(reason, message.calls.length > 0, legacy))],
      usage: usage ? writeUsage(usage) : undefined,
    });
  }
}
