import type { Turn, TurnEvent, Usage } from "../../turn/index.ts";
import type { DecidedCall, Decision } from "./decide.ts";
import { inputTokens, tokensIn } from "./tokens.ts";

/** What is given out between two waits. */
export type Beat = TurnEvent[];

const argumentPiece = 8;
const charactersPerToken = 4;
/** Scripts without spaces would make a piece of a whole sentence. */
const longestWord = 16;

/** The whole round, event by event: in small pieces for a stream, each at once otherwise. */
export function writeScript(turn: Turn, decision: Decision): Beat[] {
  const paper = new Paper(turn);
  const { effort } = turn.settings;
  if (effort !== undefined && effort !== "none" && effort !== "minimal") paper.reason(decision.why);
  if (decision.act === "say") paper.say(untilStop(decision.text, turn.settings.stop));
  else for (const [at, call] of decision.calls.entries()) paper.call(at, call);
  return paper.finish(turn);
}

/** Writes until the turn's token limit is reached; what is beyond it is cut off. */
class Paper {
  readonly #beats: Beat[] = [];
  readonly #stream: boolean;
  readonly #limit: number;
  #written = 0;
  #reasoned = 0;
  #isFull = false;

  constructor(turn: Turn) {
    this.#stream = turn.stream;
    this.#limit = (turn.settings.maxOutputTokens ?? Number.POSITIVE_INFINITY) * charactersPerToken;
  }

  reason(text: string): void {
    const fitting = this.#fit(text);
    this.#reasoned = fitting.length;
    if (fitting !== "") this.#beats.push([{ type: "reasoning.delta", text: fitting, part: 0 }]);
  }

  say(text: string): void {
    const fitting = this.#fit(text);
    const pieces = this.#stream ? wordsWithSpaces(fitting) : [fitting];
    for (const piece of pieces) if (piece !== "") this.#beats.push([{ type: "text.delta", text: piece }]);
  }

  call(call: number, { tool: { type: kind, name }, arguments: text }: DecidedCall): void {
    if (this.#isFull || this.#fit(name) !== name) return;
    const fitting = this.#fit(text);
    const pieces = this.#stream ? slices(fitting, argumentPiece) : [fitting];
    const beats = pieces.map((delta): Beat => [{ type: "call.arguments", call, delta }]);
    const [first = [], ...rest] = beats;
    const all = [[{ type: "call.started", call, kind, name } as const, ...first], ...rest];
    if (!this.#isFull) all.at(-1)?.push({ type: "call.done", call });
    this.#beats.push(...all);
  }

  finish(turn: Turn): Beat[] {
    const input = inputTokens(turn);
    const output = tokensIn(this.#written);
    const usage: Usage = {
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: Math.min(output, tokensIn(this.#reasoned)),
    };
    const end: Beat = [
      { type: "usage.reported", usage },
      { type: "turn.finished", reason: this.#isFull ? "length" : "stop" },
    ];
    return this.#stream ? [...this.#beats, end] : [[...this.#beats.flat(), ...end]];
  }

  #fit(text: string): string {
    const room = Math.max(0, this.#limit - this.#written);
    const fitting = text.length <= room ? text : text.slice(0, room).replace(/[\uD800-\uDBFF]$/, "");
    if (fitting !== text) this.#isFull = true;
    this.#written += fitting.length;
    return fitting;
  }
}

function untilStop(text: string, stop: string | string[] | undefined): string {
  const ends = [stop ?? []]
    .flat()
    .filter((sequence) => sequence !== "")
    .map((sequence) => text.indexOf(sequence))
    .filter((at) => at >= 0);
  return ends.length > 0 ? text.slice(0, Math.min(...ends)) : text;
}

function wordsWithSpaces(text: string): string[] {
  return (text.match(/\s*\S+\s*$|\s*\S+|\s+/gu) ?? []).flatMap((word) => slices(word, longestWord));
}

/** By code points: a client that decodes each piece by itself must not see half a character. */
function slices(text: string, size: number): string[] {
  const characters = Array.from(text);
  const count = Math.max(1, Math.ceil(characters.length / size));
  return Array.from({ length: count }, (_, at) => characters.slice(at * size, (at + 1) * size).join(""));
}
