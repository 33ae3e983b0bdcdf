import {
  type CallKind,
  type Encoder,
  type FinishReason,
  givenBack,
  type JsonObject,
  type TurnEvent,
  type Usage,
} from "../../turn/index.ts";
import { errorEnvelope } from "../envelope.ts";
import { imagesOfItem } from "../images.ts";
import { completionId, finishReason, writeAnnotation, writeUsage } from "./answer.ts";
import type { ChatAnswer } from "./encode-stream.ts";

interface Call {
  kind: CallKind;
  id: string;
  name: string;
  arguments: string;
  whole: boolean;
  extra: JsonObject | undefined;
}

/** A Chat Completions answer in one piece. */
export class ChatWholeEncoder implements Encoder {
  readonly streams = false;
  readonly #answer: ChatAnswer;
  readonly #calls: Call[] = [];
  readonly #annotations: JsonObject[] = [];
  readonly #extra: JsonObject = {};
  readonly #images: JsonObject[] = [];
  #text = "";
  #separate = false;
  #reasoning = "";
  #refusal = "";
  readonly #logprobs: JsonObject[] = [];
  #usage: Usage | undefined;

  constructor(answer: ChatAnswer) {
    this.#answer = answer;
  }

  open(): string {
    return "";
  }

  keepAlive(): string {
    return "";
  }

  push(event: TurnEvent): string {
    switch (event.type) {
      case "text.delta":
        this.#text += this.#separate ? `\n\n${event.text}` : event.text;
        this.#separate = false;
        for (const logprob of event.logprobs ?? []) this.#logprobs.push(logprob);
        return "";
      case "reasoning.delta":
        this.#reasoning += event.text;
        return "";
      case "refusal.delta":
        this.#refusal += event.text;
        return "";
      case "annotation.added":
        this.#annotations.push(writeAnnotation(event.annotation));
        return "";
      case "message.started":
        this.#separate = this.#text !== "";
        return "";
      case "call.started":
        this.#calls.push({
          kind: event.kind,
          id: event.callId ?? "",
          name: event.name,
          arguments: "",
          whole: false,
          extra: givenBack(event.extensions, "chat"),
        });
        return "";
      case "call.arguments": {
        const call = this.#calls.at(-1);
        if (call) call.arguments += event.delta;
        return "";
      }
      case "call.done": {
        const call = this.#calls.at(-1);
        if (call) call.whole = true;
        return "";
      }
      case "item.done":
        if (event.format === "chat") Object.assign(this.#extra, event.item);
        else this.#images.push(...imagesOfItem(event.item));
        return "";
      case "usage.reported":
        this.#usage = event.usage;
        return "";
      case "turn.finished":
        return this.#finish(event.reason);
      case "turn.failed":
        return errorEnvelope(event.error.body);
      case "message.done":
      case "reasoning.started":
      case "reasoning.done":
      case "response.started":
      case "call.repaired":
        return "";
    }
  }

  #finish(reason: FinishReason): string {
    const { model, created, legacy } = this.#answer;
    const calls = this.#calls.filter((call) => call.whole);
    return JSON.stringify({
      id: completionId(),
      object: "chat.completion",
      created,
      model,
      choices: [
        {
          index: 0,
          message: this.#message(calls),
          logprobs: this.#logprobs.length > 0 ? { content: this.#logprobs, refusal: null } : null,
          finish_reason: finishReason(reason, calls.length > 0, legacy),
        },
      ],
      usage: this.#usage ? writeUsage(this.#usage) : undefined,
    });
  }

  #message(calls: readonly Call[]): JsonObject {
    const message: JsonObject = {
      role: "assistant",
      content: this.#text === "" && (calls.length > 0 || this.#refusal !== "") ? null : this.#text,
      refusal: this.#refusal === "" ? null : this.#refusal,
      annotations: this.#annotations,
      ...this.#extra,
    };
    if (this.#images.length > 0) message.images = this.#images;
    if (this.#reasoning !== "") message.reasoning_content = this.#reasoning;
    const [first] = calls;
    if (first && this.#answer.legacy) message.function_call = { name: first.name, arguments: first.arguments };
    else if (first) message.tool_calls = calls.map(writeCall);
    return message;
  }
}

function writeCall({ kind, id, name, arguments: text, extra }: Call): JsonObject {
  return kind === "custom"
    ? { ...extra, id, type: "custom", custom: { name, input: text } }
    : { ...extra, id, type: "function", function: { name, arguments: text } };
}
