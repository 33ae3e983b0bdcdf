import { isObject, type JsonObject, type JsonValue, parseJson } from "../../src/turn/index.ts";
import {
  checkChatUsage,
  checkErrorBody,
  endedOfFinish,
  Faults,
  type Folded,
  type FoldedCall,
  flatAnnotation,
  isFilledString,
  objectsOf,
  portableId,
} from "./folded.ts";
import { readSse, type SseEvent } from "./sse.ts";

export interface ChatStreamOptions {
  /** The request had `stream_options.include_usage`. */
  includeUsage?: boolean;
  /** The provider says nothing about usage, so that there may be nothing to tell. */
  usageUnknown?: boolean;
  /** The scene is one where arguments that are not JSON are passed on as they are. */
  rawArguments?: boolean;
  /** Keys of a delta that a Chat provider has of its own and that are passed on. */
  foreignKeys?: string[];
}

export interface ChatStream extends Folded {
  faults: string[];
  chunks: JsonObject[];
  /** Calls that were begun and stop in the middle: a client must not run these. */
  unfinished: FoldedCall[];
  /** The legacy form of a call. */
  functionCall: { name: string; arguments: string } | null;
  comments: number;
}

/** Reads a stream of Chat Completions as the strictest of clients does, all of them together. */
export function checkChatStream(text: string, options: ChatStreamOptions = {}): ChatStream {
  const reader = new ChatStreamReader(options);
  const { events, comments } = readSse(text, reader.faults);
  for (const event of events) reader.read(event);
  return { ...reader.end(), comments };
}

const constants = ["id", "model", "created"] as const;
const deltaKeys = new Set([
  ...["role", "content", "refusal", "tool_calls", "function_call"],
  ...["reasoning_content", "reasoning", "annotations"],
]);
const finishReasons = new Set(["stop", "length", "tool_calls", "content_filter", "function_call"]);

class ChatStreamReader {
  readonly faults = new Faults();
  readonly #options: ChatStreamOptions;
  readonly #chunks: JsonObject[] = [];
  readonly #calls: FoldedCall[] = [];
  readonly #heard = { text: "", reasoning: "", refusal: "" };
  readonly #annotations: JsonObject[] = [];
  #functionCall: ChatStream["functionCall"] = null;
  #finish: string | null = null;
  #usage: Folded["usage"] = null;
  #usageChunks = 0;
  #error: Folded["error"] = null;
  #failed = false;
  #begun = false;
  #done = 0;

  constructor(options: ChatStreamOptions) {
    this.#options = options;
  }

  read({ event, data }: SseEvent): void {
    this.faults.unless(event === null, "an event line in a Chat stream");
    if (data === "[DONE]") {
      this.#done++;
      return;
    }
    if (!this.faults.unless(this.#done === 0, "[DONE] is not last")) return;
    const chunk = parseJson(data);
    if (!isObject(chunk)) {
      this.faults.add("data is neither a JSON object nor [DONE]");
      return;
    }
    this.#chunks.push(chunk);
    if (this.#failed) this.faults.add("a chunk after the error");
    if ("error" in chunk) this.#readError(chunk);
    else this.#readChunk(chunk);
  }

  end(): Omit<ChatStream, "comments"> {
    this.faults.unless(this.#done > 0, "no [DONE]");
    this.faults.unless(this.#done < 2, "two [DONE]");
    if (this.#failed) {
      this.faults.unless(this.#finish === null, "a finish_reason beside an error");
    } else if (this.faults.unless(this.#finish !== null, "neither a finish_reason nor an error")) {
      this.#checkFinish();
      const { includeUsage, usageUnknown } = this.#options;
      if (includeUsage && !usageUnknown) this.faults.unless(this.#usageChunks > 0, "no usage chunk");
    }
    const isWhole = (call: FoldedCall, index: number) =>
      this.#finish === "tool_calls" ||
      (call.kind === "function" ? parseJson(call.arguments) !== undefined : index < this.#calls.length - 1);
    return {
      faults: this.faults.list,
      chunks: this.#chunks,
      ...this.#heard,
      annotations: this.#annotations,
      calls: this.#calls.filter(isWhole),
      unfinished: this.#calls.filter((call, index) => !isWhole(call, index)),
      functionCall: this.#functionCall,
      finish: this.#finish,
      ended: this.#failed ? "failed" : endedOfFinish(this.#finish),
      usage: this.#usage,
      error: this.#error,
    };
  }

  #readError(chunk: JsonObject): void {
    this.#failed = true;
    this.#error = checkErrorBody(chunk.error, "the error chunk", this.faults);
    this.faults.unless(objectsOf(chunk.choices).length === 0, "an error chunk with choices");
  }

  #readChunk(chunk: JsonObject): void {
    this.faults.unless(chunk.object === "chat.completion.chunk", "object is not chat.completion.chunk");
    const first = this.#chunks.find((other) => !("error" in other)) ?? chunk;
    for (const key of constants) {
      const legal = key === "created" ? Number.isInteger(chunk[key]) : isFilledString(chunk[key]);
      if (this.faults.unless(legal, `a chunk without ${key}`))
        this.faults.unless(chunk[key] === first[key], `${key} changes`);
    }
    if (!Array.isArray(chunk.choices)) {
      this.faults.add("choices is not a list");
      return;
    }
    const choices = objectsOf(chunk.choices);
    if (choices.length === 0) {
      this.#readUsageChunk(chunk);
      return;
    }
    this.#checkUsageKey(chunk);
    this.faults.unless(choices.length === 1, "more than one choice");
    for (const choice of choices) this.#readChoice(choice);
  }

  #readUsageChunk(chunk: JsonObject): void {
    if (!this.faults.unless(this.#options.includeUsage === true, "a chunk without choices that nobody asked for"))
      return;
    this.faults.unless(this.#finish !== null, "the usage chunk comes before the finish_reason");
    this.faults.unless(++this.#usageChunks === 1, "two usage chunks");
    this.#usage = checkChatUsage(chunk.usage, this.faults);
  }

  #checkUsageKey(chunk: JsonObject): void {
    if (this.#options.includeUsage) {
      this.faults.unless("usage" in chunk, "no usage key though include_usage was asked");
      this.faults.unless((chunk.usage ?? null) === null, "usage on a chunk with choices");
    } else this.faults.unless(!("usage" in chunk), "usage that nobody asked for");
  }

  #readChoice(choice: JsonObject): void {
    this.faults.unless(choice.index === 0, "choice index is not 0");
    this.faults.unless(this.#finish === null, "a choice after the finish_reason");
    if (isObject(choice.delta)) this.#readDelta(choice.delta);
    else this.faults.add("a choice without delta");
    const finish = choice.finish_reason;
    if (finish === undefined) this.faults.add("a choice without the finish_reason key");
    else if (finish !== null) {
      this.faults.unless(typeof finish === "string" && finishReasons.has(finish), "finish_reason has an unknown value");
      this.#finish = String(finish);
    }
  }

  #readDelta(delta: JsonObject): void {
    if (!this.#begun) this.faults.unless(delta.role === "assistant", "the first delta has no role assistant");
    else this.faults.unless(!("role" in delta), "role is sent again");
    this.#begun = true;
    for (const key of Object.keys(delta)) {
      this.faults.unless(
        deltaKeys.has(key) || this.#options.foreignKeys?.includes(key) === true,
        `delta.${key} is unknown`,
      );
    }
    this.#heard.text += this.#text(delta, "content");
    this.#heard.refusal += this.#text(delta, "refusal");
    // Providers have two names for it, and clients read one of them each.
    const thought = this.#text(delta, "reasoning_content");
    const twin = this.#text(delta, "reasoning");
    if (thought !== "" && twin !== "") this.faults.unless(thought === twin, "reasoning and reasoning_content differ");
    this.#heard.reasoning += thought || twin;
    if ("annotations" in delta) this.#readAnnotations(delta.annotations);
    if ("tool_calls" in delta) this.#readToolCalls(delta.tool_calls);
    if ("function_call" in delta) this.#readFunctionCall(delta.function_call);
  }

  #text(delta: JsonObject, key: string): string {
    const value = delta[key];
    if (value === undefined || value === null) return "";
    return this.faults.unless(typeof value === "string", `delta.${key} is not a string`) ? String(value) : "";
  }

  #readAnnotations(value: JsonValue | undefined): void {
    const annotations = objectsOf(value);
    const legal = annotations.every((each) => isFilledString(each.type) && isObject(each[each.type]));
    this.faults.unless(annotations.length > 0 && legal, "delta.annotations are not of Chat's form");
    this.#annotations.push(...annotations.map(flatAnnotation));
  }

  #readToolCalls(value: JsonValue | undefined): void {
    const deltas = objectsOf(value);
    this.faults.unless(Array.isArray(value) && deltas.length > 0, "delta.tool_calls is not a list with calls");
    for (const delta of deltas) this.#readToolCall(delta);
  }

  #readToolCall(delta: JsonObject): void {
    const { index } = delta;
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0) {
      this.faults.add("a tool call without an integer index");
      return;
    }
    const kind = delta.type === "custom" || this.#calls[index]?.kind === "custom" ? "custom" : "function";
    const inside = isObject(delta[kind]) ? delta[kind] : {};
    const piece = kind === "custom" ? inside.input : inside.arguments;
    if (index >= this.#calls.length) this.#beginCall(delta, index, kind, inside.name);
    else this.#continueCall(delta, index, inside);
    this.faults.unless(typeof piece === "string", "arguments are not a string");
    const call = this.#calls[index];
    if (call && typeof piece === "string") call.arguments += piece;
  }

  #beginCall(delta: JsonObject, index: number, kind: FoldedCall["kind"], name: JsonValue | undefined): void {
    if (!this.faults.unless(index === this.#calls.length, "the index of a call is skipped")) return;
    this.faults.unless(typeof delta.id === "string" && portableId.test(delta.id), "a call's first delta has no fit id");
    this.faults.unless(delta.type === kind, "a call's first delta has no type");
    this.faults.unless(isFilledString(name), "a call's first delta has no name");
    this.faults.unless(!this.#calls.some((call) => call.id === delta.id), "two calls have one id");
    this.#calls.push({ id: String(delta.id ?? ""), name: String(name ?? ""), arguments: "", kind });
  }

  #continueCall(delta: JsonObject, index: number, inside: JsonObject): void {
    this.faults.unless(index === this.#calls.length - 1, "deltas of two calls are mixed");
    // Some clients take what comes last, others put the pieces together: even the same value again harms.
    for (const key of ["id", "type"]) this.faults.unless(!(key in delta), `a call's ${key} is sent again`);
    this.faults.unless(!("name" in inside), "a call's name is sent again");
  }

  #readFunctionCall(value: JsonValue | undefined): void {
    if (!isObject(value)) {
      this.faults.add("delta.function_call is not an object");
      return;
    }
    if (this.#functionCall) this.faults.unless(!("name" in value), "function_call's name is sent again");
    else this.faults.unless(isFilledString(value.name), "function_call's first delta has no name");
    this.#functionCall ??= { name: String(value.name ?? ""), arguments: "" };
    if (this.faults.unless(typeof value.arguments === "string", "arguments are not a string")) {
      this.#functionCall.arguments += String(value.arguments);
    }
  }

  #checkFinish(): void {
    const finish = this.#finish;
    const calls = this.#calls.length;
    if (finish === "tool_calls") this.faults.unless(calls > 0, "finish_reason tool_calls without a call");
    if (finish === "function_call") {
      this.faults.unless(this.#functionCall !== null, "finish_reason function_call without one");
    }
    if (finish === "stop") {
      this.faults.unless(calls === 0 && this.#functionCall === null, "finish_reason stop though there is a call");
    }
    this.faults.unless(calls === 0 || this.#functionCall === null, "tool_calls beside function_call");
    const runnable = [
      ...(finish === "tool_calls" ? this.#calls.filter((call) => call.kind === "function") : []),
      ...(finish === "function_call" && this.#functionCall ? [this.#functionCall] : []),
    ];
    if (this.#options.rawArguments) return;
    for (const call of runnable) {
      this.faults.unless(parseJson(call.arguments) !== undefined, "a call whose arguments are not whole JSON");
    }
  }
}
