import type { Reading, TextRepair } from "../dialect.ts";
import { tryEach } from "./alternatives.ts";
import { Block, type BlockSink, isText } from "./block.ts";
import { CodeSpans } from "./code-spans.ts";
import type { Meaning, Openers } from "./openers.ts";
import { Output } from "./output.ts";
import type { Sink } from "./sink.ts";
import type { KnownTools } from "./tools.ts";

export interface ReaderSettings {
  tools: KnownTools;
  /** Marks that count everywhere, and those that count only where the message begins. */
  openers: Openers;
  starts: Openers;
  /** Dialects that the model is known to write. */
  spoken: readonly string[];
  /** Slips in the arguments of tools that are not strict are mended. */
  mends: boolean;
  /** How many characters are held at most; beyond it they are text. */
  limit: number;
  /** How many characters of arguments are waited for before a call that is not whole is given. */
  patience: number;
  /** The message goes on in the middle of reasoning that ends at one of these. */
  beginsInside?: readonly string[] | undefined;
}

/** How a message ended: the model stopped by itself, or it was cut off (by a limit, an error, a lost connection). */
export type Ending = "stop" | "cut";

interface Attempt {
  block: Block;
  reading: Reading;
  /** The client knows of a call whose arguments then broke: what follows goes on as it is, up to the closer. */
  isBroken: boolean;
}

const tooLong = "it is too long";
const firstOther = /[^ \t\r\n]/;

/**
 * Reads what a model writes and tells, at once and in order, what each character is: visible text, reasoning, a call, or markup.
 * It can be cut anywhere; what it tells is the same. Each character is looked at a bounded number of times.
 */
export class Reader {
  readonly #settings: ReaderSettings;
  readonly #out: Output;
  readonly #code = new CodeSpans();
  /** Dialects of which the message has shown something. */
  readonly #spoken: Set<string>;
  /** What has come and is not told yet; `#offset` is where it begins in the message. */
  #input = "";
  #offset = 0;
  #ended: Ending | undefined;
  #attempt: Attempt | undefined;
  /** Up to here in the message nothing begins: it turned out to be text. */
  #deafUntil = 0;
  /** What ends the reasoning that is open. */
  #reasoning: readonly string[] | undefined;
  /** What counts only where the message begins has not been tried. */
  #isStart = true;
  /** Where the next tag that ends the reasoning stands, as far as it was looked for. */
  #closeAt = -1;
  /** Half of a character outside of the basic plane waits for the other half. */
  #half = "";

  constructor(settings: ReaderSettings, sink: Sink) {
    this.#settings = settings;
    this.#spoken = new Set(settings.spoken);
    this.#out = new Output(sink, settings.limit);
    if (settings.beginsInside) this.#beginReasoning(settings.beginsInside);
  }

  push(text: string): void {
    if (this.#ended || text === "") return;
    let whole = this.#half === "" ? text : this.#half + text;
    this.#half = "";
    const last = whole.charCodeAt(whole.length - 1);
    if (last >= 0xd800 && last < 0xdc00) {
      this.#half = whole.slice(-1);
      whole = whole.slice(0, -1);
    }
    this.#input = this.#input === "" ? whole : this.#input + whole;
    this.#closeAt = -1;
    this.#run();
  }

  /** No more will come. Whatever was held is told now. */
  end(ending: Ending = "stop"): void {
    if (this.#ended) return;
    this.#input += this.#half;
    this.#half = "";
    this.#ended = ending;
    this.#run();
    if (this.#out.holds === "whole" && ending === "cut") {
      this.#takeBack();
      this.#run();
    }
    if (this.#out.holds === "draft" && ending === "cut") this.#out.dropDraft();
    this.#out.release();
    this.#out.end();
  }

  /** The text so far is all that stood in its channel; what follows is in another, where no reasoning is open. */
  #run(): void {
    while (this.#attempt ? this.#advance(this.#attempt) : this.#scan());
  }

  // Between blocks.

  /** Tells what comes next, up to where a block may begin; false where more text is needed. */
  #scan(): boolean {
    const input = this.#input;
    if (input === "") return false;
    if (this.#out.holds === "whole") return this.#scanAfterWhole();
    if (this.#isStart && this.#out.isAtStart && !this.#reasoning && this.#offset >= this.#deafUntil) {
      const tried = this.#tryStart();
      if (tried !== "text") return tried === "block";
    }
    if (this.#code.isOpen) return this.#passCode();
    const { openers } = this.#settings;
    const isEnd = this.#ended !== undefined;
    for (let at = 0; at < input.length; at++) {
      const character = input.charCodeAt(at);
      if (character >= 128) continue;
      if (openers.starts[character] === 1 && this.#offset + at >= this.#deafUntil) {
        const meanings = openers.at(input, at, isEnd);
        if (meanings === "more") {
          this.#tell(at);
          return false;
        }
        if (meanings && this.#open(meanings, at)) return true;
      }
      if (!CodeSpans.isMark(character)) continue;
      const run = CodeSpans.runAt(input, at);
      if (at + run === input.length && !isEnd) {
        this.#tell(at);
        return false;
      }
      const opens = this.#code.open(character, run, this.#code.isLineStart(input, at));
      at += run - 1;
      if (opens) {
        this.#tell(at + 1);
        return true;
      }
    }
    this.#tell(input.length);
    return false;
  }

  /** What counts only at the beginning, unless something begins here that counts anywhere. */
  #tryStart(): "text" | "block" | "more" {
    const { openers, starts } = this.#settings;
    const isEnd = this.#ended !== undefined;
    const first = this.#input.search(firstOther);
    if (first === -1) {
      this.#tell(this.#input.length);
      return "more";
    }
    const anywhere = openers.at(this.#input, first, isEnd);
    const here = anywhere ? undefined : starts.at(this.#input, first, isEnd);
    if (anywhere === "more" || here === "more") {
      this.#tell(first);
      return "more";
    }
    if (!anywhere) this.#isStart = false;
    if (!here) return "text";
    this.#tell(first);
    this.#out.hold("whole");
    this.#attemptAt(here);
    return "block";
  }

  /** Behind a call that counts only if it is the whole message there may be white space and what is never shown. */
  #scanAfterWhole(): boolean {
    const first = this.#input.search(firstOther);
    if (first === -1) {
      this.#tell(this.#input.length);
      if (this.#out.isTooLong) this.#takeBack();
      return this.#input !== "";
    }
    const meanings = this.#settings.openers.at(this.#input, first, this.#ended !== undefined);
    if (meanings === "more") return false;
    const hidden = meanings?.find(({ kind }) => kind === "hidden");
    if (hidden) {
      this.#tell(first);
      this.#out.spent("markup", this.#take(hidden.opener.length));
    } else this.#takeBack();
    return true;
  }

  /** The message is not just a call: it is read again, as any other. */
  #takeBack(): void {
    const again = this.#out.takeBack();
    this.#offset -= again.length;
    this.#input = again + this.#input;
    this.#isStart = false;
    this.#code.close();
  }

  #passCode(): boolean {
    const { length } = this.#input;
    const close = this.#reasoning ? this.#nextClose(this.#reasoning) : length;
    if (close === 0) {
      this.#code.close();
      return true;
    }
    const isEnd = this.#ended !== undefined || close < length;
    const tail = this.#reasoning && !isEnd ? beginningAtEnd(this.#input, this.#reasoning) : 0;
    const text = this.#input.slice(0, Math.min(close, length - tail));
    const until = this.#code.skip(text, 0, isEnd);
    this.#tell(until);
    return until > 0 && this.#input.length > tail;
  }

  /** Reasoning ends at its tag, in code or not. Where the next one is in the input; its length if there is none. */
  #nextClose(tags: readonly string[]): number {
    const { length } = this.#input;
    if (this.#closeAt < this.#offset) {
      const places = tags.map((tag) => this.#input.indexOf(tag)).filter((place) => place !== -1);
      this.#closeAt = this.#offset + Math.min(length, ...places);
    }
    return Math.min(this.#closeAt - this.#offset, length);
  }

  /** Does what the mark at this place means; false if it means nothing here. */
  #open(meanings: readonly Meaning[], at: number): boolean {
    if (this.#reasoning) return this.#openInReasoning(this.#reasoning, meanings, at);
    const isFirst = this.#out.isAtEdge && this.#input.slice(0, at).trim() === "";
    const isLineStart = isFirst || this.#code.isLineStart(this.#input, at);
    const isStart = isFirst && this.#out.isAtStart;
    const calls = meanings.filter(
      (meaning) =>
        meaning.kind === "call" &&
        (isLineStart || !meaning.dialect.atLineStart) &&
        (isStart || !meaning.dialect.atStart),
    );
    if (calls.length > 0) {
      this.#tell(at);
      this.#attemptAt(calls);
      return true;
    }
    for (const meaning of meanings) {
      if (meaning.kind === "reasoning" && isLineStart) {
        this.#tell(at);
        this.#out.spent("markup", this.#take(meaning.opener.length));
        this.#beginReasoning(meaning.close);
        return true;
      }
      const isHidden = meaning.kind === "hidden" && (isFirst || this.#speaks(meaning.dialects));
      if (isHidden || (meaning.kind === "close" && isStart)) {
        this.#tell(at);
        this.#out.spent("markup", this.#take(meaning.opener.length));
        return true;
      }
    }
    return false;
  }

  /** A token that is never shown may also stand in a sentence about it. */
  #speaks(dialects: readonly string[]): boolean {
    return dialects.some((name) => this.#spoken.has(name));
  }

  #openInReasoning(close: readonly string[], meanings: readonly Meaning[], at: number): boolean {
    const end = meanings.find(({ opener }) => close.includes(opener));
    const calls = meanings.filter(({ kind }) => kind === "call");
    if (end) {
      this.#tell(at);
      // What begins something else ends the reasoning, but is not its tag.
      this.#endReasoning(calls.length > 0 ? 0 : end.opener.length);
      return true;
    }
    if (calls.length === 0) return false;
    this.#tell(at);
    if (!this.#out.holds) this.#out.hold("draft");
    this.#attemptAt(calls);
    return true;
  }

  #beginReasoning(close: readonly string[]): void {
    this.#reasoning = close;
    this.#closeAt = -1;
    this.#out.beginReasoning();
  }

  #endReasoning(tagLength: number): void {
    this.#reasoning = undefined;
    this.#out.endReasoning(this.#take(tagLength));
    this.#code.close();
    this.#isStart = this.#out.isAtStart;
  }

  /** The input up to here is text, or reasoning. */
  #tell(until: number): void {
    if (until === 0) return;
    this.#code.passOver(this.#input, until);
    this.#out.text(this.#take(until));
    if (this.#out.holds === "draft" && this.#out.isTooLong) this.#out.dropDraft();
  }

  #take(count: number): string {
    const { length } = this.#input;
    const taken = count === length ? this.#input : this.#input.slice(0, count);
    this.#input = count === length ? "" : this.#input.slice(count);
    this.#offset += count;
    return taken;
  }

  // Inside a block.

  #attemptAt(meanings: readonly Meaning[]): void {
    const { limit } = this.#settings;
    const offset = this.#offset;
    const text = this.#take(wholeCharacters(this.#input, limit));
    const block = new Block(this.#settings, this.#sinkFor(), text, offset);
    this.#attempt = { block, reading: tryEach(block, meanings), isBroken: false };
    this.#step(this.#attempt);
  }

  #sinkFor(): BlockSink {
    const out = this.#out;
    return {
      get mayStream() {
        return out.holds === undefined;
      },
      callStarted: (name, dialect, id) => out.callStarted(name, dialect, id),
      callArguments: (delta) => out.callArguments(delta),
      callDone: () => out.callDone(),
      repaired: (repair: TextRepair, offset, dialect, isOfCall) => out.repaired(repair, offset, dialect, isOfCall),
      spent: (kind, text) => out.spent(kind, text),
      reasoningBegins: (close) => this.#beginReasoning(close),
    };
  }

  /** Gives the block what has come; false where more text is needed. */
  #advance(attempt: Attempt): boolean {
    const { block } = attempt;
    if (this.#input === "" && !this.#ended) return false;
    // However much comes at once, no more of it is read before the limit than if it came in pieces.
    const room = this.#settings.limit - block.heldLength;
    const count = wholeCharacters(this.#input, room);
    if (count === 0 && this.#input !== "") {
      this.#refuse(attempt, tooLong);
      return true;
    }
    block.feed(this.#take(count));
    if (this.#input === "" && this.#ended) {
      if (this.#ended === "cut") {
        this.#cutOff(attempt);
        return true;
      }
      block.ended = true;
    }
    this.#step(attempt);
    return true;
  }

  #step(attempt: Attempt): void {
    const { block } = attempt;
    if (attempt.isBroken) {
      this.#passOn(attempt);
      return;
    }
    try {
      if (attempt.reading.next().done) this.#finish(attempt);
    } catch (thrown) {
      if (thrown !== isText) throw thrown;
      if (!block.isGiven) this.#refuse(attempt);
      else if (block.ended) this.#cutOff(attempt);
      else {
        attempt.isBroken = true;
        this.#passOn(attempt);
      }
    }
  }

  #finish({ block }: Attempt): void {
    const { rest, unspent } = block;
    this.#attempt = undefined;
    if (block.accepted) this.#spoken.add(block.dialect.name);
    if (this.#out.holds === "draft" && this.#out.isTooLong) this.#out.dropDraft();
    // What was read after the last call that was accepted, and is no call, is text.
    this.#giveBack(unspent + rest, unspent.length);
  }

  /** It is text after all. Reading goes on behind its closer, or where it broke off. */
  #refuse({ block }: Attempt, why?: string): void {
    const { rest, unspent, offset } = block;
    const { dialect, reason, named } = block.failure;
    const text = unspent + rest;
    this.#attempt = undefined;
    if (block.accepted) this.#spoken.add(block.dialect.name);
    if (this.#out.holds === "whole") {
      this.#giveBack(text, 0);
      this.#takeBack();
      return;
    }
    if (named !== undefined) {
      const report = { dialect: dialect.name, name: named, reason: why ?? reason, offset: offset - unspent.length };
      this.#out.rejected(report);
    }
    if (this.#out.holds === "draft" && this.#out.isEmpty) this.#out.release();
    // A block that the end of the message cut off holds no other.
    const isCut = this.#ended !== undefined && named !== undefined;
    const behind = isCut ? text.length : behindCloser(text, block.opener.length, block.furthest, dialect.closers);
    this.#giveBack(text, behind);
  }

  #giveBack(text: string, deaf: number): void {
    this.#input = text + this.#input;
    this.#offset -= text.length;
    this.#deafUntil = Math.max(this.#deafUntil, this.#offset + deaf);
  }

  /** The message was cut off in the block: no call comes of it. */
  #cutOff(attempt: Attempt): void {
    const { block } = attempt;
    if (!block.isGiven) {
      this.#refuse(attempt, "the message was cut off");
      return;
    }
    block.abandon();
    this.#attempt = undefined;
  }

  /** Arguments that broke after the client had seen their beginning are passed on as they are, up to the closer. */
  #passOn(attempt: Attempt): void {
    const { block } = attempt;
    const { text } = block;
    const closers = block.dialect.closers;
    for (let at = block.at; at < text.length; at++) {
      const closer = closers.find((mark) => mark.startsWith(text.slice(at, at + mark.length)));
      if (closer === undefined) continue;
      if (at + closer.length <= text.length) {
        block.passOn(at);
        block.at += closer.length;
        block.endBroken();
        this.#finish(attempt);
        return;
      }
      if (!block.ended) {
        block.passOn(at);
        return;
      }
    }
    block.passOn(text.length);
    if (!block.ended) return;
    block.endBroken();
    this.#finish(attempt);
  }
}

/** How many of the first characters are at most so many units, none of them split. */
function wholeCharacters(text: string, most: number): number {
  if (most >= text.length) return text.length;
  if (most <= 0) return 0;
  const last = text.charCodeAt(most - 1);
  return last >= 0xd800 && last < 0xdc00 ? most - 1 : most;
}

/** How much of the end of the text may be the beginning of one of the marks. */
function beginningAtEnd(text: string, marks: readonly string[]): number {
  let longest = 0;
  for (const mark of marks) {
    for (let count = Math.min(mark.length - 1, text.length); count > longest; count--) {
      if (text.endsWith(mark.slice(0, count))) longest = count;
    }
  }
  return longest;
}

/** Where a block ends that turned out to be text: behind the first closer in what was read of it, else where it broke off. */
function behindCloser(text: string, from: number, read: number, closers: readonly string[]): number {
  let nearest = read;
  for (const closer of closers) {
    const place = text.indexOf(closer, from);
    if (place !== -1 && place + closer.length < nearest) nearest = place + closer.length;
  }
  return Math.max(nearest, 1);
}
