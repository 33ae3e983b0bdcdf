import type { Backend, Emit, JsonObject, Round, Tool, Turn } from "../turn/index.ts";
import { type AnswerReader, Upstream, type UpstreamOptions } from "./upstream.ts";
import type { Redact } from "./upstream-errors.ts";

/** What a provider's API is made of: where a turn goes, how it is written, and how the answer is read. */
export interface ServiceApi {
  path: string;
  carries(tool: Tool, turn: Turn): boolean;
  writeRequest(turn: Turn): JsonObject;
  createReader(backend: string, redact: Redact, emit: Emit): AnswerReader;
}

/** A provider on the network, whichever API it speaks. */
export class ServiceBackend implements Backend {
  readonly name: string;
  readonly #api: ServiceApi;
  readonly #redact: Redact;
  readonly #upstream: Upstream;

  constructor(api: ServiceApi, options: UpstreamOptions) {
    this.name = options.name;
    this.#api = api;
    this.#redact = options.redact;
    this.#upstream = new Upstream(options);
  }

  carries(tool: Tool, turn: Turn): boolean {
    return this.#api.carries(tool, turn);
  }

  run(turn: Turn, round: Round): Promise<void> {
    const reader = this.#api.createReader(this.name, this.#redact, round.emit);
    return this.#upstream.post(this.#api.path, this.#api.writeRequest(turn), round, reader);
  }

  models(): Promise<string[]> {
    return this.#upstream.models();
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }
}
