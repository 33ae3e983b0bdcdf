import { type Candidate, Continuity, runTurn } from "../../engine/index.ts";
import { InProcessMemory } from "../../store/index.ts";
import { anonymousOwner, type Backend, type Breaker, Cancellation, Ids, type TextSink } from "../../turn/index.ts";
import { type ClientRequest, type Codec, FrameRecorder } from "../../wire/index.ts";
import type { Dialects } from "./tools.ts";

/** So long that it never comes, in milliseconds. */
const never = 2 ** 31 - 1;

const unbroken: Breaker = { watch: (ask) => ask(), failed: () => {} };

/** Where lines go. A promise means that no more can be taken until it resolves. */
export type WriteLines = (lines: string) => Promise<void> | undefined;

export interface Played {
  /** The status that the client would get instead of a stream. */
  httpStatus: number | undefined;
}

/** Runs the whole way from the backend to a client, and writes each event that the client would get as a line of JSON. */
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
  const options = { sink, model: turn.model, now, profile: "openai" } as const;
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

/** What the encoder has recorded since the last time, a frame a line. */
class RecordedLines extends FrameRecorder implements TextSink {
  #taken = 0;

  take(): string {
    const lines = this.frames.slice(this.#taken).map(({ json }) => `${json}\n`);
    this.#taken = this.frames.length;
    return lines.join("");
  }
}

/** Seconds since 1970, as both APIs count. */
function now(): number {
  return Math.floor(Date.now() / 1000);
}
