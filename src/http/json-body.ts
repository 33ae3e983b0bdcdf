import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type MemoryBudget, TurnHolding } from "../guard/index.ts";
import { BeyondJsonLimits, giveLoopBack, isLoopHeld, JsonReader, type JsonValue, TurnError } from "../turn/index.ts";
import { bodyTooLarge, brokenBody, wrongLength } from "./errors.ts";
import { lingerAfterAnswer } from "./linger.ts";

/** A body up to this size is parsed at once. */
const smallBody = 64 * 1024;
/** Bodies are read and written recursively, so their depth must fit the stack with a wide margin. */
const bodyLimits = { depth: 128, values: 500_000, keys: 20_000 };
/** The memory that a value takes at least, in bytes. */
const bytesOfValue = 64;

declare module "fastify" {
  interface FastifyRequest {
    /** The memory that a large body takes. A small one needs none of the budget. */
    holding: TurnHolding | undefined;
  }
}

type Done = (error: Error | null, body?: unknown) => void;
type SmallParser = (request: FastifyRequest, body: string, done: Done) => void;

/** Reads JSON bodies instead of Fastify: large ones are parsed as they arrive, counted, and refused before their end if they must be. */
export function readJsonBodies(server: FastifyInstance, limit: number, budget: MemoryBudget): void {
  const parseSmall = server.getDefaultJsonParser("remove", "remove") as SmallParser;
  server.decorateRequest("holding", undefined);
  server.removeContentTypeParser(["application/json", "text/plain"]);
  server.addContentTypeParser("application/json", (request, payload, done) => {
    new JsonBody({ request, payload, limit, budget, parseSmall, done }).read();
  });
}

interface BodyParts {
  request: FastifyRequest;
  payload: IncomingMessage;
  /** The largest body, in bytes. */
  limit: number;
  budget: MemoryBudget;
  parseSmall: SmallParser;
  done: Done;
}

/** One body, from its first byte to its value. */
class JsonBody {
  readonly #parts: BodyParts;
  readonly #announced: number;
  #size = 0;
  /** The bytes that are not parsed yet. */
  #chunks: Buffer[] = [];
  #large: LargeBody | undefined;
  #hasEnded = false;
  #isOver = false;
  /** Whether the event loop was given back, to go on later. */
  #isPausing = false;

  constructor(parts: BodyParts) {
    this.#parts = parts;
    this.#announced = Number(parts.request.headers["content-length"]);
  }

  read(): void {
    const { payload, limit } = this.#parts;
    if (this.#announced > limit) {
      this.#refuse(bodyTooLarge(limit));
      return;
    }
    payload.on("data", this.#onData);
    payload.on("end", this.#onEnd);
    payload.on("error", this.#onError);
    payload.resume();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#size += chunk.length;
    const { limit } = this.#parts;
    if (this.#size > limit) {
      this.#refuse(bodyTooLarge(limit));
      return;
    }
    this.#chunks.push(chunk);
    if (this.#size > smallBody && !this.#isPausing) this.#attempt(() => this.#parseSome());
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (this.#size <= smallBody) this.#finishSmall();
    else if (!this.#isPausing) this.#attempt(() => this.#parseSome());
  };

  readonly #onError = (error: Error): void => {
    this.#drop();
    this.#parts.done(error);
  };

  #finishSmall(): void {
    this.#stop();
    const { request, parseSmall, done } = this.#parts;
    if (this.#isCut) done(wrongLength());
    else parseSmall(request, textOf(this.#chunks, this.#size), done);
  }

  /** Parses the bytes that are there, until the time is up. */
  #parseSome(): void {
    this.#parts.request.work?.begin();
    this.#large ??= new LargeBody(this.#hold());
    for (let chunk = this.#chunks.shift(); chunk; chunk = this.#chunks.shift()) {
      const rest = this.#large.feed(chunk);
      if (rest.length > 0) this.#chunks.unshift(rest);
      if (isLoopHeld()) {
        this.#pause();
        return;
      }
    }
    if (!this.#hasEnded) return;
    const body = this.#isCut ? wrongLength() : this.#large.end();
    if (body instanceof TurnError) throw body;
    this.#stop();
    this.#parts.done(null, body);
  }

  #pause(): void {
    const { payload } = this.#parts;
    this.#isPausing = true;
    payload.pause();
    void giveLoopBack().then(() => {
      this.#isPausing = false;
      if (this.#isOver) return;
      this.#attempt(() => this.#parseSome());
      if (!this.#isPausing && !this.#isOver) payload.resume();
    });
  }

  #hold(): TurnHolding {
    const { request, budget } = this.#parts;
    const holding = new TurnHolding(budget);
    request.holding = holding;
    return holding;
  }

  get #isCut(): boolean {
    return !Number.isNaN(this.#announced) && this.#announced !== this.#size;
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#refuse(refusalOf(thrown));
    }
  }

  /** Answers at once, even if the rest of the body has not come yet. */
  #refuse(error: Error): void {
    const { payload, done } = this.#parts;
    this.#drop();
    lingerAfterAnswer(payload);
    payload.resume();
    done(error);
  }

  #drop(): void {
    this.#stop();
    this.#chunks = [];
    this.#large = undefined;
    this.#parts.request.holding?.release();
  }

  #stop(): void {
    const { payload } = this.#parts;
    this.#isOver = true;
    payload.off("data", this.#onData);
    payload.off("end", this.#onEnd);
    payload.off("error", this.#onError);
  }
}

/** Parses a large body in pieces, and counts what it takes. */
class LargeBody {
  readonly #holding: TurnHolding;
  readonly #reader = new JsonReader(bodyLimits);
  #bytes = 0;
  #counted = 0;

  constructor(holding: TurnHolding) {
    this.#holding = holding;
  }

  /** Parses the beginning of the chunk. Returns the rest. */
  feed(chunk: Buffer): Buffer {
    const { piece } = this.#reader;
    this.#bytes += Math.min(piece, chunk.length);
    this.#count();
    this.#reader.feed(chunk.subarray(0, piece));
    this.#count();
    return chunk.subarray(piece);
  }

  end(): JsonValue {
    return this.#reader.end();
  }

  /** Many small values take more memory than their text. */
  #count(): void {
    const size = Math.max(this.#bytes, this.#reader.values * bytesOfValue);
    this.#holding.add(size - this.#counted);
    this.#counted = size;
  }
}

const tooMuch = {
  depth: "The body is nested too deeply.",
  values: `The body holds more than ${bodyLimits.values} values.`,
  keys: `An object in the body has more than ${bodyLimits.keys} keys.`,
};

function refusalOf(thrown: unknown): Error {
  if (thrown instanceof BeyondJsonLimits) {
    return new TurnError("invalid_request", tooMuch[thrown.what]);
  }
  if (thrown instanceof SyntaxError) return brokenBody();
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function textOf(chunks: readonly Buffer[], size: number): string {
  const [only] = chunks;
  return only && chunks.length === 1 ? only.toString("utf8") : Buffer.concat(chunks, size).toString("utf8");
}
