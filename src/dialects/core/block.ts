import type { Dialect, Reading, TextRepair } from "../dialect.ts";
import { Characters } from "./characters.ts";
import { JsonText } from "./json-text.ts";
import type { Meaning, Openers } from "./openers.ts";
import type { RejectReport } from "./sink.ts";
import { isForbidden, type KnownTool, type KnownTools } from "./tools.ts";

/** What a block has become so far, told in order to the engine. */
export interface BlockSink {
  /** May a call of this block be given before it is whole? */
  readonly mayStream: boolean;
  /** Does the block count only if it is all of the message? */
  readonly mustBeWhole: boolean;
  callStarted(name: string, dialect: string, id: string | undefined): void;
  callArguments(delta: string): void;
  callDone(): void;
  repaired(repair: TextRepair, offset: number, dialect: string, isOfCall: boolean): void;
  rejected(report: RejectReport): void;
  /** These characters are text after all. */
  isText(text: string): void;
  /** These characters are no text any more: they were a call, or the markup around one. */
  spent(kind: "call" | "markup", text: string): void;
  reasoningBegins(close: readonly string[]): void;
}

export interface BlockSettings {
  tools: KnownTools;
  /** Marks that count everywhere, and those that count only where the message begins. */
  openers: Openers;
  starts: Openers;
  mends: boolean;
  /** How many characters of arguments are waited for before a call that is not whole is given. */
  patience: number;
}

/** A call that has been begun in a block. */
interface OpenCall {
  tool: KnownTool | undefined;
  /** Nobody declared its tool: it is read all the same, to know where it ends, and is text. */
  isUnknown: boolean;
  id: string | undefined;
  arguments: string;
  /** The client knows of it: it cannot become text any more. */
  isGiven: boolean;
  repairs: { repair: TextRepair; offset: number }[];
}

/** Why a block could not be read, and by whom. */
interface Failure {
  dialect: Dialect;
  closers: readonly string[];
  reason: string;
  named: string | undefined;
}

const nobody: Dialect = { name: "", models: "", openers: [], closers: [], *read() {}, write: () => "" };

/** The reason of a block that names a tool which the request does not declare. */
export const unknownTool = "unknown_tool";

const noCall = "no call is open";

/**
 * Text that may be a call, from its opener on: the reading of a dialect takes characters from it and says what they are. Until
 * `accept` all of it may still prove to be text, except that a call with long arguments is given as it grows.
 */
export class Block extends Characters {
  readonly tools: KnownTools;
  /** The dialect that reads it, and the opener by which it was found. */
  dialect: Dialect = nobody;
  opener = "";
  /** What ends it: the dialect's closers, unless its reading knows better. */
  closers: readonly string[] = [];
  /** How far it was read by any of the dialects that tried. */
  furthest = 0;
  /** The tool that was named, declared or not: then a failure is worth a report. */
  named: string | undefined;
  /** The dialect that came furthest, and why it gave up. */
  #blame: Failure | undefined;
  /** A block of several calls has given one of them already. */
  accepted = false;
  /** How many calls of it are whole. */
  callCount = 0;
  readonly #sink: BlockSink;
  readonly #settings: BlockSettings;
  /** Where `text` begins in the whole message. */
  #offset: number;
  /** What was read since the last call was given, up to `#from` in the text. */
  #read = "";
  #from = 0;
  #call: OpenCall | undefined;
  #others: OpenCall[] = [];
  /** A call of it was left as text. */
  #isLeft = false;

  constructor(settings: BlockSettings, sink: BlockSink, text: string, offset: number) {
    super(text);
    this.tools = settings.tools;
    this.#settings = settings;
    this.#sink = sink;
    this.#offset = offset;
  }

  /** Begins to read it, behind the opener, in this dialect. */
  turnTo(dialect: Dialect, opener: string): void {
    this.dialect = dialect;
    this.opener = opener;
    this.closers = dialect.closers;
    this.at += opener.length;
  }

  /** Back to where so many characters had been read, to read on in another way. Nothing has been given since. */
  rewind(unspent: number): void {
    this.#giveUp();
    this.#call = undefined;
    this.#others = [];
    if (this.#read.length <= unspent) {
      this.at = this.#from + unspent - this.#read.length;
      return;
    }
    const all = this.unspent;
    this.#offset = this.offset - all.length + unspent;
    this.text = all.slice(unspent) + this.rest;
    this.#read = all.slice(0, unspent);
    this.at = this.#from = 0;
  }

  #giveUp(): void {
    if (this.#blame && this.unspentLength <= this.furthest) return;
    const { dialect, closers, reason, named } = this;
    this.#blame = { dialect, closers, reason, named };
    this.furthest = this.unspentLength;
    this.named = undefined;
  }

  /** Nobody could read it: what the best attempt at it says. */
  get failure(): Failure {
    this.#giveUp();
    return this.#blame ?? this;
  }

  /** Where the next character stands in the whole message. */
  get offset(): number {
    return this.#offset + this.at;
  }

  get mends(): boolean {
    return this.#settings.mends && !(this.#call?.tool?.strict ?? false);
  }

  /** Whether the call that was read last must be written as it should be, down to its end. */
  get isStrict(): boolean {
    return (this.#call ?? this.#others.at(-1))?.tool?.strict ?? false;
  }

  /** Whether a call was given that is not whole yet. */
  get isGiven(): boolean {
    return this.#call?.isGiven ?? false;
  }

  /** What was read and is not spent; it is text if the block is. */
  get unspent(): string {
    return this.#read + this.text.slice(this.#from, this.at);
  }

  get unspentLength(): number {
    return this.#read.length + this.at - this.#from;
  }

  /** How much is held: all that has come and is not spent. */
  get heldLength(): number {
    const { length } = this.text;
    return this.isGiven ? length - this.at : this.#read.length + length - this.#from;
  }

  /** What has come and was not read. */
  get rest(): string {
    return this.text.slice(this.at);
  }

  feed(more: string): void {
    this.#settle();
    this.text = this.at === this.text.length ? more : this.text.slice(this.at) + more;
    this.#offset += this.at;
    this.at = this.#from = 0;
  }

  #settle(): void {
    const read = this.text.slice(this.#from, this.at);
    this.#from = this.at;
    if (this.isGiven) this.#sink.spent("call", read);
    else this.#read += read;
  }

  // What else may come next.

  /** One of the dialect's closers; or, where the message ends, the beginning of one. */
  *closer(): Reading<boolean> {
    const { closers } = this;
    if ((yield* this.oneOf(closers)) !== "") return true;
    const { rest } = this;
    // A single character may as well begin something else.
    if (!this.ended || this.isStrict || rest.length < 2 || !closers.some((mark) => mark.startsWith(rest))) return false;
    this.at = this.text.length;
    this.repaired("missing_close");
    return true;
  }

  /** What may begin here, as it may where a message begins: calls, each in its dialect. Nothing is taken. */
  *beginnings(): Reading<readonly Meaning[]> {
    const { openers, starts } = this.#settings;
    for (;;) {
      const marked = openers.at(this.text, this.at, this.ended) ?? [];
      const bare = starts.at(this.text, this.at, this.ended) ?? [];
      if (marked !== "more" && bare !== "more") {
        return [...marked, ...bare].filter((meaning) => meaning.kind === "call" && !meaning.dialect.internal);
      }
      yield;
    }
  }

  // Saying what was read.

  /** Begins a call; its name may come later. */
  begin(name?: string, id?: string): void {
    this.#call = { tool: undefined, isUnknown: false, id, arguments: "", isGiven: false, repairs: [] };
    if (name !== undefined) this.name(name);
  }

  /** A name that is no declared tool's makes the call text. */
  name(name: string): void {
    const tool = this.tools.find(name);
    const call = this.#open();
    this.named = tool?.name ?? name.slice(0, 128);
    call.isUnknown = tool === undefined;
    // What has no marker is not read for the sake of a name that means nothing.
    if (call.isUnknown && (this.dialect.bare || this.#sink.mustBeWhole)) this.fail(unknownTool);
    call.tool = tool ?? { name: this.named, strict: false };
    if (call.tool.strict && call.repairs.length > 0) this.fail("the arguments of a strict tool are not mended");
    if (tool && tool.name !== name) this.repaired("name_case");
    this.#giveEarly(call);
  }

  id(id: string): void {
    this.#open().id = id;
  }

  /** The tool of the call that is open. */
  get tool(): KnownTool | undefined {
    return this.#call?.tool;
  }

  /** More of the arguments, as JSON text. */
  arguments(delta: string): void {
    if (delta === "") return;
    const call = this.#open();
    if (call.isGiven) {
      this.#sink.callArguments(delta);
      return;
    }
    call.arguments += delta;
    this.#giveEarly(call);
  }

  /** Whether something in the last call had to be mended. */
  get isMended(): boolean {
    return ((this.#call ?? this.#others.at(-1))?.repairs.length ?? 0) > 0;
  }

  /** The arguments so far, as long as nobody has seen them. */
  get heldArguments(): string | undefined {
    return this.#call && !this.#call.isGiven ? this.#call.arguments : undefined;
  }

  /** Other arguments in the place of those that nobody has seen. */
  replaceArguments(text: string): void {
    const call = this.#open();
    if (!call.isGiven) call.arguments = text;
  }

  /** A call with long arguments is not waited for, where it cannot become text any more and nobody has to check it whole. */
  #giveEarly(call: OpenCall): void {
    if (call.isGiven || call.arguments.length <= this.#settings.patience || !this.#sink.mayStream) return;
    if (!call.tool || call.tool.strict || call.isUnknown) return;
    this.#giveOthers();
    this.#spend("call");
    this.#give(call);
  }

  #give(call: OpenCall): void {
    this.#sink.callStarted(call.tool?.name ?? "", this.dialect.name, call.id);
    for (const { repair, offset } of call.repairs) this.#sink.repaired(repair, offset, this.dialect.name, true);
    if (call.arguments !== "") this.#sink.callArguments(call.arguments);
    call.arguments = "";
    call.isGiven = true;
  }

  /** The call is whole. It is given when the block is accepted. */
  end(): void {
    const call = this.#open();
    if (!call.tool) this.fail("no tool is named");
    if (call.isUnknown) {
      this.#leave(call.tool.name);
      return;
    }
    this.callCount++;
    if (call.isGiven) {
      this.#settle();
      this.#sink.callDone();
      this.accepted = true;
    } else this.#others.push(call);
    this.#call = undefined;
  }

  /** A call that nobody can run is text; the next one in the block may be another matter. */
  #leave(name: string): void {
    if (this.#others.length > 0) this.fail(unknownTool);
    const offset = this.offset - this.unspentLength;
    this.#sink.rejected({ dialect: this.dialect.name, name, reason: unknownTool, offset });
    this.#call = undefined;
    this.accepted = true;
    this.#isLeft = true;
    this.#spend("text");
  }

  /** What was read up to here stands: its calls are given, whatever follows. Around calls that are text, it is text. */
  accept(): void {
    const hasCalls = this.#others.length > 0 || this.callCount > 0;
    this.#giveOthers();
    this.accepted = true;
    this.#spend(this.#isLeft && !hasCalls ? "text" : "call");
  }

  /** What was read is markup, and is never shown. */
  hide(): void {
    this.accepted = true;
    this.#spend("markup");
  }

  /** What was read is the beginning of reasoning, which ends at one of these. */
  reasoning(close: readonly string[]): void {
    // What is held may be taken back; that reasoning has begun could not be.
    if (!this.#sink.mayStream) this.fail("reasoning cannot begin here");
    this.hide();
    this.#sink.reasoningBegins(close);
  }

  repaired(repair: TextRepair, offset = this.offset): void {
    const call = this.#call ?? this.#others.at(-1);
    // Quotes are only guessed at in what is JSON otherwise.
    if (repair === "unescaped_quote" && call?.repairs.some((other) => other.repair === "unquoted_key")) {
      this.fail("the arguments are not JSON");
    }
    if (call && !call.isGiven) call.repairs.push({ repair, offset });
    else if (call || this.callCount > 0 || !this.#isLeft)
      this.#sink.repaired(repair, offset, this.dialect.name, call !== undefined);
  }

  /** Arguments that broke after the call was given go on as they are, as a provider's would: up to this place in the text. */
  passOn(until: number): void {
    const text = this.text.slice(this.at, until);
    this.at = until;
    this.#settle();
    if (text !== "") this.#sink.callArguments(text);
  }

  /** A given call whose arguments are broken is over. */
  endBroken(): void {
    this.#settle();
    this.#sink.callDone();
    this.#call = undefined;
  }

  /** A given call was cut off: it is never done. */
  abandon(): void {
    this.at = this.text.length;
    this.#settle();
    this.#call = undefined;
  }

  #giveOthers(): void {
    for (const call of this.#others) {
      this.#give(call);
      this.#sink.callDone();
    }
    this.#others = [];
  }

  #spend(kind: "call" | "markup" | "text"): void {
    const text = this.unspent;
    this.#read = "";
    this.#from = this.at;
    // What is to come is judged by itself.
    this.furthest = 0;
    this.#blame = undefined;
    this.named = undefined;
    if (text === "") return;
    if (kind === "text") this.#sink.isText(text);
    else this.#sink.spent(kind, text);
  }

  #open(): OpenCall {
    if (!this.#call) throw new Error(noCall);
    return this.#call;
  }

  /** A reader of a JSON value at this place. */
  jsonText(forbids?: (key: string) => boolean): JsonText {
    const report = (repair: TextRepair, behind: number) => {
      this.repaired(repair, this.#offset + this.text.length - behind);
    };
    return new JsonText(this.mends, report, forbids);
  }

  /** Whether the tool of the open call takes no parameter of this name: such a one is left out. */
  forbids(name: string): boolean {
    const tool = this.#call?.tool;
    return this.mends && tool !== undefined && isForbidden(tool, name);
  }
}
