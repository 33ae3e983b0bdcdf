import type { Dialect, Reading, TextRepair } from "../dialect.ts";
import { Characters } from "./characters.ts";
import { JsonText } from "./json-text.ts";
import type { Meaning, Openers } from "./openers.ts";
import type { RejectReport } from "./sink.ts";
import { isForbidden, type KnownTool, type KnownTools } from "./tools.ts";

/** Receives what a block turns out to be, in order. */
export interface BlockSink {
  /** Whether a call may be emitted before it is complete. */
  readonly mayStream: boolean;
  /** Whether the block counts only as the whole message. */
  readonly mustBeWhole: boolean;
  callStarted(name: string, dialect: string, id: string | undefined): void;
  callArguments(delta: string): void;
  callDone(): void;
  repaired(repair: TextRepair, offset: number, dialect: string, isOfCall: boolean): void;
  rejected(report: RejectReport): void;
  /** These characters are text. */
  isText(text: string): void;
  /** These characters were a call or the markup around one. */
  spent(kind: "call" | "markup", text: string): void;
  reasoningBegins(close: readonly string[]): void;
  /** Whether another dialect may read the last so many characters again. */
  mayReread(count: number): boolean;
  /** Whether a reading may do something that takes as long as to read so many characters. */
  mayTake(count: number): boolean;
}

export interface BlockSettings {
  tools: KnownTools;
  /** Markers that count anywhere, and those that count only at the start of the message. */
  openers: Openers;
  starts: Openers;
  mends: boolean;
  /** A call is emitted before it is complete once its arguments are longer than this. */
  patience: number;
}

interface OpenCall {
  tool: KnownTool | undefined;
  /** The request does not declare its tool. The call is parsed to find its end and is then text. */
  isUnknown: boolean;
  id: string | undefined;
  arguments: string;
  /** The call has been emitted and cannot become text any more. */
  isGiven: boolean;
  repairs: { repair: TextRepair; offset: number }[];
  /** A key without quotes is among the repairs. */
  hasUnquotedKey: boolean;
}

/** Why a dialect could not read a block. */
interface Failure {
  dialect: Dialect;
  closers: readonly string[];
  reason: string;
  named: string | undefined;
}

const noDialect: Dialect = { name: "", models: "", openers: [], closers: [], *read() {}, write: () => "" };

/** Reject reason of a block that names an undeclared tool. */
export const unknownTool = "unknown_tool";

const noCall = "no call is open";

/**
 * Text that may be a call, from its opener on. A dialect's reading consumes characters and reports what they are. Until `accept`
 * all of it may still turn out to be text, except that a call with long arguments is emitted as it grows.
 */
export class Block extends Characters {
  readonly tools: KnownTools;
  /** The dialect that reads the block, and the opener that it was found by. */
  dialect: Dialect = noDialect;
  opener = "";
  /** What ends the block: the dialect's closers, unless its reading sets others. */
  closers: readonly string[] = [];
  /** How far any of the dialects tried so far has read. */
  furthest = 0;
  /** The tool name that was read, declared or not. A block that fails after its name is reported. */
  named: string | undefined;
  /** The failure of the dialect that read furthest. */
  #furthestFailure: Failure | undefined;
  /** Part of the block has been accepted and cannot become text any more. */
  accepted = false;
  /** How many calls are complete. */
  callCount = 0;
  readonly #sink: BlockSink;
  readonly #settings: BlockSettings;
  /** Offset of `text` in the message. */
  #offset: number;
  /** Text that was read and not emitted, up to index `#from` of `text`. */
  #read = "";
  #from = 0;
  #call: OpenCall | undefined;
  #pending: OpenCall[] = [];
  /** A call of an undeclared tool was left as text. */
  #hasUnknownCall = false;

  constructor(settings: BlockSettings, sink: BlockSink, text: string, offset: number) {
    super(text);
    this.tools = settings.tools;
    this.#settings = settings;
    this.#sink = sink;
    this.#offset = offset;
  }

  /** Starts reading in this dialect, after the opener. */
  turnTo(dialect: Dialect, opener: string): void {
    this.dialect = dialect;
    this.opener = opener;
    this.closers = dialect.closers;
    this.at += opener.length;
  }

  /** Whether another dialect may be tried from where `unspent` characters had been read. */
  mayRewind(unspent: number): boolean {
    return this.#sink.mayReread(this.unspentLength - unspent);
  }

  /** Goes back to where `unspent` characters had been read, to try another dialect. Nothing has been emitted since. */
  rewind(unspent: number): void {
    this.#noteFailure();
    this.#call = undefined;
    this.#pending = [];
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

  /** Fails unless the message allows for something slow, which takes as long as to read so many characters. */
  take(count: number): void {
    if (!this.#sink.mayTake(count)) this.fail("the arguments are too long");
  }

  #noteFailure(): void {
    if (this.#furthestFailure && this.unspentLength <= this.furthest) return;
    const { dialect, closers, reason, named } = this;
    this.#furthestFailure = { dialect, closers, reason, named };
    this.furthest = this.unspentLength;
    this.named = undefined;
  }

  /** No dialect could read the block: the failure of the one that read furthest. */
  get failure(): Failure {
    this.#noteFailure();
    return this.#furthestFailure ?? this;
  }

  /** Offset of the next character in the message. */
  get offset(): number {
    return this.#offset + this.at;
  }

  get mends(): boolean {
    return this.#settings.mends && !(this.#call?.tool?.strict ?? false);
  }

  /** Whether the last call's tool is strict: then its closing markup is not repaired either. */
  get isStrict(): boolean {
    return (this.#call ?? this.#pending.at(-1))?.tool?.strict ?? false;
  }

  /** Whether a call was emitted that is not complete yet. */
  get isGiven(): boolean {
    return this.#call?.isGiven ?? false;
  }

  /** What was read and not emitted yet; it becomes text if the block fails. */
  get unspent(): string {
    return this.#read + this.text.slice(this.#from, this.at);
  }

  get unspentLength(): number {
    return this.#read.length + this.at - this.#from;
  }

  /** How many characters the block buffers. */
  get heldLength(): number {
    const { length } = this.text;
    return this.isGiven ? length - this.at : this.#read.length + length - this.#from;
  }

  /** Buffered text that was not read yet. */
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

  // What may come next.

  /** Reads a closer. At the end of the message, the beginning of one is enough. */
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

  /** The calls that may begin here, as at the start of a message. Consumes nothing. */
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

  // Reporting what was read.

  /** Begins a call; its name may come later. */
  begin(name?: string, id?: string): void {
    this.#call = {
      tool: undefined,
      isUnknown: false,
      id,
      arguments: "",
      isGiven: false,
      repairs: [],
      hasUnquotedKey: false,
    };
    if (name !== undefined) this.name(name);
  }

  /** A call of an undeclared tool becomes text. */
  name(name: string): void {
    const tool = this.tools.find(name);
    const call = this.#open();
    this.named = tool?.name ?? name.slice(0, 128);
    call.isUnknown = tool === undefined;
    // Without a marker, an unknown name is no sign of a call.
    if (call.isUnknown && (this.dialect.bare || this.#sink.mustBeWhole)) this.fail(unknownTool);
    call.tool = tool ?? { name: this.named, strict: false };
    if (call.tool.strict && call.repairs.length > 0) this.fail("the arguments of a strict tool are not mended");
    if (tool && tool.name !== name) this.repaired("name_case");
    this.#emitEarly(call);
  }

  id(id: string): void {
    this.#open().id = id;
  }

  /** The tool of the open call. */
  get tool(): KnownTool | undefined {
    return this.#call?.tool;
  }

  /** Appends JSON text to the arguments. */
  arguments(delta: string): void {
    if (delta === "") return;
    const call = this.#open();
    if (call.isGiven) {
      this.#sink.callArguments(delta);
      return;
    }
    call.arguments += delta;
    this.#emitEarly(call);
  }

  /** Whether the last call needed repairs. */
  get isMended(): boolean {
    return ((this.#call ?? this.#pending.at(-1))?.repairs.length ?? 0) > 0;
  }

  /** The arguments so far; undefined once they have been emitted. */
  get heldArguments(): string | undefined {
    return this.#call && !this.#call.isGiven ? this.#call.arguments : undefined;
  }

  /** Replaces arguments that have not been emitted. */
  replaceArguments(text: string): void {
    const call = this.#open();
    if (!call.isGiven) call.arguments = text;
  }

  /** The open call is emitted once its arguments are longer than this, unless it may become text or is checked as a whole. */
  get patience(): number {
    const { tool, isUnknown } = this.#open();
    const isHeld = !tool || tool.strict || isUnknown || !this.#sink.mayStream;
    return isHeld ? Number.POSITIVE_INFINITY : this.#settings.patience;
  }

  #emitEarly(call: OpenCall): void {
    if (call.isGiven || call.arguments.length <= this.#settings.patience) return;
    if (call.arguments.length <= this.patience) return;
    this.#emitPending();
    this.#spend("call");
    this.#emit(call);
  }

  #emit(call: OpenCall): void {
    this.#sink.callStarted(call.tool?.name ?? "", this.dialect.name, call.id);
    for (const { repair, offset } of call.repairs) this.#sink.repaired(repair, offset, this.dialect.name, true);
    if (call.arguments !== "") this.#sink.callArguments(call.arguments);
    call.arguments = "";
    call.isGiven = true;
  }

  /** Completes the call. It is emitted when the block is accepted. */
  end(): void {
    const call = this.#open();
    if (!call.tool) this.fail("no tool is named");
    if (call.isUnknown) {
      this.#rejectUnknown(call.tool.name);
      return;
    }
    this.callCount++;
    if (call.isGiven) {
      this.#settle();
      this.#sink.callDone();
      this.accepted = true;
    } else this.#pending.push(call);
    this.#call = undefined;
  }

  /** A call of an undeclared tool is text. Later calls in the block may still count. */
  #rejectUnknown(name: string): void {
    if (this.#pending.length > 0) this.fail(unknownTool);
    const offset = this.offset - this.unspentLength;
    this.#sink.rejected({ dialect: this.dialect.name, name, reason: unknownTool, offset });
    this.#call = undefined;
    this.accepted = true;
    this.#hasUnknownCall = true;
    this.#spend("text");
  }

  /** Accepts what was read so far: its calls are emitted, whatever follows. The markup around calls that are text is text too. */
  accept(): void {
    const hasCalls = this.#pending.length > 0 || this.callCount > 0;
    this.#emitPending();
    this.accepted = true;
    this.#spend(this.#hasUnknownCall && !hasCalls ? "text" : "call");
  }

  /** What was read is markup, and is never shown. */
  hide(): void {
    this.accepted = true;
    this.#spend("markup");
  }

  /** What was read opens reasoning, which ends at one of these tags. */
  reasoning(close: readonly string[]): void {
    // Held text may be parsed again, but the start of reasoning cannot be undone.
    if (!this.#sink.mayStream) this.fail("reasoning cannot begin here");
    this.hide();
    this.#sink.reasoningBegins(close);
  }

  /** Reports a repair; false if it must not be made. */
  repaired(repair: TextRepair, offset = this.offset): boolean {
    const call = this.#call ?? this.#pending.at(-1);
    // Unescaped quotes are repaired only in text that is otherwise JSON.
    if (repair === "unescaped_quote" && call?.hasUnquotedKey) return false;
    if (call && !call.isGiven) {
      call.repairs.push({ repair, offset });
      if (repair === "unquoted_key") call.hasUnquotedKey = true;
    } else if (call || this.callCount > 0 || !this.#hasUnknownCall)
      this.#sink.repaired(repair, offset, this.dialect.name, call !== undefined);
    return true;
  }

  /** Passes broken arguments of an emitted call on unchanged, up to this index, as a provider would. */
  passOn(until: number): void {
    const text = this.text.slice(this.at, until);
    this.at = until;
    this.#settle();
    if (text !== "") this.#sink.callArguments(text);
  }

  /** Completes an emitted call whose arguments are broken. */
  endBroken(): void {
    this.#settle();
    this.#sink.callDone();
    this.#call = undefined;
  }

  /** An emitted call was cut off: it is never completed. */
  abandon(): void {
    this.at = this.text.length;
    this.#settle();
    this.#call = undefined;
  }

  #emitPending(): void {
    for (const call of this.#pending) {
      this.#emit(call);
      this.#sink.callDone();
    }
    this.#pending = [];
  }

  #spend(kind: "call" | "markup" | "text"): void {
    const text = this.unspent;
    this.#read = "";
    this.#from = this.at;
    // Failures so far say nothing about what follows.
    this.furthest = 0;
    this.#furthestFailure = undefined;
    this.named = undefined;
    if (text === "") return;
    if (kind === "text") this.#sink.isText(text);
    else this.#sink.spent(kind, text);
  }

  #open(): OpenCall {
    if (!this.#call) throw new Error(noCall);
    return this.#call;
  }

  /** A parser for a JSON value at the current position. */
  jsonText(forbids?: (key: string) => boolean): JsonText {
    const report = (repair: TextRepair, behind: number) =>
      this.repaired(repair, this.#offset + this.text.length - behind);
    return new JsonText(this.mends, report, forbids);
  }

  /** Whether the open call's tool forbids a parameter of this name; such a parameter is dropped. */
  forbids(name: string): boolean {
    const tool = this.#call?.tool;
    return this.mends && tool !== undefined && isForbidden(tool, name);
  }
}
