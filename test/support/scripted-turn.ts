import type { CallKind, JsonObject } from "../../src/turn/index.ts";

/** What a scripted provider's model does in one turn, before it takes the form of either API. */
export interface ScriptedTurn {
  items: ScriptedItem[];
  /** null: the provider says nothing about usage. */
  usage?: ScriptedUsage | null;
  /** null: the stream stops without an ending. */
  finish?: ScriptedFinish | null;
}

export type ScriptedItem = ScriptedMessage | ScriptedReasoning | ScriptedCall;
export type ScriptedFinish = "stop" | "length" | "content_filter";

export interface ScriptedMessage {
  kind: "message";
  text?: string;
  refusal?: string;
  /** In the flat form of the Responses API. */
  annotations?: JsonObject[];
}

export interface ScriptedReasoning {
  kind: "reasoning";
  text: string;
}

export interface ScriptedCall {
  kind: "call";
  id: string;
  name: string;
  arguments: string;
  tool: CallKind;
}

export interface ScriptedUsage {
  input: number;
  output: number;
  cached?: number;
  reasoning?: number;
}

/** How a turn is cut into a stream: any text into pieces, and the pieces of neighbouring calls into one order. */
export interface Rendering {
  pieces(text: string): string[];
  /** Each lane's order stays. */
  weave<T>(lanes: T[][]): T[];
}

export const defaultUsage: ScriptedUsage = { input: 11, output: 7 };

export function piecesOf(size: number): (text: string) => string[] {
  return (text) => {
    const pieces: string[] = [];
    for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
    return pieces;
  };
}

/** One after the other. */
export function inSequence<T>(lanes: T[][]): T[] {
  return lanes.flat();
}

/** One of each in turn. */
export function byTurns<T>(lanes: T[][]): T[] {
  const longest = Math.max(0, ...lanes.map((lane) => lane.length));
  return Array.from({ length: longest }, (_, step) => lanes.flatMap((lane) => lane.slice(step, step + 1))).flat();
}

/** Runs of neighbouring calls, whose pieces a provider may mix; everything else stands alone. */
export function lanesOf<T>(items: readonly ScriptedItem[], write: (item: ScriptedItem, index: number) => T[]): T[][][] {
  const groups: T[][][] = [];
  items.forEach((item, index) => {
    const last = groups.at(-1);
    if (last && item.kind === "call" && items[index - 1]?.kind === "call") last.push(write(item, index));
    else groups.push([write(item, index)]);
  });
  return groups;
}
