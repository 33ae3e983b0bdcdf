import {
  type CallItem,
  givenBack,
  type Item,
  type JsonObject,
  type JsonValue,
  type MessageItem,
} from "../../turn/index.ts";
import { writeAnnotation } from "./answer.ts";
import { writeImages } from "./images.ts";

/** Everything that the assistant did in its turn, as the one message that this API allows. */
export class AnswerMessage {
  readonly calls: CallItem[] = [];
  readonly #logprobs: JsonObject[] = [];
  readonly #annotations: JsonObject[] = [];
  readonly #extra: JsonObject = {};
  /** Which fields of `#extra` are lists that this message has made and may extend. */
  readonly #ownLists = new Set<string>();
  #text = "";
  #reasoning = "";
  #refusal = "";

  constructor(items: readonly Item[]) {
    for (const item of items) this.#add(item);
  }

  /** The only choice of the completion. `empty` are keys that the message has also if they say nothing. */
  choice(legacy: boolean, finishReason: JsonValue, empty?: JsonObject): JsonObject {
    return {
      index: 0,
      message: { ...empty, ...this.#write(legacy) },
      logprobs: this.#logprobs.length > 0 ? { content: this.#logprobs, refusal: null } : null,
      finish_reason: finishReason,
    };
  }

  #write(legacy: boolean): JsonObject {
    const hasNoText = this.#text === "" && (this.calls.length > 0 || this.#refusal !== "");
    const message: JsonObject = {
      role: "assistant",
      content: hasNoText ? null : this.#text,
      refusal: this.#refusal === "" ? null : this.#refusal,
      annotations: this.#annotations,
      ...this.#extra,
    };
    if (this.#reasoning !== "") message.reasoning_content = this.#reasoning;
    const [first] = this.calls;
    if (first && legacy) message.function_call = { name: first.name, arguments: first.arguments };
    else if (first) message.tool_calls = this.calls.map(writeCall);
    return message;
  }

  #add(item: Item): void {
    switch (item.type) {
      case "message":
        this.#say(item);
        return;
      case "reasoning":
        this.#reasoning += item.summary.join("");
        return;
      case "call":
        if (item.owner !== "gateway") this.calls.push(item);
        return;
      case "opaque":
        this.#addExtra(writeImages(item));
    }
  }

  #say({ content, continues, extensions }: MessageItem): void {
    let isFirst = true;
    for (const part of content) {
      if (part.type === "refusal") this.#refusal += part.refusal;
      if (part.type !== "text") continue;
      const separator = isFirst && !continues && this.#text !== "" && part.text !== "" ? "\n\n" : "";
      if (part.text !== "") isFirst = false;
      this.#text += separator + part.text;
      for (const annotation of part.annotations ?? []) this.#annotations.push(writeAnnotation(annotation));
      for (const logprob of part.logprobs ?? []) this.#logprobs.push(logprob);
    }
    this.#addExtra(givenBack(extensions, "chat"));
  }

  #addExtra(fields: JsonObject | undefined): void {
    for (const [key, value] of Object.entries(fields ?? {})) {
      const before = this.#extra[key];
      if (Array.isArray(before) && Array.isArray(value)) this.#extend(key, before, value);
      else {
        this.#extra[key] = value;
        this.#ownLists.delete(key);
      }
    }
  }

  #extend(key: string, before: JsonValue[], more: readonly JsonValue[]): void {
    const list = this.#ownLists.has(key) ? before : before.slice();
    for (const value of more) list.push(value);
    this.#extra[key] = list;
    this.#ownLists.add(key);
  }
}

function writeCall({ kind, callId: id, name, arguments: text, extensions }: CallItem): JsonObject {
  const extra = givenBack(extensions, "chat");
  return kind === "custom"
    ? { ...extra, id, type: "custom", custom: { name, input: text } }
    : { ...extra, id, type: "function", function: { name, arguments: text } };
}
