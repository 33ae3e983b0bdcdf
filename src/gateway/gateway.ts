import type { Config } from "../config/index.ts";
import {
  type Candidate,
  Continuity,
  OutstandingCalls,
  restoreTurn,
  runTurn,
  type TurnPlan,
  type TurnSeams,
} from "../engine/index.ts";
import { allowsModel, createKeyring, type Key, type Keyring } from "../guard/index.ts";
import { InProcessMemory } from "../store/index.ts";
import {
  type ClosableEventSink,
  createEventSink,
  createLog,
  createMetrics,
  createRedactor,
  type Log,
  type Metrics,
} from "../telemetry/index.ts";
import { checkStrictSchemas, type FunctionAdapter } from "../tools/index.ts";
import {
  anonymousOwner,
  type Cancellation,
  type ClientApi,
  Ids,
  isDeeperThan,
  isObject,
  type JsonObject,
  type JsonValue,
  type Memory,
  type ReplyStream,
  type Turn,
  TurnError,
  type TurnListener,
} from "../turn/index.ts";
import {
  type AnswerOptions,
  type ClientRequest,
  type Codec,
  codecs,
  eventStream,
  json,
  SseSink,
  WholeSink,
} from "../wire/index.ts";
import { BreakerReport } from "./breaker-report.ts";
import { toldInStream } from "./codex-client.ts";
import { listenersFor, type Telemetry } from "./listeners.ts";
import { type BackendState, Models, type PublicModel, type Route } from "./models.ts";
import { adapterFor, candidateFor, checkRoute, headerList, ignoredParameters } from "./offer.ts";
import { continueResponse, keptElsewhere } from "./provider-state.ts";
import { secretsOf } from "./secrets.ts";

/** What a request brings beside its body. */
export interface RequestContext {
  requestId: string;
  /** Who asks; `null` where no keys are configured. */
  key: Key | null;
  /** `x-toolwire-profile`. */
  profile?: string | undefined;
  /** Headers that a provider of the same API may want to see. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** By `performance.now()`. */
  receivedAt: number;
}

/** A request that was read and can be run: all that can be wrong with it has been said. */
export interface PreparedTurn {
  readonly contentType: string;
  /** Headers of the answer, beside those of every answer. Known when the answer is opened, or has ended. */
  headers(): Readonly<Record<string, string>>;
  /** `cancellation` ends the turn from outside; its reason is what the client is told. */
  run(reply: ReplyStream, cancellation: Cancellation): ReturnType<typeof runTurn>;
}

/** What a gateway is made of beside its configuration. */
export interface GatewayParts {
  /** The APIs that clients can speak; the built-in ones, unless said. */
  codecs?: readonly Codec[];
  /** Who takes part in turns; nobody, unless said. */
  seams?: TurnSeams;
  /** Where conversations leave what clients do not bring back. Several gateways may share it; of this process alone, unless given. */
  memory?: Memory;
}

/** A model to which the turn can be given, and the tools as its backend takes them. */
interface Offer {
  route: Route;
  adapter: FunctionAdapter;
  isFallback: boolean;
}

interface OfferParts {
  headers: AnswerHeaders;
  /** The header that names the parameters which the backend ignores. */
  ignored: Record<string, string>;
  continuity: Continuity;
  context: RequestContext;
}

/** Headers of the answer. They depend on the candidate that is tried. */
class AnswerHeaders {
  values: Readonly<Record<string, string>> = {};
}

/** One gateway, made out of a configuration. It knows nothing of HTTP. */
export class Gateway {
  readonly config: Config;
  readonly codecs: readonly Codec[];
  readonly keyring: Keyring;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly #events: ClosableEventSink;
  readonly #models: Models;
  readonly #memory: Memory;
  readonly #outstanding: OutstandingCalls;
  readonly #seams: TurnSeams | undefined;
  readonly #telemetry: Telemetry;

  constructor(config: Config, parts: GatewayParts = {}) {
    this.config = config;
    this.codecs = parts.codecs ?? codecs;
    this.#seams = parts.seams;
    this.#memory = parts.memory ?? new InProcessMemory();
    const redactor = createRedactor({ secrets: secretsOf(config), redact: config.telemetry.redact });
    this.log = createLog({ level: config.log.level, redactor });
    this.metrics = createMetrics({ outstandingCalls: () => this.#outstanding.size });
    this.#events = createEventSink({
      to: config.telemetry.events,
      redactor,
      onError: (error) =>
        this.log.error({ err: error }, "telemetry events cannot be written; later failures are not logged"),
    });
    this.#outstanding = new OutstandingCalls({ events: this.#events, log: this.log });
    this.#telemetry = {
      events: this.#events,
      log: this.log,
      metrics: this.metrics,
      outstanding: this.#outstanding,
      redact: config.telemetry.redact,
    };
    this.keyring = createKeyring(config.keys);
    const breakers = new BreakerReport(this.#telemetry);
    this.#models = new Models(config, (text) => redactor.providerMessage(text), {
      onListFailure: (backend, error) =>
        this.log.info({ backend, reason: wordsOf(error) }, `could not list the models of ${backend}`),
      onBreaker: (...change) => breakers.changed(...change),
      onSecrets: (secrets) => redactor.learn(secrets),
      onNotice: (level, fields, message) => this.log[level](fields, message),
    });
  }

  /** The models that a key may see, with those that services list by themselves. */
  async models(key: Key | null): Promise<PublicModel[]> {
    await this.#models.refresh();
    return this.knownModels(key);
  }

  /** The same, as far as it is known without asking anybody. */
  knownModels(key: Key | null): PublicModel[] {
    return this.#models.list().filter(({ id }) => key === null || allowsModel(key, id));
  }

  /** Reads a request. Rejects with a `TurnError` that says what is wrong with it. */
  async prepare(api: ClientApi, body: JsonValue | undefined, context: RequestContext): Promise<PreparedTurn> {
    if (!isObject(body)) throw new TurnError("invalid_request", "The body must be a JSON object.");
    if (isDeeperThan(body, deepestBody)) throw new TurnError("invalid_request", "The body is nested too deeply.");
    const codec = this.codecs.find(({ name }) => name === api);
    if (!codec) throw new Error(`there is no codec ${api}`);
    const request = codec.decode(body, { toolOutput: this.config.limits.tool_output });
    const name = request.turn.model || this.config.default_model;
    if (!name) throw this.#noModel(context.key);
    const { key } = context;
    const route = this.#models.find(name, (id) => key === null || allowsModel(key, id));
    if (key && !allowsModel(key, name)) throw notAllowed(key, name);
    if (request.continues && !route.backend.capabilities.keepsResponses) throw keptElsewhere(request.continues);

    const continuity = this.#continuityFor(context);
    const continued = await continueResponse(request, continuity);
    const asked = { ...continued.turn, headers: context.headers };
    const adapter = adapterFor(asked, route);
    const { turn } = adapter;
    checkRoute(turn, route);
    checkStrictSchemas(turn.tools, (index) => request.schemaPath(adapter.place(index)));
    const profile = profileOf(context.profile, route);
    const sink = turn.stream ? new SseSink() : new WholeSink();
    const headers = new AnswerHeaders();
    // What a provider keeps only that provider can continue.
    const fallbacks = request.continues ? [] : this.#fallbacks(asked, route);
    const toCandidate = (offer: Offer): Candidate =>
      this.#candidateFor(offer, { headers, ignored: tellIgnored(body, offer.route), continuity, context });
    const plan = {
      turn,
      candidates: [{ route, adapter, isFallback: false }, ...fallbacks].map(toCandidate),
      createEncoder: encoderFor(codec, request, { sink, model: name, now, profile }),
      sink,
      idForm: codec.answerId,
      ids: new Ids(request.turn.input, route.settings.turn.ids, continued.lastNumber),
      continuity,
      listener: this.#listenersFor(request, route, context),
      clock: performance,
      receivedAt: context.receivedAt,
      keepAlive: route.settings.turn.keep_alive,
      total: route.settings.timeouts.total,
      isToldInStream: toldInStream(turn),
      seams: this.#seams,
    };
    return preparedTurn(plan, headers);
  }

  #candidateFor(
    { route, adapter, isFallback }: Offer,
    { headers, ignored, continuity, context }: OfferParts,
  ): Candidate {
    return candidateFor(route, adapter, {
      onTaken: () => {
        headers.values = { ...this.#tellDropped(adapter.dropped, route, context), ...ignored };
      },
      restored: (turn) => restoreTurn(turn, route.backend, continuity, isFallback),
    });
  }

  #continuityFor({ key, requestId }: RequestContext): Continuity {
    return new Continuity(this.#memory, key?.owner ?? anonymousOwner, (error) =>
      this.log.warn({ err: error, request_id: requestId }, "short-lived memory failed; the turn goes on without it"),
    );
  }

  #listenersFor(request: ClientRequest, { backend }: Route, { requestId, key }: RequestContext): TurnListener {
    return listenersFor(this.#telemetry, {
      requestId,
      owner: key?.owner ?? anonymousOwner,
      backend: backend.name,
      input: request.turn.input,
      hasIds: request.namesCalls,
    });
  }

  #tellDropped(tools: readonly string[], { backend }: Route, { requestId }: RequestContext): Record<string, string> {
    if (tools.length === 0) return {};
    this.log.info(
      { request_id: requestId, backend: backend.name, tools: [...tools] },
      `left out ${tools.length} of the request's tools, which ${backend.name} does not support`,
    );
    return { "x-toolwire-dropped-tools": headerList(tools) };
  }

  /** The models that can stand in for the one of the route in this turn. The key that may use it may use them. */
  #fallbacks(turn: Turn, { fallback }: Route): Offer[] {
    return fallback.flatMap((name) => {
      const route = this.#models.find(name, () => true);
      try {
        const adapter = adapterFor(turn, route);
        checkRoute(adapter.turn, route);
        return [{ route, adapter, isFallback: true }];
      } catch {
        return [];
      }
    });
  }

  /** Lets backends that need time for it get ready before anybody asks. */
  warm(): void {
    for (const backend of this.#models.backends()) backend.lifecycle?.warm?.();
  }

  /** How the backends are that can say so. */
  states(): Promise<BackendState[]> {
    return this.#models.states();
  }

  /**
   * Whether every backend can be used. Of backends that nobody wrote down, trouble is no more than a note: they are there because
   * something was found.
   */
  async ready(): Promise<{ troubles: string[]; notes: string[] }> {
    const states = await this.states();
    const troubles = states.flatMap(({ trouble }) => trouble ?? []);
    const notes = states.flatMap((state) => state.notes);
    const { assumed } = this.config;
    const all = assumed ? [...troubles, ...notes] : notes;
    return { troubles: assumed ? [] : [...new Set(troubles)], notes: [...new Set(all)] };
  }

  async close(): Promise<void> {
    await Promise.all(this.#models.backends().map(({ lifecycle }) => lifecycle?.close?.()));
    this.#outstanding.close();
    await this.#events.close();
  }

  #noModel(key: Key | null): TurnError {
    const names = this.knownModels(key).map(({ id }) => id);
    const known = names.length > 0 ? ` Known here: ${names.slice(0, 20).join(", ")}.` : "";
    const message = `\`model\` is missing, and no default_model is configured.${known}`;
    return new TurnError("missing_required_parameter", message, { param: "model" });
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tellIgnored(body: JsonObject, { backend }: Route): Record<string, string> {
  const names = ignoredParameters(body, backend);
  return names.length > 0 ? { "x-toolwire-ignored-parameters": headerList(names) } : {};
}

/** Closures are made outside of `prepare`: what they capture is held while the model answers. */
function preparedTurn(plan: Omit<TurnPlan, "cancellation">, headers: AnswerHeaders): PreparedTurn {
  return {
    contentType: plan.turn.stream ? eventStream : json,
    headers: () => headers.values,
    run: (reply, cancellation) => runTurn({ ...plan, cancellation }, reply),
  };
}

function encoderFor(
  codec: Codec,
  request: ClientRequest,
  options: Omit<AnswerOptions, "id" | "answer">,
): TurnPlan["createEncoder"] {
  return (id, answer) => codec.createEncoder(request, { ...options, id, answer });
}

/** What is written or read recursively must fit the stack with a wide margin. */
const deepestBody = 128;

/** Seconds since 1970, as both APIs count. */
function now(): number {
  return Math.floor(Date.now() / 1000);
}

function notAllowed(key: Key, name: string): TurnError {
  return new TurnError("model_not_allowed", `The key "${key.name}" may not use the model "${name}".`, {
    param: "model",
  });
}

function profileOf(asked: string | undefined, { settings }: Route): "openai" | "extended" {
  if (asked === undefined || asked === "") return settings.turn.profile;
  if (asked === "openai" || asked === "extended") return asked;
  throw new TurnError(
    "unsupported_value",
    `The header x-toolwire-profile is "${asked}"; it can be openai or extended.`,
    {
      param: "x-toolwire-profile",
    },
  );
}
