import { Transcript } from "../../src/engine/transcript.ts";
import {
  type CallOwner,
  type CallStarted,
  type FrameSink,
  isObject,
  type JsonObject,
  type KeptAnswer,
  type MessageDone,
  type MessageStarted,
  parseJson,
  type TurnEnding,
  TurnError,
  type TurnEvent,
  type TurnFinished,
  type Usage,
} from "../../src/turn/index.ts";
import { type Codec, type Frame, FrameRecorder, SseSink, WholeSink } from "../../src/wire/index.ts";

/** What an encoder is driven with, in order: an event, a moment of waiting, or the border between two rounds. */
export type Step = TurnEvent | "keep-alive" | "next round";

export interface Scene {
  steps: readonly Step[];
  /** The model stopped by itself, unless said. */
  ending?: TurnEnding;
  /** Fields of the request, beside those that every request here has. */
  request?: JsonObject;
  profile?: "openai" | "extended";
  /** Whether the answer is stored: not, unless said. */
  isKept?: () => boolean;
}

export const answerId = "answer-1";
export const now = 1_700_000_000;

/** A request that each API takes: what belongs to another one is left alone. */
const bareRequest: JsonObject = { model: "m", input: "Hello", messages: [{ role: "user", content: "Hello" }] };

/** Drives an encoder as the engine does: the transcript has folded an event before the encoder gets it. */
export function encode(codec: Codec, stream: boolean, sink: FrameSink, scene: Scene): void {
  const { encoder } = driven(codec, stream, sink, scene);
  encoder.end(scene.ending ?? finished());
}

function driven(codec: Codec, stream: boolean, sink: FrameSink, scene: Scene) {
  const { steps, request, profile = "openai", isKept = () => false } = scene;
  const answer = new Transcript();
  const decoded = codec.decode({ ...bareRequest, ...request, stream }, { toolOutput: 1_000_000 });
  const encoder = codec.createEncoder(decoded, {
    id: answerId,
    sink,
    answer,
    model: "m",
    createdAt: now - 3,
    now: () => now,
    isKept,
    profile,
  });
  // Where the answer is stored, its store reads it.
  answer.isRead = encoder.readsAnswer || isKept();
  encoder.open();
  for (const step of steps) {
    if (step === "keep-alive") encoder.keepAlive();
    else if (step === "next round") answer.beginRound();
    else {
      answer.push(step);
      encoder.push(step);
    }
  }
  return { decoded, encoder, answer };
}

/** The answer as a store gives it back. */
export function kept(codec: Codec, stream: boolean, scene: Scene): KeptAnswer {
  const { steps, ending = finished(), ...rest } = scene;
  const sink = new FrameRecorder();
  const { decoded, encoder, answer } = driven(codec, stream, sink, { ...rest, steps, isKept: () => true });
  const body = parseJson(encoder.describe?.(ending) ?? "");
  if (!isObject(body)) throw new Error("the answer does not describe itself as a JSON object");
  return {
    id: answerId,
    model: "m",
    status: ending.type === "turn.finished" ? "completed" : "failed",
    createdAt: (now - 3) * 1000,
    body,
    metadata: decoded.turn.settings.metadata ?? {},
    output: [...answer.items],
    legacy: decoded.legacy ?? false,
    size: 0,
  };
}

/** The bytes of the stream. */
export function streamed(codec: Codec, scene: Scene): string {
  const sink = new SseSink();
  encode(codec, true, sink, scene);
  return sink.take();
}

export function framesOf(codec: Codec, scene: Scene): Frame[] {
  return recorded(codec, scene).frames;
}

export function recorded(codec: Codec, scene: Scene): FrameRecorder {
  const sink = new FrameRecorder();
  encode(codec, true, sink, scene);
  return sink;
}

/** The body of the answer in one piece. */
export function whole(codec: Codec, scene: Scene): JsonObject {
  const sink = new WholeSink();
  encode(codec, false, sink, scene);
  const body = parseJson(sink.take());
  if (!isObject(body)) throw new Error("the body is not a JSON object");
  return body;
}

export const usage: Usage = {
  ...{ inputTokens: 11, outputTokens: 7, totalTokens: 18 },
  ...{ cachedTokens: 3, cacheWriteTokens: 2, reasoningTokens: 5 },
};

export function finished(reason: TurnFinished["reason"] = "stop", more: Partial<TurnFinished> = {}): TurnFinished {
  return { type: "turn.finished", reason, ...more };
}

export const failure = new TurnError("upstream_cut", "The provider broke off.");
export const failed: TurnEnding = { type: "turn.failed", error: failure };

/** A message from its start to its end. */
export function message(
  id: string,
  inside: readonly (TurnEvent | string)[],
  more: Partial<Pick<MessageStarted, "continues" | "extensions"> & Pick<MessageDone, "status" | "isCommentary">> = {},
): TurnEvent[] {
  const { status = "completed", isCommentary = false, ...started } = more;
  return [
    { type: "message.started", id, ...started },
    ...inside.map((event) => (typeof event === "string" ? text(event) : event)),
    { type: "message.done", status, isCommentary },
  ];
}

export function text(words: string, logprobs?: JsonObject[]): TurnEvent {
  return logprobs ? { type: "text.delta", text: words, logprobs } : { type: "text.delta", text: words };
}

export function refusal(words: string): TurnEvent {
  return { type: "refusal.delta", text: words };
}

export function annotation(fields: JsonObject): TurnEvent {
  return { type: "annotation.added", annotation: fields };
}

/** Reasoning from its start to its end; each part of the summary is a list of deltas. */
export function reasoning(id: string, parts: readonly (readonly string[])[], encrypted?: string): TurnEvent[] {
  return [
    { type: "reasoning.started", id },
    ...parts.flatMap((deltas, part) =>
      deltas.map((delta): TurnEvent => ({ type: "reasoning.delta", text: delta, part })),
    ),
    { type: "reasoning.done", encrypted },
  ];
}

/** A call of which nothing has come but its beginning. */
export function callStarted(number: number, name: string, more: Partial<CallStarted> = {}): CallStarted {
  const kind = more.kind ?? "function";
  const prefix = { function: "fc", custom: "ctc", search: "tsc" }[kind];
  const owner: CallOwner = "client";
  const ids = { callId: `call_${number}`, id: `${prefix}_${number}` };
  return { type: "call.started", kind, owner, ...ids, name, ...more };
}

/** A call from its start to its end. */
export function call(
  number: number,
  name: string,
  deltas: readonly string[],
  more: Partial<CallStarted> = {},
): TurnEvent[] {
  return [
    callStarted(number, name, more),
    ...deltas.map((delta): TurnEvent => ({ type: "call.arguments", delta })),
    { type: "call.done", arguments: deltas.join("") },
  ];
}

/** A call that the gateway runs itself, with its result. */
export function gatewayCall(number: number, name: string, deltas: readonly string[], output: string): TurnEvent[] {
  return [
    ...call(number, name, deltas, { owner: "gateway" }),
    { type: "output.done", kind: "function", callId: `call_${number}`, output },
  ];
}

/** An item that passes through unread. */
export function opaque(id: string, item: JsonObject, format = "responses"): TurnEvent {
  return { type: "item.done", id, format, item };
}

/** Fields of a message for which only one API has a place. */
export function extra(fields: JsonObject, format = "chat"): TurnEvent {
  return { type: "message.extra", extensions: { format, fields } };
}
