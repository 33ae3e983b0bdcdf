import { type Candidate, Continuity, Observer, runTurn } from "../../engine/index.ts";
import { InProcessMemory } from "../../store/index.ts";
import {
  anonymousOwner,
  type Backend,
  type Breaker,
  Cancellation,
  type Encoder,
  type EventSink,
  Ids,
  type Log,
} from "../../turn/index.ts";
import { type ChatRequest, createChatEncoder } from "../../wire/chat/index.ts";
import { errorEnvelope } from "../../wire/envelope.ts";
import { ResponsesEncoder, type ResponsesRequest } from "../../wire/responses/index.ts";
import { done } from "../../wire/sse.ts";
import type { Dialects } from "./tools.ts";

/** So long that it never comes, in milliseconds. */
const never = 2 ** 31 - 1;

const nobody: EventSink = { on: false, keepsValues: false, write: () => {} };
const silence: Log = { isLevelEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} };
const unbroken: Breaker = { watch: (ask) => ask(), failed: () => {} };

/** Where lines go. A promise means that no more can be taken until it resolves. */
export type WriteLines = (lines: string) => Promise<void> | undefined;

export interface Played {
  /** The status that the client would get instead of a stream. */
  httpStatus: number | undefined;
}

/** Runs the whole candidate from the backend to a client, and writes each event that the client would get as a line of JSON. */
export async function playEvents(
  request: ChatRequest | ResponsesRequest,
  backend: Backend,
  dialects: Dialects,
  write: WriteLines,
): Promise<Played> {
  const { turn } = request;
  const ids = new Ids(turn.input);
  const candidate: Candidate = {
    backend,
    breaker: unbroken,
    request: async () => ({
      turn,
      prompted: false,
      recovery: dialects === "none" ? undefined : { dialects, repair: true, prompted: false },
    }),
    repair: true,
    retries: 0,
    reask: 0,
    strictFailure: "error",
    firstContent: never,
  };
  const ending = await runTurn(
    {
      turn,
      candidates: [candidate],
      createEncoder: () => encoderFor(request, ids),
      ids,
      continuity: new Continuity(new InProcessMemory(), anonymousOwner),
      observer: new Observer(nobody, silence, "replay", backend.name),
      clock: performance,
      receivedAt: performance.now(),
      keepAlive: never,
      total: never,
      cancellation: new Cancellation(),
    },
    { open: () => {}, write: (text) => write(payloads(text)), end: (text) => void write(payloads(text)) },
  );
  if (ending.opened || !ending.error) return { httpStatus: undefined };
  write(`${errorEnvelope(ending.error.body)}\n`);
  return { httpStatus: ending.error.status };
}

function encoderFor(request: ChatRequest | ResponsesRequest, ids: Ids): Encoder {
  const { model } = request.turn;
  return request.api === "responses"
    ? new ResponsesEncoder({ request, model, now, ids, profile: "openai" })
    : createChatEncoder({ ...request, model, created: now() }, true);
}

/** Seconds since 1970, as both APIs count. */
function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** Of whole server-sent events what they carry, one a line. */
function payloads(events: string): string {
  const lines = events.split("\n").filter((line) => line.startsWith("data: ") && line !== `data: ${done}`);
  return lines.map((line) => `${line.slice("data: ".length)}\n`).join("");
}
