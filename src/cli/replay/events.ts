import { type Candidate, Continuity, runTurn } from "../../engine/index.ts";
import { InProcessMemory } from "../../store/index.ts";
import { anonymousOwner, type Backend, type Breaker, Cancellation, Ids, type TextSink } from "../../turn/index.ts";
import { type ClientRequest, type Codec, FrameRecorder } from "../../wire/index.ts";
import type { Dialects } from "./tools.ts";

/** The longest possible timer, in milliseconds: about 25 days. */
const never = 2 ** 31 - 1;

const unbroken: Breaker = { watch: (ask) => ask(), failed: () => {} };

/** Writes lines. If it returns a promise, the output is full until the promise resolves. */
export type WriteLines = (lines: string) => Promise<void> | undefined;

export interface Played {
  /** The status of the HTTP error that the client would get instead of a stream, if any. */
  httpStatus: number | undefined;
}

/** Runs a complete turn, and writes each event that the client would get as a line of JSON. */
export async function playEvents(
  codec: Codec,
  request: ClientRequest,
  backend: Backend,
  dialects: Dialects,
  write: WriteLines,
): Promise<Played> {
  const { turn } = request;
  const recovery = dialects === "none" ? undefined : { dialects, repair: true, prompted: false };
  const candidate: Candidate = {
    backend,
    breaker: unbroken,
    request: async () => ({ turn, prompted: false, recovery }),
    repair: true,
    retries: 0,
    reask: 0,
    strictFailure: "error",
    firstContent: never,
  };
  const sink = new RecordedLines();
  const options = { sink, model: turn.model, createdAt: now(), now, isKept, profile: "openai" } as const;
  const ending = await runTurn(
    {
      turn,
      candidates: [candidate],
      createEncoder: (id, answer) => codec.createEncoder(request, { ...options, id, answer }),
      sink,
      idForm: codec.answerId,
      ids: new Ids(turn.input),
      continuity: new Continuity(new InProcessMemory(), anonymousOwner),
      listener: {},
      clock: performance,
      receivedAt: performance.now(),
      keepAlive: never,
      total: never,
      cancellation: new Cancellation(),
    },
    { open: () => {}, write, end: (text) => void write(text) },
  );
  if (ending.opened || !ending.error) return { httpStatus: undefined };
  write(`${codec.errorBody(ending.error.body)}\n`);
  return { httpStatus: ending.error.status };
}

/** Returns the frames since the last `take`, one per line. */
class RecordedLines extends FrameRecorder implements TextSink {
  take(): string {
    const lines = this.frames.splice(0).map(({ json }) => `${json}\n`);
    return lines.join("");
  }
}

/** Unix time in seconds, as in both APIs. */
function now(): number {
  return Math.floor(Date.now() / 1000);
}

function isKept(): boolean {
  return false;
}
