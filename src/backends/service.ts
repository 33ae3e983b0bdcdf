import {
  type Backend,
  type BackendRound,
  type Capabilities,
  type Emit,
  type HistoryQuirks,
  type JsonObject,
  type Lifecycle,
  paced,
  type Steps,
  type Tool,
  type Turn,
  writeJson,
} from "../turn/index.ts";
import type { AnswerReader } from "./answer-body.ts";
import { ProviderQuirks } from "./provider-quirks.ts";
import { type RequestText, Upstream, type UpstreamOptions } from "./upstream.ts";
import type { Redact } from "./upstream-errors.ts";

/** The APIs of providers. */
export type ProviderApi = "chat" | "responses";

/** A provider's API: where a turn is sent, how it is written, and how the answer is read. */
export interface ServiceApi {
  readonly name: ProviderApi;
  path: string;
  /** Whether providers of the API store responses. */
  readonly keepsResponses: boolean;
  /** Whether a provider may have tools that the request does not list. */
  readonly knowsOtherTools: boolean;
  /** Whether a request's messages can be written in the order that a model's template requires. */
  readonly ordersMessages: boolean;
  quirks(provider: ProviderQuirks): HistoryQuirks;
  carries(tool: Tool, quirks: ProviderQuirks): boolean;
  writeRequest(turn: Turn, quirks: ProviderQuirks): Steps<JsonObject>;
  createReader(backend: string, redact: Redact, emit: Emit, turn: Turn): AnswerReader;
}

/** A provider on the network, with any API. */
export class ServiceBackend implements Backend {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly lifecycle: Lifecycle;
  readonly #api: ServiceApi;
  readonly #redact: Redact;
  readonly #upstream: Upstream;
  readonly #quirks: ProviderQuirks;

  constructor(api: ServiceApi, options: UpstreamOptions) {
    this.name = options.name;
    this.#api = api;
    this.#redact = options.redact;
    this.#upstream = new Upstream(options);
    this.#quirks = new ProviderQuirks(options.baseUrl);
    this.capabilities = {
      carries: (tool) => api.carries(tool, this.#quirks),
      keepsResponses: api.keepsResponses,
      knowsOtherTools: api.knowsOtherTools,
      quirks: api.quirks(this.#quirks),
    };
    this.lifecycle = { models: () => this.#upstream.models(), close: () => this.#upstream.close() };
  }

  run(turn: Turn, round: BackendRound): Promise<void> {
    const body = paced(this.#write(turn));
    return body instanceof Promise ? body.then((text) => this.#ask(turn, text, round)) : this.#ask(turn, body, round);
  }

  #ask(turn: Turn, body: RequestText, round: BackendRound): Promise<void> {
    const { model, stream: streams } = turn;
    const { reason } = round.cancellation;
    if (reason) return Promise.reject(reason);
    const reader = this.#api.createReader(this.name, this.#redact, this.#noticing(turn, round.emit), turn);
    const { path } = this.#api;
    return this.#upstream.post({ path, body, streams, headers: this.#headers(turn) }, round, reader).then(
      () => this.#quirks.worked(model),
      (error: unknown) => this.#learnFrom(error, turn),
    );
  }

  async #learnFrom(error: unknown, turn: Turn): Promise<never> {
    // Written again on demand, so that the body is not kept in memory while the model answers.
    const body = this.#quirks.mayTeach(error) ? (await paced(this.#write(turn))).toString().toLowerCase() : "";
    throw this.#quirks.learnFrom(error, { model: turn.model, body, ordersMessages: this.#api.ordersMessages });
  }

  *#write(turn: Turn): Steps<RequestText> {
    return yield* writeJson(yield* this.#api.writeRequest(turn, this.#quirks));
  }

  #headers({ api, headers }: Turn): Turn["headers"] {
    return api === this.#api.name ? headers : undefined;
  }

  #noticing({ model }: Turn, emit: Emit): Emit {
    if (!this.capabilities.quirks.wantsReasoning || this.#quirks.thinks(model)) return emit;
    return (event) => {
      if (event.type === "reasoning.delta") this.#quirks.sawThinking(model);
      emit(event);
    };
  }
}
