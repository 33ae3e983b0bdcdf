import type { Dialect, Reading } from "../dialect.ts";
import { tryEach } from "./alternatives.ts";
import { Block, type BlockSink } from "./block.ts";
import { isText } from "./characters.ts";
import { CodeSpans } from "./code-spans.ts";
import { Effort, shortRead } from "./effort.ts";
import { Input } from "./input.ts";
import type { Meaning, Openers } from "./openers.ts";
import { Output } from "./output.ts";
import type { Sink } from "./sink.ts";
import { beginningAtEnd, CloseSearch, callsAmong, endOfBroken, isLetter, wholeCharacters } from "./text-search.ts";
import type { KnownTools } from "./tools.ts";

export interface ReaderSettings {
  tools: KnownTools;
  /**
   * Where markers count. openers: anywhere. lines: at the start of a line that begins like a tool name. firsts: at the start of
   * the message. starts: at the start of a message that has nothing but calls.
   */
  openers: Openers;
  lines: Openers | undefined;
  firsts: Openers;
  starts: Openers;
  /** Dialects that the model is known to write. */
  spoken: readonly string[];
  /** Repair malformed arguments, except those of strict tools. */
  mends: boolean;
  /** Most characters to buffer; a longer block is text. */
  limit: number;
  /** A call is emitted before it is complete once its arguments are longer than this. */
  patience: number;
  /** Most characters to read again at once. */
  rereads: number;
  /** The message starts inside reasoning that ends at one of these tags. */
  beginsInside?: readonly string[] | undefined;
  /**
   * The opener that the prompt told the model to use. A block that begins with it is reported as rejected even if no tool name
   * can be read.
   */
  sentinel?: string | undefined;
}

/** How a message ended: the model stopped by itself, or it was cut off (by a limit, an error, a lost connection). */
export type Ending = "stop" | "cut";

/** A call that could not be parsed and whose end has not arrived. */
interface BrokenCall {
  closers: readonly string[];
  opener: string;
  /** Offset at which it ends at the latest. */
  until: number;
}

interface Attempt {
  block: Block;
  reading: Reading;
  /** The offset at which it began, and at which it must end. */
  from: number;
  until: number;
  /** The arguments broke after the call was emitted: the rest is passed on unchanged, up to the closer. */
  isBroken: boolean;
}

const noDialects: ReadonlySet<string> = new Set();
const tooLong = "it is too long";
/** Reject reason of a block that was open when the message was cut off. */
export const cutOff = "the message was cut off";
/** Reject reasons of the first block that was not read because too many before it were text. */
const tooMany = "too much before it looked like calls";
export const tooManyDrafts = "the reasoning has too many drafts of calls";
/** How many buffered characters a block gets at first, and then at a time: most openers do not begin a call. */
const firstPiece = shortRead;
const nextPiece = 64 * 1024;

/**
 * Parses a model's message as it streams and emits, in order, what each character is: visible text, reasoning, a call, or markup.
 * The result does not depend on how the stream is chunked. How often a character is read is bounded by `Effort`.
 */
export class Reader {
  readonly #settings: ReaderSettings;
  readonly #out: Output;
  /** Created on first use: most messages have no block. */
  #sink: BlockSink | undefined;
  readonly #code = new CodeSpans();
  /** Dialects that are configured or that the message has used. */
  #dialects: ReadonlySet<string>;
  readonly #input = new Input();
  #ended: Ending | undefined;
  #attempt: Attempt | undefined;
  /** No block begins before this offset: a failed attempt has shown that it is text. */
  #textUntil = 0;
  /** The unparsable call that is still open: what it quotes is no call either. */
  #brokenCall: BrokenCall | undefined;
  /** At this offset no block begins, but a code span may. */
  #noBlockAt = -1;
  /** Closing tags of the open reasoning. */
  #reasoning: readonly string[] | undefined;
  /** Closing tags of possible reasoning that began in the middle of a line. Calls in it are held until it is certain. */
  #maybeReasoning: readonly string[] | undefined;
  /** Markers that count only at the start of the message have not been tried yet. */
  #isStart = true;
  #closeSearch: CloseSearch | undefined;
  readonly #effort: Effort;
  /** Where blocks were not read because too many before them were text; reported once each. */
  readonly #unread = { text: false, reasoning: false };

  constructor(settings: ReaderSettings, sink: Sink) {
    this.#settings = settings;
    this.#dialects = settings.spoken.length > 0 ? new Set(settings.spoken) : noDialects;
    this.#out = new Output(sink, settings.limit);
    this.#effort = new Effort(settings.rereads);
    if (settings.beginsInside) this.#beginReasoning(settings.beginsInside);
  }

  /** How many characters dialects have read so far, with those that were read again. For tests and measurements. */
  get work(): number {
    return this.#effort.work;
  }

  push(text: string): void {
    if (this.#ended || text === "") return;
    this.#input.add(text);
    this.#run();
  }

  /** Ends the message and emits what was held. */
  end(ending: Ending = "stop"): void {
    if (this.#ended) return;
    this.#input.end();
    this.#ended = ending;
    this.#run();
    if (this.#out.holds === "whole" && ending === "cut") {
      this.#rereadHeld();
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

  /** Emits text up to the next possible block; false if more text is needed. */
  #scan(): boolean {
    const { text: input } = this.#input;
    if (this.#input.isEmpty) return false;
    if (this.#out.holds === "whole") return this.#scanAfterWhole();
    if (this.#isStart && this.#out.isAtStart && !this.#reasoning && this.#input.offset >= this.#textUntil) {
      const tried = this.#tryStart();
      if (tried !== "text") return tried === "block";
    }
    if (this.#input.offset < this.#textUntil) {
      this.#emitUntil(Math.min(input.length, this.#input.placeOf(this.#textUntil)));
      return true;
    }
    if (this.#brokenCall) return this.#passBroken(this.#brokenCall);
    if (this.#code.isOpen) return this.#passCode();
    const { openers, lines } = this.#settings;
    let isLine = lines !== undefined && this.#code.isLineStart(input, this.#input.at, this.#input.at);
    for (let at = this.#input.at; at < input.length; at++) {
      const character = input.charCodeAt(at);
      if (isLine && lines) {
        const mayBegin = lines.starts[character] === 1 && this.#settings.tools.hasInitial(character);
        if (mayBegin && this.#input.offsetOf(at) !== this.#noBlockAt) {
          const meanings = lines.at(input, at, this.#isEnd);
          if (meanings === "more") {
            this.#emitUntil(at);
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
        this.#input.offsetOf(at) !== this.#noBlockAt &&
        !this.#isInWord(character, at)
      ) {
        const meanings = openers.at(input, at, this.#isEnd);
        if (meanings === "more") {
          this.#emitUntil(at);
          return false;
        }
        if (meanings && this.#open(meanings, at)) return true;
      }
      if (!CodeSpans.isMark(character)) continue;
      const run = CodeSpans.runAt(input, at);
      if (at + run === input.length && run < CodeSpans.longestRun && !this.#isEnd) {
        this.#emitUntil(at);
        return false;
      }
      const opens = this.#code.open(character, run, this.#code.isLineStart(input, this.#input.at, at));
      at += run - 1;
      if (opens) {
        this.#emitUntil(at + 1);
        return true;
      }
    }
    this.#emitUntil(input.length);
    return false;
  }

  /** A marker that begins with a letter does not count in the middle of a word. */
  #isInWord(character: number, at: number): boolean {
    return isLetter(character) && isLetter(this.#input.before(at));
  }

  /** Tries the markers that count only at the start, unless a marker that counts anywhere begins here. */
  #tryStart(): "text" | "block" | "more" {
    const { openers, firsts, starts } = this.#settings;
    const first = this.#input.firstOther();
    if (first === -1) {
      this.#emitUntil(this.#input.text.length);
      return "more";
    }
    const anywhere = openers.at(this.#input.text, first, this.#isEnd);
    const here = anywhere ? undefined : firsts.at(this.#input.text, first, this.#isEnd);
    const whole = anywhere || here ? undefined : starts.at(this.#input.text, first, this.#isEnd);
    if (anywhere === "more" || here === "more" || whole === "more") {
      this.#emitUntil(first);
      return "more";
    }
    if (anywhere?.some(({ kind }) => kind !== "closer")) return "text";
    this.#isStart = false;
    const meanings = here ?? whole;
    if (!meanings) return "text";
    this.#emitUntil(first);
    if (whole) this.#out.hold("whole");
    this.#attemptAt(meanings);
    return "block";
  }

  /** After a call that must be the whole message, only whitespace and hidden tokens may follow. */
  #scanAfterWhole(): boolean {
    const first = this.#input.firstOther();
    if (first === -1) {
      this.#emitUntil(this.#input.text.length);
      if (!this.#out.isTooLong) return false;
      this.#rereadHeld();
      return true;
    }
    const meanings = this.#settings.openers.at(this.#input.text, first, this.#isEnd);
    if (meanings === "more") return false;
    const hidden = meanings?.find(({ kind }) => kind === "hidden");
    if (hidden) {
      this.#emitUntil(first);
      this.#out.spent("markup", this.#input.take(hidden.opener.length));
    } else this.#rereadHeld();
    return true;
  }

  /** The message has more than calls, so it is parsed again like any other. */
  #rereadHeld(): void {
    this.#input.giveBack(this.#out.takeBack());
    this.#isStart = false;
    this.#code.close();
  }

  /** Emits the rest of an unparsable call as text, up to its end. */
  #passBroken({ until, ...ends }: BrokenCall): boolean {
    const limit = Math.max(this.#input.at, Math.min(this.#input.text.length, this.#input.placeOf(until)));
    const end = endOfBroken(this.#input.text, this.#input.at, limit, ends, this.#isEnd);
    this.#emitUntil(end.at);
    if (end.isFound || this.#input.offset >= until) this.#brokenCall = undefined;
    return this.#brokenCall === undefined;
  }

  #passCode(): boolean {
    const close = this.#closeSearch?.next(this.#input) ?? this.#input.text.length;
    if (close === this.#input.at) {
      this.#code.close();
      return true;
    }
    const isEnd = this.#isEnd || close < this.#input.text.length;
    const tail = this.#reasoning && !isEnd ? beginningAtEnd(this.#input.text, this.#input.at, this.#reasoning) : 0;
    const end = Math.min(close, this.#input.text.length - tail);
    const until = this.#code.skip(this.#input.text, this.#input.at, end, isEnd);
    const hasMoved = until > this.#input.at;
    this.#emitUntil(until);
    return (hasMoved || !this.#code.isOpen) && this.#input.left > tail;
  }

  /** Acts on the marker at this index; false if it means nothing here. */
  #open(meanings: readonly Meaning[], at: number): boolean {
    if (this.#reasoning) return this.#openInReasoning(this.#reasoning, meanings, at);
    const isFirst = this.#out.isAtEdge && this.#input.firstOther() === at;
    const isLineStart = isFirst || this.#code.isLineStart(this.#input.text, this.#input.at, at);
    const isStart = isFirst && this.#out.isAtStart;
    for (const meaning of meanings) {
      if (meaning.kind === "call") {
        const calls = callsAmong(meanings, isLineStart, this.#dialects);
        const until = this.#limitOf(calls, at);
        if (until === undefined) continue;
        this.#emitUntil(at);
        if (this.#maybeReasoning && !this.#out.holds) this.#out.hold("draft");
        this.#attemptAt(calls, until);
        return true;
      }
      if (meaning.kind === "reasoning" && !isLineStart) this.#maybeReasoning ??= meaning.close;
      if (meaning.kind === "close" && this.#maybeReasoning?.includes(meaning.opener)) {
        this.#emitUntil(at);
        this.#maybeReasoning = undefined;
        if (this.#out.holds === "draft") this.#out.dropDraft();
        this.#out.text(this.#input.take(meaning.opener.length));
        return true;
      }
      if (meaning.kind === "reasoning" && isLineStart) {
        this.#emitUntil(at);
        this.#out.spent("markup", this.#input.take(meaning.opener.length));
        this.#beginReasoning(meaning.close);
        this.#addDialects(meaning.dialects);
        return true;
      }
      const isHidden = meaning.kind === "hidden" && (isFirst || this.#usesAny(meaning.dialects));
      // A surplus closer after a call.
      const isExtra = meaning.kind === "closer" && isFirst && !isStart && this.#usesAny(meaning.dialects);
      if (isHidden || isExtra || (meaning.kind === "close" && isStart)) {
        if (isHidden) this.#addDialects(meaning.dialects);
        this.#emitUntil(at);
        this.#out.spent("markup", this.#input.take(meaning.opener.length));
        return true;
      }
    }
    return false;
  }

  #addDialects(dialects: readonly string[]): void {
    if (dialects.every((name) => this.#dialects.has(name))) return;
    this.#dialects = new Set([...this.#dialects, ...dialects]);
  }

  /** Whether the message uses one of these dialects. Otherwise a hidden token may be part of a sentence about it. */
  #usesAny(dialects: readonly string[]): boolean {
    return dialects.some((name) => this.#dialects.has(name));
  }

  #openInReasoning(close: readonly string[], meanings: readonly Meaning[], at: number): boolean {
    const end = meanings.find(({ opener }) => close.includes(opener));
    const calls = callsAmong(meanings, this.#code.isLineStart(this.#input.text, this.#input.at, at), this.#dialects);
    if (end) {
      this.#emitUntil(at);
      // An opener that ends the reasoning is not its closing tag and is read again.
      const isOther = calls.some(({ opener }) => opener === end.opener);
      this.#endReasoning(isOther ? 0 : end.opener.length);
      return true;
    }
    const until = this.#limitOf(calls, at);
    if (until === undefined) return false;
    this.#emitUntil(at);
    if (!this.#out.holds) this.#out.hold("draft");
    this.#attemptAt(calls, until);
    return true;
  }

  get #place(): "text" | "reasoning" {
    return this.#reasoning ? "reasoning" : "text";
  }

  /** The offset at which a block that begins at this index must end; undefined if no call can begin there. */
  #limitOf([first]: readonly Meaning[], at: number): number | undefined {
    if (first?.kind !== "call") return undefined;
    const offset = this.#input.offsetOf(at);
    const until = this.#effort.limitAt(offset, this.#place);
    if (until > offset) return until;
    this.#reportUnread(first.dialect, offset);
    return undefined;
  }

  /** Without a marker, most of what looks like a call is none. */
  #reportUnread({ name: dialect, bare }: Dialect, offset: number): void {
    const place = this.#place;
    if (bare || this.#unread[place]) return;
    this.#unread[place] = true;
    const reason = place === "text" ? tooMany : tooManyDrafts;
    this.#out.reported({ dialect, name: undefined, reason, offset });
  }

  #beginReasoning(close: readonly string[]): void {
    this.#reasoning = close;
    this.#closeSearch = new CloseSearch(close);
    this.#out.beginReasoning();
  }

  #endReasoning(tagLength: number): void {
    this.#reasoning = undefined;
    this.#closeSearch = undefined;
    this.#out.endReasoning(this.#input.take(tagLength));
    this.#code.close();
    this.#isStart = this.#out.isAtStart;
  }

  /** Emits the input up to this index as text or reasoning. */
  #emitUntil(until: number): void {
    if (until === this.#input.at) return;
    this.#code.passOver(this.#input.text, this.#input.at, until);
    this.#out.text(this.#input.take(until - this.#input.at));
    if (this.#out.holds === "draft" && this.#out.isTooLong) this.#out.dropDraft();
  }

  // Inside a block.

  #attemptAt(meanings: readonly Meaning[], until = Number.POSITIVE_INFINITY): void {
    const from = this.#input.offset;
    const text = this.#input.take(
      wholeCharacters(this.#input.text, this.#input.at, Math.min(this.#settings.limit, firstPiece)),
    );
    this.#sink ??= this.#makeSink(this.#out);
    const block = new Block(this.#settings, this.#sink, text, from);
    this.#attempt = { block, reading: tryEach(block, meanings), from, until, isBroken: false };
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
      mayReread: (count) => this.#effort.mayReread(count),
      mayTake: (count) => this.#effort.mayTake(count),
    };
  }

  /** Feeds buffered input to the block, a bounded piece at a time; false if more text is needed. */
  #advance(attempt: Attempt): boolean {
    const { block, until } = attempt;
    const { left, offset } = this.#input;
    if (left === 0 && !this.#ended) return false;
    // The limit is the same for one large chunk as for many small ones.
    const room = Math.min(this.#settings.limit - block.heldLength, nextPiece, until - offset);
    const count = wholeCharacters(this.#input.text, this.#input.at, room);
    if (count === 0 && left > 0) {
      if (until - offset <= room) this.#reportUnread(block.dialect, offset);
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

  #finish({ block, from }: Attempt): void {
    const { rest, unspent } = block;
    this.#attempt = undefined;
    this.#effort.read(from, block.offset, this.#place);
    if (block.accepted) this.#addDialects([block.dialect.name]);
    if (this.#out.holds === "draft" && this.#out.isTooLong) this.#out.dropDraft();
    // What was read after the last accepted call is text.
    this.#reread(unspent + rest, unspent.length);
  }

  /** The block is no call: reports it if it named a tool, and reads it again as text. */
  #refuse({ block, from }: Attempt, why?: string, isCut = false): void {
    const { rest, unspent, offset } = block;
    const { dialect, closers, reason, named } = block.failure;
    const text = unspent + rest;
    this.#attempt = undefined;
    this.#effort.read(from, offset - unspent.length + block.furthest, this.#place);
    this.#effort.failed();
    if (block.accepted) this.#addDialects([block.dialect.name]);
    if (this.#out.holds === "whole") {
      this.#reread(text, 0);
      this.#rereadHeld();
      // A failed block that begins with backticks is a code span and ends as one.
      const isCode = CodeSpans.isMark(this.#input.text.charCodeAt(this.#input.firstOther()));
      if (named !== undefined && !isCode)
        this.#markBroken(text, rest === "" && (isCut || block.ended), [], block.opener);
      return;
    }
    if (named !== undefined || this.#isSentinel(block, text)) {
      const report = { dialect: dialect.name, name: named, reason: why ?? reason, offset: offset - unspent.length };
      this.#out.rejected(report);
    }
    if (this.#out.holds === "draft" && this.#out.isEmpty) this.#out.release();
    if (!block.accepted && named === undefined && CodeSpans.hasMark(block.opener)) {
      // A block that begins with backticks and names no tool is a code span.
      this.#reread(text, 0);
      this.#noBlockAt = this.#input.offset;
    } else this.#reread(text, block.accepted ? 0 : this.#skippedLength(block, named !== undefined));
    if (named !== undefined) this.#markBroken(text, rest === "" && (isCut || block.ended), closers, block.opener);
  }

  /** Whether the block begins like a call in the format that the prompt taught. */
  #isSentinel({ opener, accepted }: Block, text: string): boolean {
    // Inside reasoning it is at most a draft of a call.
    if (accepted || this.#reasoning || this.#out.holds || opener !== this.#settings.sentinel) return false;
    return text
      .slice(opener.length, opener.length + firstPiece)
      .trimStart()
      .startsWith("{");
  }

  /** How much of a failed block is not read again: its opener, or, if much was read without a tool name, all of that. */
  #skippedLength(block: Block, isNamed: boolean): number {
    if (isNamed) return block.opener.length;
    return block.furthest <= firstPiece ? Math.max(1, block.opener.length) : block.furthest;
  }

  /** Calls quoted in an unparsable call do not count before its end. A call that was cut off has no end. */
  #markBroken(text: string, isCut: boolean, closers: readonly string[], opener: string): void {
    if (isCut) this.#textUntil = Math.max(this.#textUntil, this.#input.offset + text.length);
    // Calls in reasoning do not count before its end anyway, and its closing tag must still be found.
    else if (!this.#reasoning) this.#brokenCall = { closers, opener, until: this.#input.offset + this.#settings.limit };
  }

  #reread(text: string, skipped: number): void {
    this.#input.giveBack(text);
    this.#textUntil = Math.max(this.#textUntil, this.#input.offset + skipped);
  }

  /** The message was cut off inside the block: no call is completed. */
  #cutOff(attempt: Attempt): void {
    const { block } = attempt;
    if (!block.isGiven) {
      this.#refuse(attempt, cutOff, true);
      return;
    }
    block.abandon();
    this.#attempt = undefined;
  }

  /** Arguments that broke after they were partly emitted are passed on unchanged, up to the closer. */
  #passOn(attempt: Attempt): void {
    const { block } = attempt;
    const { text, closers } = block;
    const firsts = closers.map((mark) => mark.charCodeAt(0));
    for (let at = block.at; at < text.length; at++) {
      if (!firsts.includes(text.charCodeAt(at))) continue;
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
