import type { Reading } from "../dialect.ts";
import { tryEach } from "./alternatives.ts";
import { Block, type BlockSink } from "./block.ts";
import { isText } from "./characters.ts";
import { CodeSpans } from "./code-spans.ts";
import { Input } from "./input.ts";
import type { Meaning, Openers } from "./openers.ts";
import { Output } from "./output.ts";
import type { Sink } from "./sink.ts";
import { beginningAtEnd, callsAmong, endOfBroken, isLetter, wholeCharacters } from "./text-search.ts";
import type { KnownTools } from "./tools.ts";

export interface ReaderSettings {
  tools: KnownTools;
  /**
   * Marks that count everywhere, where a line begins with the name of a tool, where the message begins, and where they must be all
   * of it, too.
   */
  openers: Openers;
  lines: Openers | undefined;
  firsts: Openers;
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
  /** What the model was told to write calls in: what begins as such a call is told even where no name can be read in it. */
  sentinel?: string | undefined;
}

/** How a message ended: the model stopped by itself, or it was cut off (by a limit, an error, a lost connection). */
export type Ending = "stop" | "cut";

/** A call that turned out to be text, and is not over. */
interface BrokenCall {
  closers: readonly string[];
  opener: string;
  /** Where it ends at the latest. */
  until: number;
}

interface Attempt {
  block: Block;
  reading: Reading;
  /** The client knows of a call whose arguments then broke: what follows goes on as it is, up to the closer. */
  isBroken: boolean;
}

const nobody: ReadonlySet<string> = new Set();
const tooLong = "it is too long";
/** The reason of a block in which the message ended before the model had stopped. */
export const cutOff = "the message was cut off";
/** How much of what has come a block gets at first, and then at once: most openers are none. */
const firstPiece = 512;
const nextPiece = 64 * 1024;

/**
 * Reads what a model writes and tells, at once and in order, what each character is: visible text, reasoning, a call, or markup.
 * It can be cut anywhere; what it tells is the same. Each character is looked at a bounded number of times.
 */
export class Reader {
  readonly #settings: ReaderSettings;
  readonly #out: Output;
  /** Most messages have no block. */
  #sink: BlockSink | undefined;
  readonly #code = new CodeSpans();
  /** Dialects of which the message has shown something. */
  #spoken: ReadonlySet<string>;
  readonly #input = new Input();
  #ended: Ending | undefined;
  #attempt: Attempt | undefined;
  /** Up to here in the message nothing begins: it turned out to be text. */
  #deafUntil = 0;
  /** What ends the call that turned out to be text: what it quotes is none either. */
  #deafFor: BrokenCall | undefined;
  /** Here in the message no block begins, though code may. */
  #passedBy = -1;
  /** What ends the reasoning that is open. */
  #reasoning: readonly string[] | undefined;
  /** What would end reasoning that seems to have begun in the middle of a line: until it is known, its calls wait. */
  #doubt: readonly string[] | undefined;
  /** What counts only where the message begins has not been tried. */
  #isStart = true;
  /** Where the next tag that ends the reasoning stands in the input, as far as it was looked for. */
  #closeAt = -1;

  constructor(settings: ReaderSettings, sink: Sink) {
    this.#settings = settings;
    this.#spoken = settings.spoken.length > 0 ? new Set(settings.spoken) : nobody;
    this.#out = new Output(sink, settings.limit);
    if (settings.beginsInside) this.#beginReasoning(settings.beginsInside);
  }

  push(text: string): void {
    if (this.#ended || text === "") return;
    this.#input.add(text);
    this.#closeAt = -1;
    this.#run();
  }

  /** No more will come. Whatever was held is told now. */
  end(ending: Ending = "stop"): void {
    if (this.#ended) return;
    this.#input.end();
    this.#closeAt = -1;
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

  #run(): void {
    while (this.#attempt ? this.#advance(this.#attempt) : this.#scan());
  }

  get #isEnd(): boolean {
    return this.#ended !== undefined;
  }

  // Between blocks.

  /** Tells what comes next, up to where a block may begin; false where more text is needed. */
  #scan(): boolean {
    const { text: input } = this.#input;
    if (this.#input.isEmpty) return false;
    if (this.#out.holds === "whole") return this.#scanAfterWhole();
    if (this.#isStart && this.#out.isAtStart && !this.#reasoning && this.#input.offset >= this.#deafUntil) {
      const tried = this.#tryStart();
      if (tried !== "text") return tried === "block";
    }
    if (this.#input.offset < this.#deafUntil) {
      this.#tell(Math.min(input.length, this.#input.placeOf(this.#deafUntil)));
      return true;
    }
    if (this.#deafFor) return this.#passBroken(this.#deafFor);
    if (this.#code.isOpen) return this.#passCode();
    const { openers, lines } = this.#settings;
    let isLine = lines !== undefined && this.#code.isLineStart(input, this.#input.at, this.#input.at);
    for (let at = this.#input.at; at < input.length; at++) {
      const character = input.charCodeAt(at);
      if (isLine && lines) {
        const mayBegin = lines.starts[character] === 1 && this.#settings.tools.hasInitial(character);
        if (mayBegin && this.#input.offsetOf(at) !== this.#passedBy) {
          const meanings = lines.at(input, at, this.#isEnd);
          if (meanings === "more") {
            this.#tell(at);
            return false;
          }
          if (meanings && this.#open(meanings, at)) return true;
        }
        isLine = character === 0x20 || character === 0x09;
      }
      if (lines && character === 0x0a) isLine = true;
      if (character >= 128) continue;
      if (
        openers.starts[character] === 1 &&
        this.#input.offsetOf(at) !== this.#passedBy &&
        !this.#isInWord(character, at)
      ) {
        const meanings = openers.at(input, at, this.#isEnd);
        if (meanings === "more") {
          this.#tell(at);
          return false;
        }
        if (meanings && this.#open(meanings, at)) return true;
      }
      if (!CodeSpans.isMark(character)) continue;
      const run = CodeSpans.runAt(input, at);
      if (at + run === input.length && run < CodeSpans.longestRun && !this.#isEnd) {
        this.#tell(at);
        return false;
      }
      const opens = this.#code.open(character, run, this.#code.isLineStart(input, this.#input.at, at));
      at += run - 1;
      if (opens) {
        this.#tell(at + 1);
        return true;
      }
    }
    this.#tell(input.length);
    return false;
  }

  /** No mark that begins with a letter begins in the middle of a word. */
  #isInWord(character: number, at: number): boolean {
    return isLetter(character) && isLetter(this.#input.before(at));
  }

  /** What counts only at the beginning, unless something begins here that counts anywhere. */
  #tryStart(): "text" | "block" | "more" {
    const { openers, firsts, starts } = this.#settings;
    const first = this.#input.firstOther();
    if (first === -1) {
      this.#tell(this.#input.text.length);
      return "more";
    }
    const anywhere = openers.at(this.#input.text, first, this.#isEnd);
    const here = anywhere ? undefined : firsts.at(this.#input.text, first, this.#isEnd);
    const whole = anywhere || here ? undefined : starts.at(this.#input.text, first, this.#isEnd);
    if (anywhere === "more" || here === "more" || whole === "more") {
      this.#tell(first);
      return "more";
    }
    if (anywhere?.some(({ kind }) => kind !== "closer")) return "text";
    this.#isStart = false;
    const meanings = here ?? whole;
    if (!meanings) return "text";
    this.#tell(first);
    if (whole) this.#out.hold("whole");
    this.#attemptAt(meanings);
    return "block";
  }

  /** Behind a call that counts only if it is the whole message there may be white space and what is never shown. */
  #scanAfterWhole(): boolean {
    const first = this.#input.firstOther();
    if (first === -1) {
      this.#tell(this.#input.text.length);
      if (!this.#out.isTooLong) return false;
      this.#takeBack();
      return true;
    }
    const meanings = this.#settings.openers.at(this.#input.text, first, this.#isEnd);
    if (meanings === "more") return false;
    const hidden = meanings?.find(({ kind }) => kind === "hidden");
    if (hidden) {
      this.#tell(first);
      this.#out.spent("markup", this.#input.take(hidden.opener.length));
    } else this.#takeBack();
    return true;
  }

  /** The message is not just a call: it is read again, as any other. */
  #takeBack(): void {
    this.#goBack(this.#out.takeBack());
    this.#isStart = false;
    this.#code.close();
  }

  /** The rest of a call that could not be read, up to where it ends. */
  #passBroken({ until, ...ends }: BrokenCall): boolean {
    const limit = Math.max(this.#input.at, Math.min(this.#input.text.length, this.#input.placeOf(until)));
    const end = endOfBroken(this.#input.text, this.#input.at, limit, ends, this.#isEnd);
    this.#tell(end.at);
    if (end.isFound || this.#input.offset >= until) this.#deafFor = undefined;
    return this.#deafFor === undefined;
  }

  #passCode(): boolean {
    const close = this.#reasoning ? this.#nextClose(this.#reasoning) : this.#input.text.length;
    if (close === this.#input.at) {
      this.#code.close();
      return true;
    }
    const isEnd = this.#isEnd || close < this.#input.text.length;
    const tail = this.#reasoning && !isEnd ? beginningAtEnd(this.#input.text, this.#input.at, this.#reasoning) : 0;
    const end = Math.min(close, this.#input.text.length - tail);
    const until = this.#code.skip(this.#input.text, this.#input.at, end, isEnd);
    const hasMoved = until > this.#input.at;
    this.#tell(until);
    return (hasMoved || !this.#code.isOpen) && this.#input.left > tail;
  }

  /** Reasoning ends at its tag, in code or not. Where the next one is in the input; its length if there is none. */
  #nextClose(tags: readonly string[]): number {
    if (this.#closeAt < this.#input.at) {
      const places = tags.map((tag) => this.#input.text.indexOf(tag, this.#input.at)).filter((place) => place !== -1);
      this.#closeAt = Math.min(this.#input.text.length, ...places);
    }
    return this.#closeAt;
  }

  /** Does what the mark at this place means; false if it means nothing here. */
  #open(meanings: readonly Meaning[], at: number): boolean {
    if (this.#reasoning) return this.#openInReasoning(this.#reasoning, meanings, at);
    const isFirst = this.#out.isAtEdge && this.#input.firstOther() === at;
    const isLineStart = isFirst || this.#code.isLineStart(this.#input.text, this.#input.at, at);
    const isStart = isFirst && this.#out.isAtStart;
    for (const meaning of meanings) {
      if (meaning.kind === "call") {
        const calls = callsAmong(meanings, isLineStart, this.#spoken);
        if (calls.length === 0) continue;
        this.#tell(at);
        if (this.#doubt && !this.#out.holds) this.#out.hold("draft");
        this.#attemptAt(calls);
        return true;
      }
      if (meaning.kind === "reasoning" && !isLineStart) this.#doubt ??= meaning.close;
      if (meaning.kind === "close" && this.#doubt?.includes(meaning.opener)) {
        this.#tell(at);
        this.#doubt = undefined;
        if (this.#out.holds === "draft") this.#out.dropDraft();
        this.#out.text(this.#input.take(meaning.opener.length));
        return true;
      }
      if (meaning.kind === "reasoning" && isLineStart) {
        this.#tell(at);
        this.#out.spent("markup", this.#input.take(meaning.opener.length));
        this.#beginReasoning(meaning.close);
        this.#hearOf(meaning.dialects);
        return true;
      }
      const isHidden = meaning.kind === "hidden" && (isFirst || this.#speaks(meaning.dialects));
      // A closer too many.
      const isExtra = meaning.kind === "closer" && isFirst && !isStart && this.#speaks(meaning.dialects);
      if (isHidden || isExtra || (meaning.kind === "close" && isStart)) {
        if (isHidden) this.#hearOf(meaning.dialects);
        this.#tell(at);
        this.#out.spent("markup", this.#input.take(meaning.opener.length));
        return true;
      }
    }
    return false;
  }

  #hearOf(dialects: readonly string[]): void {
    if (dialects.every((name) => this.#spoken.has(name))) return;
    this.#spoken = new Set([...this.#spoken, ...dialects]);
  }

  /** A token that is never shown may also stand in a sentence about it. */
  #speaks(dialects: readonly string[]): boolean {
    return dialects.some((name) => this.#spoken.has(name));
  }

  #openInReasoning(close: readonly string[], meanings: readonly Meaning[], at: number): boolean {
    const end = meanings.find(({ opener }) => close.includes(opener));
    const calls = callsAmong(meanings, this.#code.isLineStart(this.#input.text, this.#input.at, at), this.#spoken);
    if (end) {
      this.#tell(at);
      // What begins something else ends the reasoning, but is not its tag.
      const isOther = calls.some(({ opener }) => opener === end.opener);
      this.#endReasoning(isOther ? 0 : end.opener.length);
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
    this.#out.endReasoning(this.#input.take(tagLength));
    this.#code.close();
    this.#isStart = this.#out.isAtStart;
  }

  /** The input up to here is text, or reasoning. */
  #tell(until: number): void {
    if (until === this.#input.at) return;
    this.#code.passOver(this.#input.text, this.#input.at, until);
    this.#out.text(this.#input.take(until - this.#input.at));
    if (this.#out.holds === "draft" && this.#out.isTooLong) this.#out.dropDraft();
  }

  // Inside a block.

  #attemptAt(meanings: readonly Meaning[]): void {
    const offset = this.#input.offset;
    const text = this.#input.take(
      wholeCharacters(this.#input.text, this.#input.at, Math.min(this.#settings.limit, firstPiece)),
    );
    this.#sink ??= this.#makeSink(this.#out);
    const block = new Block(this.#settings, this.#sink, text, offset);
    this.#attempt = { block, reading: tryEach(block, meanings), isBroken: false };
    this.#step(this.#attempt);
  }

  #makeSink(out: Output): BlockSink {
    return {
      get mayStream() {
        return out.holds === undefined;
      },
      get mustBeWhole() {
        return out.holds === "whole";
      },
      callStarted: (name, dialect, id) => out.callStarted(name, dialect, id),
      callArguments: (delta) => out.callArguments(delta),
      callDone: () => out.callDone(),
      repaired: (repair, offset, dialect, isOfCall) => out.repaired(repair, offset, dialect, isOfCall),
      rejected: (report) => out.rejected(report),
      spent: (kind, text) => out.spent(kind, text),
      isText: (text) => out.text(text),
      reasoningBegins: (close) => this.#beginReasoning(close),
    };
  }

  /** Gives the block what has come, a bounded piece at a time; false where more text is needed. */
  #advance(attempt: Attempt): boolean {
    const { block } = attempt;
    const { left } = this.#input;
    if (left === 0 && !this.#ended) return false;
    // However much comes at once, no more of it is read before the limit than if it came in pieces.
    const room = Math.min(this.#settings.limit - block.heldLength, nextPiece);
    const count = wholeCharacters(this.#input.text, this.#input.at, room);
    if (count === 0 && left > 0) {
      this.#refuse(attempt, tooLong);
      return true;
    }
    block.feed(this.#input.take(count));
    if (count === left && this.#ended) {
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
    if (block.accepted) this.#hearOf([block.dialect.name]);
    if (this.#out.holds === "draft" && this.#out.isTooLong) this.#out.dropDraft();
    // What was read after the last call that was accepted, and is no call, is text.
    this.#giveBack(unspent + rest, unspent.length);
  }

  /** It is text after all. */
  #refuse({ block }: Attempt, why?: string, isCut = false): void {
    const { rest, unspent, offset } = block;
    const { dialect, closers, reason, named } = block.failure;
    const text = unspent + rest;
    this.#attempt = undefined;
    if (block.accepted) this.#hearOf([block.dialect.name]);
    if (this.#out.holds === "whole") {
      this.#giveBack(text, 0);
      this.#takeBack();
      // What begins with ticks is code, if it is no block, and ends as code does.
      const isCode = CodeSpans.isMark(this.#input.text.charCodeAt(this.#input.firstOther()));
      if (named !== undefined && !isCode)
        this.#beDeafFor(text, rest === "" && (isCut || block.ended), [], block.opener);
      return;
    }
    if (named !== undefined || this.#isSentinel(block, text)) {
      const report = { dialect: dialect.name, name: named, reason: why ?? reason, offset: offset - unspent.length };
      this.#out.rejected(report);
    }
    if (this.#out.holds === "draft" && this.#out.isEmpty) this.#out.release();
    if (!block.accepted && CodeSpans.hasMark(block.opener)) {
      // What begins with ticks is code, if it is no block.
      this.#giveBack(text, 0);
      this.#passedBy = this.#input.offset;
    } else this.#giveBack(text, block.accepted ? 0 : this.#deafLength(block, named !== undefined));
    if (named !== undefined) this.#beDeafFor(text, rest === "" && (isCut || block.ended), closers, block.opener);
  }

  /** Whether it begins as a call does that the model was told to write. */
  #isSentinel({ opener, accepted }: Block, text: string): boolean {
    // In reasoning it is a draft, if it is anything.
    if (accepted || this.#reasoning || this.#out.holds || opener !== this.#settings.sentinel) return false;
    return text
      .slice(opener.length, opener.length + firstPiece)
      .trimStart()
      .startsWith("{");
  }

  /** How much of a block that is none is not read again: short heads are, but for the opener. */
  #deafLength(block: Block, isNamed: boolean): number {
    if (isNamed) return block.opener.length;
    return block.furthest <= firstPiece ? Math.max(1, block.opener.length) : block.furthest;
  }

  /** A call that could not be read quotes no other: not before it ends. One that was cut off has no end. */
  #beDeafFor(text: string, isCut: boolean, closers: readonly string[], opener: string): void {
    if (isCut) this.#deafUntil = Math.max(this.#deafUntil, this.#input.offset + text.length);
    // In reasoning nothing is called before its end, which must be heard.
    else if (!this.#reasoning) this.#deafFor = { closers, opener, until: this.#input.offset + this.#settings.limit };
  }

  #goBack(text: string): void {
    this.#input.giveBack(text);
    this.#closeAt = -1;
  }

  #giveBack(text: string, deaf: number): void {
    this.#goBack(text);
    this.#deafUntil = Math.max(this.#deafUntil, this.#input.offset + deaf);
  }

  /** The message was cut off in the block: no call comes of it. */
  #cutOff(attempt: Attempt): void {
    const { block } = attempt;
    if (!block.isGiven) {
      this.#refuse(attempt, cutOff, true);
      return;
    }
    block.abandon();
    this.#attempt = undefined;
  }

  /** Arguments that broke after the client had seen their beginning are passed on as they are, up to the closer. */
  #passOn(attempt: Attempt): void {
    const { block } = attempt;
    const { text } = block;
    const { closers } = block;
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
    if (block.ended) this.#cutOff(attempt);
  }
}
