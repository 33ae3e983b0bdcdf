import { demandsCall } from "../../tools/index.ts";
import {
  type Backend,
  type BackendRound,
  Cancellation,
  type Capabilities,
  type Failure,
  isObject,
  type Lifecycle,
  type Turn,
  TurnError,
} from "../../turn/index.ts";
import type { Redact } from "../provider-words.ts";
import type { AppServer } from "./app-server.ts";
import { Exchange } from "./exchange.ts";
import { ignoredParameters } from "./ignored-parameters.ts";
import { ImageFetcher } from "./image-fetcher.ts";
import { inTime } from "./in-time.ts";
import type { Notice } from "./notice.ts";
import { codexQuirks } from "./quirks.ts";
import { withImages } from "./remote-images.ts";

export interface CodexOptions {
  /** The backend's name in the configuration. As a model name it selects the home's default model. */
  name: string;
  timeouts: { idle: number };
  /** Whether the gateway fetches images that are given by URL. */
  fetchImages: boolean;
  redact: Redact;
  notice: Notice;
}

/** How long a request for models or readiness waits for a process that is starting. */
const patience = 3_000;

/** Reaches the models that Codex can use, through its app-server. */
export class CodexBackend implements Backend {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly lifecycle: Lifecycle;
  readonly #options: CodexOptions;
  readonly #server: AppServer;
  readonly #fetcher: ImageFetcher | undefined;

  constructor(server: AppServer, options: CodexOptions) {
    this.#fetcher = options.fetchImages ? new ImageFetcher() : undefined;
    this.name = options.name;
    this.#server = server;
    this.#options = options;
    this.capabilities = {
      carries: (tool) => tool.type === "function",
      // Codex has no parameter that forces a tool call.
      needsPrompt: ({ choice }) => demandsCall(choice) || server.abilities?.native === false,
      alwaysStreams: true,
      endsAtCalls: true,
      refusesHostedChoice: true,
      asksCodex: true,
      ignoredParameters,
      quirks: codexQuirks,
    };
    this.lifecycle = {
      warm: () => server.warm(),
      prepare: async (cancellation) => void (await server.session(cancellation)),
      models: () => this.#models(),
      ready: () => this.#ready(),
      notes: () => server.now?.notes ?? [],
      close: () => this.#close(),
    };
  }

  async run(turn: Turn, round: BackendRound): Promise<void> {
    const { name, redact, notice, timeouts } = this.#options;
    const shown = this.#fetcher ? await withImages(turn, this.#fetcher, round.cancellation) : turn;
    const session = await this.#server.session(round.cancellation);
    const ownModel = turn.model === name || turn.model === "";
    const options = { backend: name, redact, notice, idle: timeouts.idle, ownModel };
    const exchange = new Exchange(shown, session, round, options);
    const release = session.lease();
    const done = exchange.run();
    void exchange.dropped.finally(release);
    await done;
  }

  async #models(): Promise<string[]> {
    const { connection } = await this.#server.session(startDeadline());
    const late = () => new TurnError("upstream_timeout", "Codex did not tell its models in time.");
    const { data } = await inTime(connection.request("model/list", { limit: 200 }), patience, late);
    if (!Array.isArray(data)) return [];
    return data.flatMap((model) =>
      isObject(model) && typeof model.id === "string" && !model.hidden ? [model.id] : [],
    );
  }

  async #ready(): Promise<string | null> {
    return this.#server.session(startDeadline()).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  }

  async #close(): Promise<void> {
    await this.#fetcher?.close();
    await this.#server.close();
  }
}

/** A cancellation that fires by itself. */
function startDeadline(): Cancellation {
  const cancellation = new Cancellation();
  const failure: Failure = { by: "backend", phase: "connection", remedy: "retry" };
  const late = () => cancellation.cancel(new TurnError("upstream_unavailable", "Codex is starting.", { failure }));
  setTimeout(late, patience).unref();
  return cancellation;
}
