import { type Config, isLoopback, outlivesProcess } from "../config/index.ts";
import {
  type Candidate,
  Continuity,
  OutstandingCalls,
  restoreTurn,
  type TurnSeams,
  usualTimeToLive,
} from "../engine/index.ts";
import { allowsModel, createKeyring, type Key, type Keyring, MemoryBudget } from "../guard/index.ts";
import { InProcessMemory, MemoryWithFallback, type Store } from "../store/index.ts";
import {
  type ClosableEventSink,
  createEventSink,
  createLog,
  createMetrics,
  createRedactor,
  droppedLogLines,
  flushLog,
  type Log,
  type Metrics,
  type RequestWork,
  StallWatch,
} from "../telemetry/index.ts";
import { checkStrictSchemas, type FunctionAdapter } from "../tools/index.ts";
import {
  type AnswerStore,
  anonymousOwner,
  type ClientApi,
  giveLoopBack,
  type Holding,
  Ids,
  isDeeperThan,
  isLoopHeld,
  isObject,
  type JsonObject,
  type JsonValue,
  type Memory,
  paced,
  type Turn,
  TurnError,
  type TurnListener,
} from "../turn/index.ts";
import { type ClientRequest, type Codec, codecs, SseSink, WholeSink } from "../wire/index.ts";
import { BreakerReport } from "./breaker-report.ts";
import { toldInStream } from "./codex-client.ts";
import { listenersFor, type Telemetry } from "./listeners.ts";
import { type BackendState, Models, type PublicModel, type Route } from "./models.ts";
import { adapterFor, candidateFor, checkRoute, headerList, ignoredParameters } from "./offer.ts";
import { AnswerHeaders, encoderFor, type PreparedTurn, preparedTurn } from "./prepared-turn.ts";
import { resolveState } from "./resolve-state.ts";
import { secretsOf } from "./secrets.ts";
import { storeTrouble } from "./state-errors.ts";
import { StoredAnswers } from "./stored-answers.ts";
import { StoredKeys } from "./stored-keys.ts";
import { joinSeams, keeperFor } from "./turn-keeper.ts";
import { UsageRecorder } from "./usage.ts";

/** The parts of a request other than its body. */
export interface RequestContext {
  requestId: string;
  /** The client's key; `null` if no keys are configured. */
  key: Key | null;
  /** `x-toolwire-profile`. */
  profile?: string | undefined;
  /** `x-toolwire-conversation`: the client's name of the conversation. */
  conversation?: string | undefined;
  /** `idempotency-key`; a long one is hashed. */
  idempotencyKey?: string | undefined;
  /** Client headers that are forwarded to a provider of the same API. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** A time of `performance.now()`. */
  receivedAt: number;
  /** Whether the body's depth is known to be within its limit. */
  isBounded?: boolean | undefined;
  /** Counts what the turn keeps in memory. */
  holding?: Holding | undefined;
  /** From `Gateway.watch`. */
  work?: RequestWork | undefined;
}

/** Parts of a gateway that a program can replace. */
export interface GatewayParts {
  /** The client APIs. Default: the built-in ones. */
  codecs?: readonly Codec[];
  /** How other parts take part in a turn. Called once a turn; by default no part does. */
  seams?: (turn: SeamContext) => TurnSeams | undefined;
  /** Keeps what clients drop from a conversation. Several gateways may share it. Default: the store. */
  memory?: Memory;
  /** Keeps the state of clients. The gateway closes it. Default: the store of the configuration. */
  store?: Store;
}

/** The turn that seams take part in. */
export interface SeamContext {
  requestId: string;
  /** The owner of whatever is stored of the turn. */
  owner: string;
  /** The turn as the client asked for it. */
  turn: Turn;
}

/** A model that can take the turn, with the tools in the form that its backend accepts. */
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

/** One gateway, built from a configuration. It does not depend on HTTP. */
export class Gateway {
  readonly config: Config;
  readonly codecs: readonly Codec[];
  readonly keyring: Keyring;
  /** What all turns together may keep in memory. */
  readonly memoryBudget: MemoryBudget;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Finds out which request holds the event loop. */
  readonly watch: StallWatch;
  readonly #events: ClosableEventSink;
  /** The stored answers of clients. */
  readonly answers: AnswerStore;
  readonly #models: Models;
  readonly #store: Store;
  readonly #memory: Memory;
  /** `undefined` if the store cannot hold keys. */
  readonly #storedKeys: StoredKeys | undefined;
  readonly #usage: UsageRecorder;
  readonly #outstanding: OutstandingCalls;
  readonly #seams: GatewayParts["seams"];
  readonly #telemetry: Telemetry;

  /** `createGateway` opens the store. */
  constructor(config: Config, parts: GatewayParts & { store: Store }) {
    this.config = config;
    this.codecs = parts.codecs ?? codecs;
    this.#seams = parts.seams;
    const redactor = createRedactor({ secrets: secretsOf(config), redact: config.telemetry.redact });
    this.log = createLog({ level: config.log.level, redactor });
    this.watch = new StallWatch(this.log);
    this.#store = parts.store;
    this.#memory = parts.memory ?? new MemoryWithFallback(this.#store, new InProcessMemory());
    this.answers = new StoredAnswers(this.#store);
    this.memoryBudget = new MemoryBudget(config.limits.memory);
    this.metrics = createMetrics({
      eventLoop: this.watch,
      outstandingCalls: () => this.#outstanding.size,
      memory: this.memoryBudget,
      store: this.#store,
      droppedLogLines,
      droppedEvents: () => this.#events.dropped,
    });
    this.#events = createEventSink({
      to: config.telemetry.events,
      redactor,
      onError: (error) =>
        this.log.error(
          { err: error },
          `cannot write telemetry events to ${config.telemetry.events}; events_dropped counts the lost events; later failures are not logged`,
        ),
      onNoReader: () =>
        this.log.warn(
          {},
          `no program reads the pipe ${config.telemetry.events} (telemetry.events); up to 8 MB of events wait for one`,
        ),
    });
    this.#outstanding = new OutstandingCalls({ events: this.#events, log: this.log });
    this.#usage = new UsageRecorder(this.#store, { log: this.log });
    this.#telemetry = {
      usage: this.#usage,
      events: this.#events,
      log: this.log,
      metrics: this.metrics,
      outstanding: this.#outstanding,
      redact: config.telemetry.redact,
    };
    const hasStore = outlivesProcess(config.store.url);
    // A gateway that only this machine reaches works before its store does, like one without keys.
    const isPublic = !isLoopback(config.listen.host);
    this.keyring = createKeyring(config.keys, {
      hasStore: hasStore && isPublic,
      mayOpen: !isPublic,
      storedRate: config.limits.per_stored_key,
    });
    if (hasStore) this.#storedKeys = new StoredKeys({ store: this.#store, keyring: this.keyring, log: this.log });
    const breakers = new BreakerReport(this.#telemetry);
    this.#models = new Models(config, (text) => redactor.providerMessage(text), {
      onListFailure: (backend, error) =>
        this.log.info(
          { backend, reason: messageOf(error) },
          `could not list the models of ${backend}; keeping the last list`,
        ),
      onBreaker: (...change) => breakers.changed(...change),
      onSecrets: (secrets) => redactor.learn(secrets),
      onNotice: (level, fields, message) => this.log[level](fields, message),
    });
  }

  /** Reads the keys of the store. Until then no client that needs one of them is accepted. */
  async open(): Promise<void> {
    await this.#storedKeys?.start();
  }

  /** The models that a key may use, including those that the services list when they are asked. */
  async models(key: Key | null): Promise<PublicModel[]> {
    await this.#models.refresh();
    return this.knownModels(key);
  }

  /** The same without asking the services: their models are those of the last lists. */
  knownModels(key: Key | null): PublicModel[] {
    return this.#models.list().filter(({ id }) => key === null || allowsModel(key, id));
  }

  /** Decodes and validates a request. Rejects with a `TurnError` if the request is invalid. */
  async prepare(api: ClientApi, body: JsonValue | undefined, context: RequestContext): Promise<PreparedTurn> {
    if (!isObject(body)) throw new TurnError("invalid_request", "The body must be a JSON object.");
    if (!context.isBounded && isDeeperThan(body, deepestBody))
      throw new TurnError("invalid_request", "The body is nested too deeply.");
    if (context.work) context.work.model = body.model;
    const codec = this.codecs.find(({ name }) => name === api);
    if (!codec) throw new Error(`there is no codec ${api}`);
    const decoded = this.#decode(codec, body);
    const request = decoded instanceof Promise ? await decoded : decoded;
    const name = request.turn.model || this.config.default_model;
    if (!name) throw this.#noModel(context.key);
    const createdAt = Date.now();
    const { key } = context;
    const route = this.#models.find(name, (id) => key === null || allowsModel(key, id));
    if (key && !allowsModel(key, name)) throw notAllowed(key, name);
    const owner = ownerOf(context);
    const { conversation, idempotencyKey, holding } = context;
    const limit = this.config.limits.body;
    const toResolve = { request, codec, route, owner, conversation, idempotencyKey, createdAt, limit, holding };
    const { turn: continued, ...state } = await resolveState(this.#store, toResolve);
    const listener = this.#listenersFor({ ...request, turn: continued }, route, context, name);
    const kept = { owner, api, model: name, createdAt, state, listener };
    const keeper = await keeperFor(this.#store, this.config.store.required, request, kept);
    const continuity = this.#continuityFor(context);
    if (keeper) continuity.timeToLive = Math.max(usualTimeToLive, this.config.store.keep);
    const asked = { ...continued, headers: context.headers };
    const isLong = asked.input.length + asked.tools.length > longTurn;
    if (isLong && isLoopHeld()) await giveLoopBack();
    const adapter = adapterFor(asked, route);
    const { turn } = adapter;
    checkRoute(turn, route);
    if (isLong && isLoopHeld()) await giveLoopBack();
    const checked = checkStrictSchemas(turn.tools, (index) => request.schemaPath(adapter.place(index)));
    if (checked) await checked;
    const profile = profileOf(context.profile, route);
    const sink = turn.stream ? new SseSink() : new WholeSink();
    const headers = new AnswerHeaders();
    // Only the provider that stored a response can continue it.
    const fallbacks = asked.previousResponseId === undefined ? this.#fallbacks(asked, route) : [];
    const toCandidate = (offer: Offer): Candidate =>
      this.#candidateFor(offer, { headers, ignored: ignoredHeader(body, offer.route), continuity, context });
    const plan = {
      turn,
      candidates: [{ route, adapter, isFallback: false }, ...fallbacks].map(toCandidate),
      createEncoder: encoderFor(codec, request, { sink, model: name, profile, keeper }),
      sink,
      idForm: codec.answerId,
      ids: new Ids(continued.input, route.settings.turn.ids),
      continuity,
      listener,
      clock: performance,
      receivedAt: context.receivedAt,
      holding: context.holding,
      keepAlive: route.settings.turn.keep_alive,
      total: route.settings.timeouts.total,
      isToldInStream: toldInStream(turn),
      seams: joinSeams(keeper, this.#seams?.({ requestId: context.requestId, owner, turn: continued })),
      work: context.work,
    };
    return preparedTurn(plan, headers, keeper);
  }

  #decode(codec: Codec, body: JsonObject): ClientRequest | Promise<ClientRequest> {
    const limits = { toolOutput: this.config.limits.tool_output };
    return codec.decodeSteps ? paced(codec.decodeSteps(body, limits)) : codec.decode(body, limits);
  }

  #candidateFor(
    { route, adapter, isFallback }: Offer,
    { headers, ignored, continuity, context }: OfferParts,
  ): Candidate {
    return candidateFor(route, adapter, {
      onTaken: () => {
        headers.values = { ...this.#reportDropped(adapter.dropped, route, context), ...ignored };
      },
      restored: (turn) => restoreTurn(turn, route.backend, continuity, isFallback),
    });
  }

  #continuityFor(context: RequestContext): Continuity {
    return new Continuity(this.#memory, ownerOf(context), (error) =>
      this.log.warn(
        { reason: messageOf(error), request_id: context.requestId },
        "short-lived memory failed; the turn continues without it",
      ),
    );
  }

  #listenersFor(request: ClientRequest, { backend }: Route, context: RequestContext, model: string): TurnListener {
    return listenersFor(this.#telemetry, {
      requestId: context.requestId,
      owner: ownerOf(context),
      backend: backend.name,
      input: request.turn.input,
      hasIds: request.namesCalls,
      key: context.key?.name ?? "",
      model,
    });
  }

  #reportDropped(tools: readonly string[], { backend }: Route, { requestId }: RequestContext): Record<string, string> {
    if (tools.length === 0) return {};
    this.log.info(
      { request_id: requestId, backend: backend.name, tools: [...tools] },
      `dropped ${tools.length} of the request's tools, which ${backend.name} does not support`,
    );
    return { "x-toolwire-dropped-tools": headerList(tools) };
  }

  /** The fallbacks that can take this turn. A key that may use a model may use its fallbacks. */
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

  /** Starts backends that are slow to start, so that the first request need not wait for them. */
  warm(): void {
    for (const backend of this.#models.backends()) backend.lifecycle?.warm?.();
  }

  /** The states of the backends that can report one. */
  states(): Promise<BackendState[]> {
    return this.#models.states();
  }

  /**
   * Whether every backend can be used. If the configuration names no backends, they were found on this machine, and a problem with
   * one of them is only a note.
   */
  async ready(): Promise<{ troubles: string[]; notes: string[] }> {
    const states = await this.states();
    const troubles = states.flatMap(({ trouble }) => trouble ?? []);
    const { trouble } = this.#store;
    const notes = [...states.flatMap((state) => state.notes), ...(trouble === null ? [] : [storeTrouble(trouble)])];
    const { assumed } = this.config;
    const all = assumed ? [...troubles, ...notes] : notes;
    return { troubles: assumed ? [] : [...new Set(troubles)], notes: [...new Set(all)] };
  }

  /** Closes every part, whatever happens to the others. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#models.backends().map(async ({ lifecycle }) => lifecycle?.close?.()));
    this.#outstanding.close();
    this.watch.close();
    this.#storedKeys?.close();
    await this.#usage.close();
    await this.#store.close();
    await this.#events.close();
    await flushLog();
  }

  #noModel(key: Key | null): TurnError {
    const names = this.knownModels(key).map(({ id }) => id);
    const known = names.length > 0 ? ` Known here: ${names.slice(0, 20).join(", ")}.` : "";
    const message = `\`model\` is missing, and no default_model is configured.${known}`;
    return new TurnError("missing_required_parameter", message, { param: "model" });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function ignoredHeader(body: JsonObject, { backend }: Route): Record<string, string> {
  const names = ignoredParameters(body, backend);
  return names.length > 0 ? { "x-toolwire-ignored-parameters": headerList(names) } : {};
}

/** Items and tools of a turn from which its preparation may hold the event loop. */
const longTurn = 500;

/** Bodies are read and written recursively, so their depth must fit the stack with a wide margin. */
const deepestBody = 128;

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

/** The hash of the client's key, by which its records are kept. */
function ownerOf({ key }: RequestContext): string {
  return key?.owner ?? anonymousOwner;
}
