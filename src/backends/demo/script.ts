import type { Dialect, WrittenCall } from "../../dialects/index.ts";
import type { BackendEvent, BackendRound, Cancellation, Turn } from "../../turn/index.ts";
import { whole } from "./answer.ts";
import type { DecidedCall, Decision } from "./decide.ts";

/** The events between two pauses. */
type Beat = BackendEvent[];

/** Writes calls as text. */
export type CallWriter = Pick<Dialect, "write">;

const argumentPiece = 8;
/** In scripts without spaces, a whole sentence would be one piece. */
const longestWord = 16;
/** The usual estimate; the demo has no tokenizer. */
const charactersPerToken = 4;

/**
 * All events of the round: small pieces for a stream, otherwise one piece each. It ends at the turn's token limit. With a writer,
 * calls are text.
 */
export function writeScript({ stream, settings, ...turn }: Turn, decision: Decision, writer?: CallWriter): Beat[] {
  const beats: Beat[] = [];
  const limit = (settings.maxOutputTokens ?? Number.POSITIVE_INFINITY) * charactersPerToken;
  let written = 0;
  let isFull = false;
  const fitted = (text: string): string => {
    const room = Math.max(0, limit - written);
    const fitting = text.length <= room ? text : whole(text.slice(0, room));
    if (fitting !== text) isFull = true;
    written += fitting.length;
    return fitting;
  };
  if (!["none", "minimal"].includes(settings.effort ?? "none")) {
    const text = fitted(decision.why);
    if (text !== "") beats.push([{ type: "reasoning.delta", text, part: 0 }]);
  }
  const reasoned = written;
  const say = (text: string, cut: (text: string) => string[]): void => {
    for (const piece of stream ? cut(text) : [text]) {
      if (piece !== "") beats.push([{ type: "text.delta", text: piece }]);
    }
  };
  if ("text" in decision) say(fitted(decision.text), wordsWithSpaces);
  else {
    // No dialect supports custom tools.
    const textual = writer ? decision.calls.filter(({ tool }) => tool.type === "function") : [];
    if (writer && textual.length > 0) say(fitted(writer.write(textual.map(toWrite))), inTokens);
    const others = decision.calls.filter((call) => !textual.includes(call));
    for (const [call, { tool, arguments: text }] of others.entries()) {
      if (isFull || fitted(tool.name) !== tool.name) break;
      const fitting = fitted(text);
      const pieces = stream ? slices(fitting, argumentPiece) : [fitting];
      const own = pieces.map((delta): Beat => [{ type: "call.arguments", call, delta }]);
      own[0]?.unshift({ type: "call.started", call, kind: tool.type, name: tool.name });
      if (!isFull) own.at(-1)?.push({ type: "call.done", call });
      for (const beat of own) beats.push(beat);
    }
  }
  const inputTokens = tokensIn(charactersIn([turn.instructions, turn.input, turn.tools]));
  const [outputTokens, reasoningTokens] = [tokensIn(written), tokensIn(reasoned)];
  const totalTokens = inputTokens + outputTokens;
  const usage = { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedTokens: 0, cacheWriteTokens: 0 };
  const end: Beat = [
    { type: "usage.reported", usage },
    { type: "round.finished", reason: isFull ? "length" : "stop" },
  ];
  return stream ? [...beats, end] : [[...beats.flat(), ...end]];
}

function toWrite({ tool: { name }, arguments: text }: DecidedCall): WrittenCall {
  return { name, arguments: text };
}

/** Roughly as models split text into tokens. Most markers of dialects are longer than one piece. */
function inTokens(text: string): string[] {
  return slices(text, charactersPerToken);
}

function wordsWithSpaces(text: string): string[] {
  const words = (text.match(/\s*\S*/gu) ?? []).filter((word) => word !== "");
  // The last word keeps the space behind it.
  if (words.length > 1 && words.at(-1)?.trim() === "") words.push(words.splice(-2).join(""));
  return words.flatMap((word) => slices(word, longestWord));
}

/** By code points: a client that decodes each piece separately must not get half a character. */
function slices(text: string, size: number): string[] {
  const characters = Array.from(text);
  const count = Math.max(1, Math.ceil(characters.length / size));
  return Array.from({ length: count }, (_, at) => characters.slice(at * size, (at + 1) * size).join(""));
}

function tokensIn(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** Counts all text inside except inline files. Not recursive, because a client's schema may be deeper than the stack. */
function charactersIn(value: unknown): number {
  let count = 0;
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") count += next.startsWith("data:") ? 0 : next.length;
    else if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
  return count;
}

/** Emits the script at reading speed, with one flush per beat. Cancellation ends it at once and leaves nothing pending. */
export async function perform(
  script: readonly Beat[],
  { emit, flush, cancellation }: BackendRound,
  pace: number,
): Promise<void> {
  for (const [at, beat] of script.entries()) {
    if (at > 0 && pace > 0) await cancellation.pause(pace);
    if (cancellation.reason) throw cancellation.reason;
    for (const event of beat) emit(event);
    await orCancelled(cancellation, flush());
  }
}

/** Waits for the client, but no longer than until cancellation. */
async function orCancelled(cancellation: Cancellation, full: Promise<void> | undefined): Promise<void> {
  if (!full) return;
  let leave = (): void => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  cancellation.onCancel(leave);
  await Promise.race([full, left]);
  cancellation.offCancel(leave);
}
