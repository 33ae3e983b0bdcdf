import { isDeepStrictEqual } from "node:util";
import {
  type BackendConfig,
  type BackendKindName,
  type BreakerConfig,
  type Config,
  isService,
  kindOf,
  nearestNames,
} from "../config/index.ts";
import { type BreakerState, createBreaker } from "../guard/index.ts";
import { type Backend, type Breaker, TurnError } from "../turn/index.ts";
import { type BackendContext, createBackends } from "./kinds/index.ts";
import { parts } from "./parts.ts";
import { ServiceModels } from "./service-models.ts";

/** The backend and settings that a model's name resolves to. */
export interface Route {
  backend: Backend;
  breaker: Breaker;
  /** The model's name as the backend knows it. */
  model: string;
  settings: BackendConfig;
  /** The public names of the fallback models. */
  fallback: readonly string[];
}

/** Receives reports from the backends while they are used. */
export interface ModelsListener extends Pick<BackendContext, "onSecrets" | "onNotice"> {
  onListFailure(backend: string, error: unknown): void;
  onBreaker(backend: string, state: BreakerState, settings: BreakerConfig): void;
}

/** The state of a backend that can report one. */
export interface BackendState {
  backend: string;
  /** Why the backend cannot be used, and what to do about it; `null` if it can be used. */
  trouble: string | null;
  /** Further hints for the operator. */
  notes: readonly string[];
}

export interface PublicModel {
  id: string;
  backend: string;
  kind: BackendKindName;
  /** Whether it is another form of a model with a shorter name, for example `demo/hermes-json`. */
  isVariant: boolean;
}

/** A backend with the settings that it was created from. */
interface ConfiguredBackend {
  backend: Backend;
  breaker: Breaker;
  settings: BackendConfig;
}

/** The public names of models, and the backends behind them. */
export class Models {
  readonly #config: Config;
  /** By their names in the configuration. */
  readonly #backends = new Map<string, ConfiguredBackend>();
  /** By model name, for models whose settings differ from their backend's. Each has a connection of its own. */
  readonly #ownBackends = new Map<string, ConfiguredBackend>();
  /** The target of unknown names without a prefix. It is set if the configuration has exactly one service. */
  readonly #onlyService: string | undefined;
  readonly #services: ServiceModels;

  constructor(config: Config, redact: (text: string) => string, listener: ModelsListener) {
    this.#config = config;
    this.#services = new ServiceModels(({ name }, error) => listener.onListFailure(name, error));
    const create = createBackends({ redact, onSecrets: listener.onSecrets, onNotice: listener.onNotice });
    const breakerFor = (name: string, { breaker }: BackendConfig) =>
      createBreaker({ backend: name, ...breaker, onState: (state) => listener.onBreaker(name, state, breaker) });
    for (const [name, settings] of Object.entries(config.backends)) {
      this.#backends.set(name, { backend: create(name, settings), breaker: breakerFor(name, settings), settings });
    }
    for (const [alias, { backend: name, settings }] of Object.entries(config.models)) {
      const shared = this.#backend(name);
      if (isDeepStrictEqual(shared.settings, settings)) continue;
      const breaker = isSameService(shared.settings, settings) ? shared.breaker : breakerFor(alias, settings);
      this.#ownBackends.set(alias, { backend: create(name, settings), breaker, settings });
    }
    const services = this.#serviceNames();
    this.#onlyService = services.length === 1 ? services[0] : undefined;
  }

  /** The states of the backends that can report one. */
  async states(): Promise<BackendState[]> {
    const states = this.backends().map(async ({ name, lifecycle }): Promise<BackendState[]> => {
      if (!lifecycle?.ready) return [];
      const trouble = await lifecycle.ready();
      return [{ backend: name, trouble, notes: lifecycle.notes?.() ?? [] }];
    });
    return (await Promise.all(states)).flat();
  }

  backends(): Backend[] {
    return [...this.#backends.values(), ...this.#ownBackends.values()].map(({ backend }) => backend);
  }

  /** Asks the services for their models, so that `list` includes them. */
  refresh(): Promise<void> {
    return this.#services.refresh([...this.#backends.values()].map(({ backend }) => backend));
  }

  /** All names that are known: aliases, fixed models, and the models that the services have listed so far. */
  list(): PublicModel[] {
    return [...this.#listMain(), ...this.#listVariants()];
  }

  #listMain(): PublicModel[] {
    const aliases = Object.entries(this.#config.models).map(([id, { backend }]) => this.#public(id, backend));
    const others = [...this.#backends].flatMap(([name, { backend, settings }]) => {
      const { ownName, fixedModels } = kindOf(settings);
      const models = fixedModels ? [fixedModels.main] : this.#services.known(backend);
      const ids = [...(ownName ? [name] : []), ...models.map((model) => `${name}/${model}`)];
      return ids.map((id) => this.#public(id, name));
    });
    return [...aliases, ...others];
  }

  /** Last in the list, because there are many of them and few people need them. */
  #listVariants(): PublicModel[] {
    return [...this.#backends].flatMap(([name, { settings }]) => {
      const variants = kindOf(settings).fixedModels?.variants(parts.dialects) ?? [];
      return variants.map((variant) => this.#public(`${name}/${variant}`, name));
    });
  }

  /** Throws if there is no such model. The error suggests only names that pass `isAllowed`. */
  find(name: string, isAllowed: (name: string) => boolean): Route {
    const alias = this.#config.models[name];
    if (alias) {
      return routeTo(this.#ownBackends.get(name) ?? this.#backend(alias.backend), alias.model, alias.fallback);
    }
    const named = this.#backends.get(name);
    const ownName = named && kindOf(named.settings).ownName;
    if (ownName) return routeTo(named, ownName.model(name));
    const slash = name.indexOf("/");
    const prefixed = slash > 0 ? this.#backends.get(name.slice(0, slash)) : undefined;
    const model = name.slice(slash + 1);
    if (prefixed && model !== "") {
      if (!hasModel(prefixed.settings, model)) throw this.#unknown(name, isAllowed);
      return routeTo(prefixed, model);
    }
    if (this.#onlyService !== undefined) return routeTo(this.#backend(this.#onlyService), name);
    throw this.#unknown(name, isAllowed);
  }

  #backend(name: string): ConfiguredBackend {
    const backend = this.#backends.get(name);
    if (!backend) throw new Error(`there is no backend ${name}`);
    return backend;
  }

  #serviceNames(): string[] {
    return [...this.#backends].flatMap(([name, { settings }]) => (isService(settings) ? [name] : []));
  }

  #public(id: string, backend: string): PublicModel {
    const { settings } = this.#backend(backend);
    return { id, backend, kind: settings.kind, isVariant: !isService(settings) && id.includes("/") };
  }

  #unknown(name: string, isAllowed: (name: string) => boolean): TurnError {
    const allowed = (models: PublicModel[]) => models.flatMap(({ id }) => (isAllowed(id) ? [id] : []));
    const known = allowed(this.#listMain());
    const services = this.#serviceNames().flatMap((service) => (isAllowed(`${service}/`) ? [`${service}/…`] : []));
    const [near] = nearestNames(name, [...known, ...allowed(this.#listVariants())], 1);
    const hint = near ? `Did you mean "${near}"?` : `Known here: ${[...known, ...services].slice(0, 20).join(", ")}.`;
    const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
    return new TurnError("model_not_found", `There is no model "${shown}". ${hint}`, { param: "model" });
  }
}

/** Whether two entries use the same service, so that they share one circuit breaker. */
function isSameService(one: BackendConfig, other: BackendConfig): boolean {
  const service = (settings: BackendConfig) => [settings.breaker, kindOf(settings).service(settings)];
  return isDeepStrictEqual(service(one), service(other));
}

function hasModel(settings: BackendConfig, model: string): boolean {
  const { fixedModels } = kindOf(settings);
  return !fixedModels || model === fixedModels.main || fixedModels.variants(parts.dialects).includes(model);
}

function routeTo(
  { backend, breaker, settings }: ConfiguredBackend,
  model: string,
  fallback: readonly string[] = [],
): Route {
  return { backend, breaker, model, settings: settingsFor(settings, model), fallback };
}

/** If the model's dialect is known, `auto` becomes that dialect: `auto` leaves out dialects without a start marker. */
function settingsFor(settings: BackendConfig, model: string): BackendConfig {
  const dialect = kindOf(settings).fixedModels?.dialectOf(model, parts.dialects);
  return settings.dialects === "auto" && dialect !== undefined ? { ...settings, dialects: [dialect] } : settings;
}
