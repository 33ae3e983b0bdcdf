import type { Api, Backend, Emit, JsonObject, Round, Tool, Turn } from "../turn/index.ts";
import { Habits } from "./habits.ts";
import { type AnswerReader, Upstream, type UpstreamOptions } from "./upstream.ts";
import type { Redact } from "./upstream-errors.ts";

/** What a provider's API is made of: where a turn goes, how it is written, and how the answer is read. */
export interface ServiceApi {
  readonly name: Api;
  path: string;
  /** Whether reasoning is part of a message, so that a provider may miss it there. */
  readonly wantsReasoning: boolean;
  carries(tool: Tool, habits: Habits): boolean;
  writeRequest(turn: Turn, habits: Habits): JsonObject;
  createReader(backend: string, redact: Redact, emit: Emit, turn: Turn): AnswerReader;
}

/** A provider on the network, whichever API it speaks. */
export class ServiceBackend implements Backend {
  readonly name: string;
  readonly wantsReasoning: boolean;
  readonly #api: ServiceApi;
  readonly #redact: Redact;
  readonly #upstream: Upstream;
  readonly #habits: Habits;

  constructor(api: ServiceApi, options: UpstreamOptions) {
    this.name = options.name;
    this.wantsReasoning = api.wantsReasoning;
    this.#api = api;
    this.#redact = options.redact;
    this.#upstream = new Upstream(options);
    this.#habits = new Habits(options.baseUrl);
  }

  carries(tool: Tool): boolean {
    return this.#api.carries(tool, this.#habits);
  }

  run(turn: Turn, round: Round): Promise<void> {
    const { model } = turn;
    const reader = this.#api.createReader(this.name, this.#redact, this.#noticing(turn, round.emit), turn);
    const write = () => this.#api.writeRequest(turn, this.#habits);
    return this.#upstream.post(this.#api.path, write(), round, reader, this.#headers(turn)).then(
      () => this.#habits.worked(model),
      (error: unknown) => {
        // Written anew where it is needed, so that it is not held while the model answers.
        throw this.#habits.learnFrom(error, { model, api: this.#api.name, body: () => JSON.stringify(write()) });
      },
    );
  }

  #headers({ api, headers }: Turn): Turn["headers"] {
    return api === this.#api.name ? headers : undefined;
  }

  takesCallId(id: string, model: string): boolean {
    return this.#habits.takesCallId(id, model);
  }

  takesReasoning(model: string): boolean {
    return this.#habits.thinks(model);
  }

  #noticing({ model }: Turn, emit: Emit): Emit {
    if (!this.wantsReasoning || this.#habits.thinks(model)) return emit;
    return (event) => {
      if (event.type === "reasoning.delta") this.#habits.sawThinking(model);
      emit(event);
    };
  }

  models(): Promise<string[]> {
    return this.#upstream.models();
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }
}
