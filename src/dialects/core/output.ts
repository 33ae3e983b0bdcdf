import type { TextRepair } from "../dialect.ts";
import { isSpace } from "./characters.ts";
import type { RejectReport, Sink, SpanKind } from "./sink.ts";

/**
 * draft: calls inside reasoning, or what seems to be reasoning; they count only if it never ends. whole: calls that count only if
 * the message has nothing else.
 */
export type HoldKind = "draft" | "whole";

interface Hold {
  kind: HoldKind;
  events: ((sink: Sink) => void)[];
  text: string;
  /** State before the hold. */
  edge: Edge;
  space: string;
}

/** What precedes the text. Whitespace that touches only calls, reasoning and the ends of the message is markup. */
type Edge = "start" | "call" | "reasoning" | "none";

/** Last stage of the reader: assigns whitespace to spans, and holds events until it is certain what they are. */
export class Output {
  readonly #sink: Sink;
  readonly #limit: number;
  #hold: Hold | undefined;
  #edge: Edge = "start";
  #space = "";
  #isReasoning = false;
  #hasReasoned = false;
  #call = -1;

  constructor(sink: Sink, limit: number) {
    this.#sink = sink;
    this.#limit = limit;
  }

  get holds(): HoldKind | undefined {
    return this.#hold?.kind;
  }

  get isEmpty(): boolean {
    return this.#hold?.events.length === 0;
  }

  get isTooLong(): boolean {
    return this.#hold !== undefined && this.#hold.text.length > this.#limit;
  }

  /** No visible text directly precedes this position. */
  get isAtEdge(): boolean {
    return this.#edge !== "none";
  }

  /** Only whitespace and reasoning have come so far. */
  get isAtStart(): boolean {
    return this.#edge === "start" || this.#edge === "reasoning";
  }

  text(text: string): void {
    if (text === "") return;
    if (this.#isReasoning) this.#reason(text);
    else if (this.#edge === "none") this.#span("text", text);
    else {
      const first = firstWord(text);
      if (first === text.length) {
        this.#space += text;
        return;
      }
      const before = this.#takeSpace();
      if (this.#edge === "reasoning") {
        this.#span("markup", before + text.slice(0, first));
        this.#span("text", text.slice(first));
      } else this.#span("text", before + text);
      this.#edge = "none";
    }
  }

  /** Whitespace is emitted with what follows it, so that the last of it can become markup of the closing tag. */
  #reason(text: string): void {
    const first = firstWord(text);
    if (first === text.length) {
      this.#space += text;
      return;
    }
    const end = endOfWords(text);
    this.#span(this.#hasReasoned ? "reasoning" : "markup", this.#takeSpace() + text.slice(0, first));
    this.#span("reasoning", text.slice(first, end));
    this.#space = text.slice(end);
    this.#hasReasoned = true;
  }

  spent(kind: "call" | "markup", text: string): void {
    this.#span(this.#isReasoning ? "reasoning" : "markup", this.#takeSpace());
    this.#span(kind, text);
    if (kind === "call" && !this.#isReasoning) this.#edge = "call";
  }

  beginReasoning(): void {
    this.#isReasoning = true;
    this.#hasReasoned = false;
  }

  endReasoning(tag: string): void {
    if (this.#hold?.kind === "draft") this.#release("as written");
    this.#span("markup", this.#takeSpace() + tag);
    this.#isReasoning = false;
    this.#edge = "reasoning";
  }

  callStarted(name: string, dialect: string, id: string | undefined): void {
    this.#span(this.#isReasoning ? "reasoning" : "markup", this.#takeSpace());
    this.#emit((sink) => sink.callStarted(++this.#call, name, dialect, id));
  }

  callArguments(delta: string): void {
    if (!this.#hold) this.#sink.callArguments(this.#call, delta);
    else this.#emit((sink) => sink.callArguments(this.#call, delta));
  }

  callDone(): void {
    this.#emit((sink) => sink.callDone(this.#call));
  }

  repaired(repair: TextRepair, offset: number, dialect: string, isOfCall: boolean): void {
    this.#emit((sink) => sink.repaired({ repair, offset, dialect, call: isOfCall ? this.#call : undefined }));
  }

  rejected(report: RejectReport): void {
    this.#emit((sink) => sink.rejected(report));
  }

  /** Reports a block that is not read, whatever becomes of what is held. */
  reported(report: RejectReport): void {
    this.#sink.rejected(report);
  }

  /** Holds all events from here on. */
  hold(kind: HoldKind): void {
    this.#hold = { kind, events: [], text: "", edge: this.#edge, space: this.#space };
    // `takeBack` restores the whitespace before the message.
    if (kind === "whole") this.#space = "";
  }

  /** Emits the held events. */
  release(): void {
    this.#release("as it is");
  }

  /** Discards the held events and returns their text, to be parsed again. */
  takeBack(): string {
    const hold = this.#hold;
    if (!hold) return "";
    this.#hold = undefined;
    const text = hold.text + this.#space;
    this.#edge = hold.edge;
    this.#space = hold.space;
    return text;
  }

  /** Emits the held draft as text or reasoning instead of calls. */
  dropDraft(): void {
    this.#release("as written");
  }

  end(): void {
    this.#span(this.#edge === "start" && !this.#isReasoning ? "text" : "markup", this.#takeSpace());
  }

  #release(how: "as it is" | "as written"): void {
    const hold = this.#hold;
    if (!hold) return;
    this.#hold = undefined;
    if (how === "as written") {
      if (this.#isReasoning) {
        this.#span("reasoning", hold.text);
        this.#hasReasoned = true;
      } else if (hold.text !== "") {
        this.#span("text", hold.text + this.#takeSpace());
        this.#edge = "none";
      }
      return;
    }
    if (hold.kind === "whole") this.#span("markup", hold.space);
    for (const event of hold.events) event(this.#sink);
  }

  #span(kind: SpanKind, text: string): void {
    if (text === "") return;
    const hold = this.#hold;
    if (!hold) {
      this.#sink.span(kind, text);
      return;
    }
    hold.text += text;
    hold.events.push((sink) => sink.span(kind, text));
  }

  #emit(event: (sink: Sink) => void): void {
    if (this.#hold) this.#hold.events.push(event);
    else event(this.#sink);
  }

  #takeSpace(): string {
    const taken = this.#space;
    this.#space = "";
    return taken;
  }
}

/** Index of the first character that is not whitespace, or the length. */
function firstWord(text: string): number {
  let at = 0;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Index after the last character that is not whitespace. */
function endOfWords(text: string): number {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
  return end;
}
