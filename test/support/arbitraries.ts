import fc from "fast-check";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import type { Api } from "./api.ts";
import type { Folded } from "./folded.ts";
import { sseFrames } from "./provider.ts";
import { chatChunks, chatWhole } from "./scripted-chat.ts";
import { responsesEvents, responsesWhole } from "./scripted-responses.ts";
import {
  piecesOf,
  type Rendering,
  type ScriptedItem,
  type ScriptedMessage,
  type ScriptedTurn,
} from "./scripted-turn.ts";

/** Text as models write it, and as they do not: every plane of Unicode, line ends of all kinds, characters that JSON escapes. */
export function anyText(): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 8 }),
    fc.constantFrom(
      "\n",
      "\r\n",
      "\r",
      "\u2028",
      "\u0000",
      "😀",
      "日本",
      "é",
      '"',
      "\\",
      "data: ",
      "\n\n",
      " ",
      "\ufeff",
    ),
  );
  return fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""));
}

/** Arguments as JSON text: tight or loose, nested, with any strings in them; or nothing, as models write for no arguments. */
export function anyArguments(): fc.Arbitrary<string> {
  const value = fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
  const text = fc
    .tuple(value, fc.constantFrom(0, 0, 2))
    .map(([object, indent]) => JSON.stringify(object, null, indent));
  const spoken = anyText().map((words) => JSON.stringify({ text: words }));
  return fc.oneof(
    { weight: 6, arbitrary: text },
    { weight: 3, arbitrary: spoken },
    { weight: 1, arbitrary: fc.constant("") },
  );
}

export interface TurnConstraints {
  /** How many calls at most; 4 unless said. */
  maxCalls?: number;
  /** Whether text may stand between and after calls, not only before them; true unless said. */
  textAnywhere?: boolean;
  /** Whether some calls are of a custom tool, whose input is free text; false unless said. */
  custom?: boolean;
}

/**
 * A turn of a provider: perhaps reasoning first, then text and up to four calls in any order. Neighbouring texts do not occur,
 * because Chat cannot tell them from one.
 */
export function anyTurn(constraints: TurnConstraints = {}): fc.Arbitrary<ScriptedTurn> {
  const { maxCalls = 4, textAnywhere = true, custom = false } = constraints;
  const name = fc.constantFrom("get_weather", "get_time", "refresh", "search-notes");
  const functionCall = fc.record({ name, arguments: anyArguments(), tool: fc.constant("function" as const) });
  const customCall = fc.record({
    name: fc.constant("apply_patch"),
    arguments: anyText(),
    tool: fc.constant("custom" as const),
  });
  const call = custom ? fc.oneof(functionCall, customCall) : functionCall;
  const message = anyText();
  return fc
    .record({
      thought: fc.option(anyText(), { nil: undefined }),
      calls: fc.array(call, { maxLength: maxCalls }),
      before: fc.option(message, { nil: undefined }),
      texts: fc.array(fc.option(message, { nil: undefined }), { minLength: maxCalls, maxLength: maxCalls }),
      usage: fc.record({ input: fc.nat(9999), output: fc.nat(9999), cached: fc.nat(99), reasoning: fc.nat(99) }),
    })
    .map(({ thought, calls, before, texts, usage }) => {
      const items: ScriptedItem[] = [];
      const say = (text: string | undefined) => text !== undefined && items.push({ kind: "message", text });
      if (thought !== undefined) items.push({ kind: "reasoning", text: thought });
      say(before ?? (calls.length === 0 ? "Well." : undefined));
      calls.forEach((each, index) => {
        items.push({ kind: "call", id: `call_${index}`, ...each });
        if (textAnywhere) say(texts[index]);
      });
      return { items, usage };
    });
}

/** Cuts a string at any places, inside surrogate pairs too: providers escape their halves, so a client can join them. */
export function anyPieces(): fc.Arbitrary<(text: string) => string[]> {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
  return fc.oneof(
    fc.constant(shown("a character a piece", piecesOf(1))),
    fc.constant(shown("one piece", (text: string) => (text === "" ? [] : [text]))),
    sizes.map((cycle) =>
      shown(`pieces of ${cycle}`, (text: string) => cutBy(text.length, cycle, (from, to) => text.slice(from, to))),
    ),
  );
}

/**
 * Cuts bytes at any places, inside multi-byte characters and line ends too: a few cuts over all of it, and a stretch somewhere
 * that comes in crumbs.
 */
export function anyChunking(): fc.Arbitrary<(bytes: Uint8Array) => Buffer[]> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const cuts = fc.array(place, { maxLength: 12 });
  const crumbs = fc.record({ from: place, sizes: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 80 }) });
  return fc.tuple(cuts, crumbs).map(([places, { from, sizes }]) =>
    shown(`cuts at ${places}, from ${from} in ${sizes}`, (bytes: Uint8Array) => {
      const buffer = Buffer.from(bytes);
      const at = (fraction: number) => Math.floor(fraction * buffer.length);
      let end = at(from);
      const fine = sizes.map((size) => (end += size));
      const ordered = [...new Set([...places.map(at), ...fine])].filter((cut) => cut > 0 && cut < buffer.length);
      const bounds = [0, ...ordered.sort((a, b) => a - b), buffer.length];
      return bounds.slice(1).map((to, index) => buffer.subarray(bounds[index], to));
    }),
  );
}

/** Mixes the deltas of calls in any way that keeps each call's own order, and the order in which they begin. */
export function anyInterleaving(): fc.Arbitrary<Rendering["weave"]> {
  const choices = fc.array(fc.nat(7), { minLength: 1, maxLength: 24 });
  return choices.map((list) => shown(`lanes by ${list}`, <T>(lanes: T[][]) => weave(lanes, list)));
}

export function anyRendering(): fc.Arbitrary<Rendering> {
  return fc.record({ pieces: anyPieces(), weave: anyInterleaving() });
}

export interface RenderedRequest {
  model: string;
  stream?: unknown;
  stream_options?: unknown;
}

/** The turn as the payloads of a stream of the API. */
export function payloadsOf(api: Api, turn: ScriptedTurn, request: RenderedRequest, rendering: Rendering): JsonObject[] {
  const { model, stream_options: options } = request;
  if (api === "responses") return responsesEvents(turn, { model }, rendering);
  return chatChunks(turn, { model, includeUsage: isObject(options) && options.include_usage === true }, rendering);
}

/** The turn as the bytes of an answer of the API, in the pieces that the chunking makes of them. */
export function bytesOf(
  api: Api,
  turn: ScriptedTurn,
  request: RenderedRequest,
  rendering: Rendering,
  chunking: (bytes: Uint8Array) => Buffer[],
): Buffer[] {
  const whole = () => (api === "chat" ? chatWhole(turn, request) : responsesWhole(turn, request));
  const text = request.stream
    ? sseFrames(api, payloadsOf(api, turn, request, rendering)).join("")
    : JSON.stringify(whole());
  return chunking(Buffer.from(text));
}

/** What a client of one API must have in the end, from a backend of either. */
export function expected(turn: ScriptedTurn, client: Api, backend: Api): Omit<Folded, "error"> {
  const messages = turn.items.filter((item) => item.kind === "message");
  const { input, output, cached = 0, reasoning = 0 } = turn.usage ?? { input: 11, output: 7 };
  const calls = expectedItems(turn).filter((item) => item.kind === "call");
  // Only a Responses backend says where one message ends and the next begins; Chat has but one.
  const between = client === "chat" && backend === "responses" ? "\n\n" : "";
  return {
    text: joined(messages, "text", between),
    refusal: joined(messages, "refusal", ""),
    reasoning: turn.items.flatMap((item) => (item.kind === "reasoning" ? [item.text] : [])).join(""),
    annotations: messages.flatMap((message) => message.annotations ?? []),
    calls: calls.map(({ id, name, arguments: text, tool }) => ({ id, name, arguments: text, kind: tool })),
    finish: client === "responses" ? "completed" : calls.length > 0 ? "tool_calls" : "stop",
    ended: "completed",
    usage: { input, output, total: input + output, cached, reasoning },
  };
}

/** The items that a client must see, in order: a call without arguments has empty ones. */
export function expectedItems(turn: ScriptedTurn): ScriptedItem[] {
  return turn.items.map((item) => (isSilent(item) ? { ...item, arguments: "{}" } : item));
}

function isSilent(item: ScriptedItem): boolean {
  return item.kind === "call" && item.tool === "function" && item.arguments === "";
}

/** A counterexample should say what was done, not show a function's source. */
function shown<T extends object>(words: string, value: T): T {
  return Object.assign(value, { [fc.toStringMethod]: () => words });
}

function joined(messages: ScriptedMessage[], key: "text" | "refusal", between: string): string {
  return messages.flatMap((message) => message[key] ?? []).join(between);
}

function cutBy<T>(length: number, cycle: readonly number[], take: (from: number, to: number) => T): T[] {
  const pieces: T[] = [];
  for (let at = 0; at < length; ) {
    const to = at + (cycle[pieces.length % cycle.length] ?? 1);
    pieces.push(take(at, to));
    at = to;
  }
  return pieces;
}

function weave<T>(lanes: readonly T[][], choices: readonly number[]): T[] {
  const taken = lanes.map(() => 0);
  const woven: T[] = [];
  for (let step = 0; ; step++) {
    const begun = taken.filter((count) => count > 0).length;
    const open = lanes.flatMap((lane, index) => (index <= begun && (taken[index] ?? 0) < lane.length ? [index] : []));
    const index = open[(choices[step % choices.length] ?? 0) % open.length];
    if (index === undefined) return woven;
    const next = lanes[index]?.[taken[index] ?? 0];
    if (next !== undefined) woven.push(next);
    taken[index] = (taken[index] ?? 0) + 1;
  }
}
