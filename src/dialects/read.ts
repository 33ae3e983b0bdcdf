import type { FunctionTool } from "../turn/index.ts";
import { defaultRereads } from "./core/effort.ts";
import { type Ending, Reader } from "./core/reader.ts";
import type { RejectReport, RepairReport, Sink, SpanKind } from "./core/sink.ts";
import { type KnownTool, KnownTools } from "./core/tools.ts";
import { dialects } from "./known/index.ts";
import { type Choice, marksOf } from "./marks.ts";

/** A tool as a request declares it; a schema of `false` allows no call at all. */
export interface DeclaredTool extends Pick<FunctionTool, "name" | "strict" | "freeText"> {
  parameters?: FunctionTool["parameters"] | false;
}

export interface ReadingOptions {
  /** The tools that a call may name. Without tools nothing is a call. */
  tools: readonly (DeclaredTool | string)[];
  /**
   * auto: every dialect that cannot be mistaken, and any other if it is the whole message. A list: only these, by name, or
   * dialects that are not in the list.
   */
  dialects?: Choice | undefined;
  /** Read only dialects that have a marker, even if others are named. */
  markersOnly?: boolean | undefined;
  /** Repair malformed arguments of tools that are not strict. */
  repair?: boolean | undefined;
  /** Most characters of a block to buffer, 512 or more; a longer block is text. */
  limit?: number | undefined;
  /** A call is emitted before it is complete once its arguments are longer than this. */
  patience?: number | undefined;
  /**
   * Most characters to read again at once, while blocks turn out to be text; two more with each character of the message. Beyond
   * that, what was read before is text or reasoning.
   */
  rereads?: number | undefined;
  /**
   * The opener that the prompt told the model to use. A block that begins with it and an object is reported as rejected even
   * without a tool name.
   */
  sentinel?: string | undefined;
  /** The message starts inside reasoning whose opening tag was part of the prompt. */
  beginsInReasoning?: boolean | undefined;
}

const defaultLimit = 4 * 1024 * 1024;
/** Enough for the lookahead of every dialect. */
const leastLimit = 512;
const defaultPatience = 512;

/** Throws on a caller's mistake, which would otherwise go unnoticed: nothing would be found. */
function check({ tools, dialects: chosen }: ReadingOptions): void {
  if (!Array.isArray(tools)) throw new TypeError("`tools` must be a list of tools, or of their names.");
  const nameless = tools.findIndex((tool) => typeof (typeof tool === "string" ? tool : tool?.name) !== "string");
  if (nameless !== -1) {
    throw new TypeError(`tools[${nameless}] has no name. A tool is its name, or { name, parameters, strict }.`);
  }
  if (chosen === undefined || chosen === "auto") return;
  if (!Array.isArray(chosen)) throw new TypeError('`dialects` must be "auto" or a list of names.');
  const names = chosen.filter((name) => typeof name === "string");
  const unknown = names.find((name) => !dialects.some((dialect) => dialect.name === name));
  if (unknown !== undefined) throw new TypeError(`There is no dialect "${unknown}".`);
}

/** Reads a message as it streams: pass text to `push`, and how it ended to `end`. */
export function createReader(options: ReadingOptions, sink: Sink): Reader {
  check(options);
  const { openers, lines, firsts, starts, closes } = marksOf(options.dialects ?? "auto", options.markersOnly ?? false);
  return new Reader(
    {
      tools: new KnownTools(knownTools(options.tools)),
      openers,
      lines,
      firsts,
      starts,
      spoken: namesOf(options.dialects ?? "auto"),
      mends: options.repair ?? true,
      limit: Math.max(options.limit ?? defaultLimit, leastLimit),
      patience: options.patience ?? defaultPatience,
      rereads: options.rereads ?? defaultRereads,
      sentinel: options.sentinel,
      beginsInside: options.beginsInReasoning ? closes : undefined,
    },
    sink,
  );
}

function namesOf(choice: Choice): string[] {
  return choice === "auto" ? [] : choice.map((chosen) => (typeof chosen === "string" ? chosen : chosen.name));
}

function knownTools(tools: ReadingOptions["tools"]): KnownTool[] {
  return (tools.some(allowsNoCall) ? tools.filter((tool) => !allowsNoCall(tool)) : tools).map(toKnownTool);
}

function allowsNoCall(tool: DeclaredTool | string): boolean {
  return typeof tool !== "string" && tool.parameters === false;
}

function toKnownTool(tool: DeclaredTool | string): KnownTool {
  if (typeof tool === "string") return { name: tool, strict: false };
  const { name, strict, parameters, freeText } = tool;
  return { name, strict: strict === true, parameters: parameters || undefined, freeText };
}

export interface FoundCall {
  name: string;
  /** JSON text. */
  arguments: string;
  dialect: string;
  /** The model's own id, if its dialect has ids. */
  id?: string | undefined;
  /** False if the message was cut off after part of the arguments was emitted: the call must not be run. */
  isWhole: boolean;
}

export interface Span {
  kind: SpanKind;
  text: string;
}

export interface ReadMessage {
  text: string;
  reasoning: string;
  calls: FoundCall[];
  /** In order; together they are the message. Adjacent spans have different kinds. */
  spans: Span[];
  repairs: RepairReport[];
  rejected: RejectReport[];
}

/** Reads a message that has arrived, in one piece or in chunks. */
export function readMessage(
  text: string | Iterable<string>,
  options: ReadingOptions,
  ending: Ending = "stop",
): ReadMessage {
  const collector = new Collector();
  const reader = createReader(options, collector);
  for (const piece of typeof text === "string" ? [text] : text) reader.push(piece);
  reader.end(ending);
  return collector.message;
}

class Collector implements Sink {
  readonly message: ReadMessage = { text: "", reasoning: "", calls: [], spans: [], repairs: [], rejected: [] };

  span(kind: SpanKind, text: string): void {
    const last = this.message.spans.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.message.spans.push({ kind, text });
    if (kind === "text" || kind === "reasoning") this.message[kind] += text;
  }

  callStarted(_call: number, name: string, dialect: string, id: string | undefined): void {
    this.message.calls.push({ name, arguments: "", dialect, id, isWhole: false });
  }

  callArguments(call: number, delta: string): void {
    const found = this.message.calls[call];
    if (found) found.arguments += delta;
  }

  callDone(call: number): void {
    const found = this.message.calls[call];
    if (found) found.isWhole = true;
  }

  repaired(report: RepairReport): void {
    this.message.repairs.push(report);
  }

  rejected(report: RejectReport): void {
    this.message.rejected.push(report);
  }
}
