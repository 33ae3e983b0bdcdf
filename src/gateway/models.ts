import { isDeepStrictEqual } from "node:util";
import { chatApi } from "../backends/chat/index.ts";
import { AppServers, CodexBackend } from "../backends/codex/index.ts";
import { createDemoBackend } from "../backends/demo/index.ts";
import { responsesApi } from "../backends/responses/index.ts";
import { ServiceBackend } from "../backends/service.ts";
import type { BackendConfig, BreakerConfig, Config } from "../config/index.ts";
import { nearestNames } from "../config/index.ts";
import { type BreakerState, createBreaker } from "../guard/index.ts";
import { type Backend, type Breaker, type EventFields, TurnError } from "../turn/index.ts";
import { parts } from "./parts.ts";
import { ServiceModels } from "./service-models.ts";
import { version } from "./version.ts";

/** Where a model's name leads. */
export interface Route {
  backend: Backend;
  breaker: Breaker;
  kind: BackendConfig["kind"];
  /** The model's name as the backend knows it. */
  model: string;
  settings: BackendConfig;
  /** The public names of models that stand in for this one when it fails. */
  fallback: readonly string[];
}

/** What the models tell about themselves while they are used. */
export interface ModelsListener {
  onListFailure(backend: string, error: unknown): void;
  onBreaker(backend: string, state: BreakerState, settings: BreakerConfig): void;
  /** A backend has found what must not be shown to anybody. */
  onSecrets(secrets: readonly string[]): void;
  /** A program behind a backend has something to say to whoever runs the gateway. */
  onNotice(level: "info" | "warn" | "error", fields: EventFields, message: string): void;
}

/** How a backend is that has something to tell of itself. */
export interface BackendState {
  backend: string;
  /** Why it cannot be used, and what to do about it; `null` where it can. */
  trouble: string | null;
  /** What else a person should know. */
  notes: readonly string[];
}

export interface PublicModel {
  id: string;
  backend: string;
  kind: BackendConfig["kind"];
}

interface Place {
  backend: Backend;
  breaker: Breaker;
  config: BackendConfig;
}

/** The public names of models, and the backends behind them. */
export class Models {
  readonly #config: Config;
  readonly #places = new Map<string, Place>();
  /** Aliases that differ from their backend have a connection of their own. */
  readonly #aliases = new Map<string, Place>();
  /** A bare name is passed on where there is only one service that it can be meant for. */
  readonly #onlyService: string | undefined;
  readonly #services: ServiceModels;
  readonly #appServers = new AppServers();
  readonly #redact: (text: string) => string;
  readonly #listener: ModelsListener;

  constructor(config: Config, redact: (text: string) => string, listener: ModelsListener) {
    this.#config = config;
    this.#redact = redact;
    this.#listener = listener;
    this.#services = new ServiceModels(({ name }, error) => listener.onListFailure(name, error));
    const breakerFor = (name: string, { breaker }: BackendConfig) =>
      createBreaker({ backend: name, ...breaker, onState: (state) => listener.onBreaker(name, state, breaker) });
    for (const [name, settings] of Object.entries(config.backends)) {
      const backend = this.#create(name, settings);
      this.#places.set(name, { backend, breaker: breakerFor(name, settings), config: settings });
    }
    for (const [alias, { backend: name, settings }] of Object.entries(config.models)) {
      const place = this.#place(name);
      if (isDeepStrictEqual(place.config, settings)) continue;
      const backend = this.#create(name, settings);
      const breaker = isSameService(place.config, settings) ? place.breaker : breakerFor(alias, settings);
      this.#aliases.set(alias, { backend, breaker, config: settings });
    }
    const services = [...this.#places].filter(([, { config }]) => config.kind !== "demo");
    this.#onlyService = services.length === 1 ? services[0]?.[0] : undefined;
  }

  /** Of the backends that can say how they are. */
  async states(): Promise<BackendState[]> {
    const states = this.backends().map(async ({ name, lifecycle }): Promise<BackendState[]> => {
      if (!lifecycle?.ready) return [];
      const trouble = await lifecycle.ready();
      return [{ backend: name, trouble, notes: lifecycle.notes?.() ?? [] }];
    });
    return (await Promise.all(states)).flat();
  }

  backends(): Backend[] {
    return [...this.#places.values(), ...this.#aliases.values()].map(({ backend }) => backend);
  }

  /** Asks the services for what they offer, so that `list` has it. */
  refresh(): Promise<void> {
    return this.#services.refresh([...this.#places.values()].map(({ backend }) => backend));
  }

  /** The names that can be listed: aliases, the demo's, and what services have said of themselves so far. */
  list(): PublicModel[] {
    return [...this.#listMain(), ...this.#listWritten()];
  }

  #listMain(): PublicModel[] {
    const aliases = Object.entries(this.#config.models).map(([id, { backend }]) => this.#public(id, backend));
    const others = [...this.#places].flatMap(([name, { backend, config }]) =>
      config.kind === "demo"
        ? [this.#public(name, name), this.#public(`${name}/native`, name)]
        : [
            ...(config.kind === "codex" ? [this.#public(name, name)] : []),
            ...this.#services.known(backend).map((model) => this.#public(`${name}/${model}`, name)),
          ],
    );
    return [...aliases, ...others];
  }

  /** The demo, with calls written as text; last, because they are many and few people look for them. */
  #listWritten(): PublicModel[] {
    const demos = [...this.#places].filter(([, { config }]) => config.kind === "demo");
    return demos.flatMap(([name]) => parts.dialects.map((dialect) => this.#public(`${name}/${dialect}`, name)));
  }

  /** Throws where there is no such model; the names that it then offers are those that `isAllowed`. */
  find(name: string, isAllowed: (name: string) => boolean): Route {
    const alias = this.#config.models[name];
    if (alias) {
      return routeTo(this.#aliases.get(name) ?? this.#place(alias.backend), alias.model, alias.fallback);
    }
    if (this.#places.get(name)?.config.kind === "demo") return routeTo(this.#place(name), "native");
    // The model that Codex itself is set to.
    if (this.#places.get(name)?.config.kind === "codex") return routeTo(this.#place(name), name);
    const slash = name.indexOf("/");
    const [backend, model] = [name.slice(0, slash), name.slice(slash + 1)];
    if (slash > 0 && model !== "" && this.#places.has(backend)) {
      const isDemo = this.#places.get(backend)?.config.kind === "demo";
      if (isDemo && model !== "native" && !parts.dialects.includes(model)) throw this.#unknown(name, isAllowed);
      return routeTo(this.#place(backend), model);
    }
    if (this.#onlyService !== undefined) return routeTo(this.#place(this.#onlyService), name);
    throw this.#unknown(name, isAllowed);
  }

  #place(name: string): Place {
    const place = this.#places.get(name);
    if (!place) throw new Error(`there is no backend ${name}`);
    return place;
  }

  #create(name: string, config: BackendConfig): Backend {
    const redact = this.#redact;
    switch (config.kind) {
      case "demo":
        return createDemoBackend({ name, pace: config.pace });
      case "codex": {
        const { command, home, timeouts, fetch_images: fetchImages } = config;
        const notice: ModelsListener["onNotice"] = (...said) => this.#listener.onNotice(...said);
        const learn: ModelsListener["onSecrets"] = (secrets) => this.#listener.onSecrets(secrets);
        const patience = timeouts.connect;
        const server = this.#appServers.for({ name, command, home, version, patience, redact, learn, notice });
        return new CodexBackend(server, { name, timeouts, fetchImages, redact, notice });
      }
      default: {
        const { kind, base_url: baseUrl, api_key: apiKey, headers, timeouts } = config;
        const options = { name, baseUrl, apiKey, headers, timeouts, redact };
        return new ServiceBackend(kind === "chat" ? chatApi : responsesApi, options);
      }
    }
  }

  #public(id: string, backend: string): PublicModel {
    return { id, backend, kind: this.#places.get(backend)?.config.kind ?? "chat" };
  }

  #unknown(name: string, isAllowed: (name: string) => boolean): TurnError {
    const allowed = (models: PublicModel[]) => models.flatMap(({ id }) => (isAllowed(id) ? [id] : []));
    const known = allowed(this.#listMain());
    const services = [...this.#places].flatMap(([backend, { config }]) =>
      config.kind !== "demo" && isAllowed(`${backend}/`) ? [`${backend}/…`] : [],
    );
    const [near] = nearestNames(name, [...known, ...allowed(this.#listWritten())], 1);
    const hint = near ? `Did you mean "${near}"?` : `Known here: ${[...known, ...services].slice(0, 20).join(", ")}.`;
    const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
    return new TurnError("model_not_found", `There is no model "${shown}". ${hint}`, { param: "model" });
  }
}

/** Whether what speaks against the one speaks against the other, and as soon. */
function isSameService(one: BackendConfig, other: BackendConfig): boolean {
  const service = (config: BackendConfig) =>
    "base_url" in config
      ? [config.base_url, config.api_key]
      : config.kind === "codex"
        ? [config.command, config.home]
        : [];
  return isDeepStrictEqual([one.breaker, service(one)], [other.breaker, service(other)]);
}

function routeTo({ backend, breaker, config }: Place, model: string, fallback: readonly string[] = []): Route {
  const settings = config.kind === "demo" ? demoSettings(config, model) : config;
  return { backend, breaker, kind: config.kind, model, settings, fallback };
}

/** Of the demo it is known which dialect it writes; and those without a mark are read only where they are named. */
function demoSettings(config: BackendConfig, model: string): BackendConfig {
  const isWritten = config.dialects === "auto" && parts.dialects.includes(model);
  return isWritten ? { ...config, dialects: [model] } : config;
}
