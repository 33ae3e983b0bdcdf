import {
  type CallKind,
  type Encoder,
  type ErrorBody,
  type FinishReason,
  givenBack,
  type JsonObject,
  type TurnEvent,
  type Usage,
} from "../../turn/index.ts";
import { imagesOfItem } from "../images.ts";
import { dataLine, doneLine } from "../sse.ts";
import { completionId, finishReason, writeAnnotation, writeUsage } from "./answer.ts";

export interface ChatAnswer {
  model: string;
  created: number;
  includeUsage: boolean;
  legacy: boolean;
}

/**
 * The chunks of a Chat Completions stream, in the strictest form that clients need: the role first, one index a call, its
 * name once, one finish reason, then usage if it was asked for, then `[DONE]`.
 */
export class ChatStreamEncoder implements Encoder {
  readonly streams = true;
  readonly #legacy: boolean;
  readonly #includeUsage: boolean;
  /** What stands before and after a choice is the same in every chunk of a stream. */
  readonly #head: string;
  readonly #tail: string;
  #index = -1;
  #kind: CallKind = "function";
  #roleSent = false;
  #textSent = false;
  #separate = false;
  #callsDone = 0;
  #usage: Usage | undefined;

  constructor({ model, created, includeUsage, legacy }: ChatAnswer) {
    this.#legacy = legacy;
    this.#includeUsage = includeUsage;
    const start = JSON.stringify({ id: completionId(), object: "chat.completion.chunk", created, model });
    this.#head = `data: ${start.slice(0, -1)},"choices":[{"index":0,"delta":{`;
    this.#tail = `}]${includeUsage ? ',"usage":null' : ""}}\n\n`;
  }

  open(): string {
    return "";
  }

  keepAlive(): string {
    return ": keep-alive\n\n";
  }

  push(event: TurnEvent): string {
    switch (event.type) {
      case "text.delta":
        return this.#text(event.text, event.logprobs);
      case "reasoning.delta":
        return this.#delta(`"reasoning_content":${JSON.stringify(event.text)}`);
      case "refusal.delta":
        return this.#delta(`"refusal":${JSON.stringify(event.text)}`);
      case "annotation.added":
        return this.#delta(`"annotations":${JSON.stringify([writeAnnotation(event.annotation)])}`);
      case "message.started":
        this.#separate = this.#textSent;
        return "";
      case "call.started": {
        const index = ++this.#index;
        this.#kind = event.kind;
        if (this.#legacy) return this.#delta(`"function_call":${JSON.stringify({ name: event.name, arguments: "" })}`);
        const extra = givenBack(event.extensions, "chat");
        const call =
          event.kind === "custom"
            ? { ...extra, index, id: event.callId, type: "custom", custom: { name: event.name, input: "" } }
            : { ...extra, index, id: event.callId, type: "function", function: { name: event.name, arguments: "" } };
        return this.#delta(`"tool_calls":${JSON.stringify([call])}`);
      }
      case "call.arguments":
        return this.#arguments(event.delta);
      case "call.done":
        this.#callsDone++;
        return "";
      case "item.done":
        return this.#extra(event.format === "chat" ? event.item : { images: imagesOfItem(event.item) });
      case "usage.reported":
        this.#usage = event.usage;
        return "";
      case "turn.finished":
        return this.#finish(event.reason);
      case "turn.failed":
        return this.#fail(event.error.body);
      case "message.done":
      case "reasoning.started":
      case "reasoning.done":
      case "response.started":
      case "call.repaired":
        return "";
    }
  }

  /** What passes through unread in this API is a piece of a delta. */
  #extra(fields: JsonObject): string {
    if (Array.isArray(fields.images) && fields.images.length === 0) return "";
    return this.#delta(JSON.stringify(fields).slice(1, -1));
  }

  #text(text: string, logprobs: JsonObject[] | undefined): string {
    const content = this.#separate ? `\n\n${text}` : text;
    this.#separate = false;
    this.#textSent = true;
    return this.#delta(
      `"content":${JSON.stringify(content)}`,
      logprobs && `"logprobs":${JSON.stringify({ content: logprobs, refusal: null })}`,
    );
  }

  #arguments(delta: string): string {
    const text = JSON.stringify(delta);
    if (this.#legacy) return this.#delta(`"function_call":{"arguments":${text}}`);
    const piece = this.#kind === "custom" ? `"custom":{"input":${text}}` : `"function":{"arguments":${text}}`;
    return this.#delta(`"tool_calls":[{"index":${this.#index},${piece}}]`);
  }

  #delta(fields: string, beside?: string): string {
    const extra = beside ? `${beside},` : "";
    return `${this.#role(fields)}${this.#head}${fields}},${extra}"finish_reason":null${this.#tail}`;
  }

  #role(next: string): string {
    if (this.#roleSent) return "";
    this.#roleSent = true;
    const content = next.startsWith('"content"') ? '""' : "null";
    return `${this.#head}"role":"assistant","content":${content}},"finish_reason":null${this.#tail}`;
  }

  #finish(reason: FinishReason): string {
    const finish = finishReason(reason, this.#callsDone > 0, this.#legacy);
    const last = `${this.#role('"content"')}${this.#head}},"finish_reason":"${finish}"${this.#tail}`;
    return `${last}${this.#usageChunk()}${doneLine}`;
  }

  #usageChunk(): string {
    if (!this.#includeUsage || !this.#usage) return "";
    const start = this.#head.slice(0, this.#head.indexOf(',"choices":['));
    return `${start},"choices":[],"usage":${JSON.stringify(writeUsage(this.#usage))}}\n\n`;
  }

  #fail(error: ErrorBody): string {
    return `${dataLine(JSON.stringify({ error }))}${doneLine}`;
  }
}
