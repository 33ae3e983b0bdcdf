import { type BackendEvent, HeldBytes, type Holding, type JsonValue } from "../turn/index.ts";

/**
 * The most characters of text, reasoning and arguments in one answer: more than a million tokens. Most of the end of a Responses
 * stream repeats the answer, so a larger one would hold up other turns.
 */
const mostWords = 4 * 1024 * 1024;
/** The same for everything that passes through unread: items such as images, annotations, log probabilities. */
const mostCarried = 32 * 1024 * 1024;
/** What an item counts beside its content. A model that goes back and forth between text and reasoning makes an item each time. */
const costOfItem = 512;
/** What a value counts beside its characters, so that many small ones add up. */
const costOfValue = 16;

/** How large an answer is, in characters. */
export class AnswerSize {
  readonly #held: HeldBytes;
  #words = 0;
  #carried = 0;
  /** The type of the last event with content: another one begins another item. */
  #last: BackendEvent["type"] | undefined;
  /** The size when the current round began. */
  #before = { words: 0, carried: 0 };

  constructor(holding?: Holding) {
    this.#held = new HeldBytes(holding);
  }

  get characters(): number {
    return this.#words + this.#carried;
  }

  beginRound(): void {
    this.#before = { words: this.#words, carried: this.#carried };
  }

  rollBack(): void {
    this.#words = this.#before.words;
    this.#carried = this.#before.carried;
  }

  /**
   * Adds an event. Returns false if the answer has become too large. `isKept`: the engine keeps a copy of the answer. If not, only
   * what settle and the memory keep is counted: arguments, and fields that pass through unread.
   */
  add(event: BackendEvent, isKept: boolean): boolean {
    if (!isKept && event.type !== "call.arguments" && event.type !== "message.extra") return true;
    if (event.type !== this.#last) {
      this.#last = event.type;
      this.#carried += costOfItem;
    }
    switch (event.type) {
      case "text.delta":
        this.#words += event.text.length;
        if (event.logprobs) this.#carried += sizeOf(event.logprobs);
        break;
      case "reasoning.delta":
      case "refusal.delta":
        this.#words += event.text.length;
        break;
      case "call.arguments":
        this.#words += event.delta.length;
        break;
      default:
        this.#carried += carriedBy(event);
    }
    this.#held.reach(this.characters);
    return this.#words <= mostWords && this.#carried <= mostCarried;
  }
}

function carriedBy(event: BackendEvent): number {
  switch (event.type) {
    case "call.started":
      return costOfValue + event.name.length + (event.callId?.length ?? 0) + sizeOf(event.extensions?.fields);
    case "message.started":
    case "message.extra":
      return sizeOf(event.extensions?.fields);
    case "reasoning.done":
      return sizeOf(event.encrypted);
    case "annotation.added":
      return sizeOf(event.annotation);
    case "item.done":
      return sizeOf(event.item);
    default:
      return 0;
  }
}

/** About the length of the value as JSON. Backends have limited its depth. */
function sizeOf(value: JsonValue | undefined): number {
  if (typeof value === "string") return costOfValue + value.length;
  let size = costOfValue;
  if (Array.isArray(value)) for (const inside of value) size += sizeOf(inside);
  else if (typeof value === "object") for (const key in value) size += key.length + sizeOf(value[key]);
  return size;
}
