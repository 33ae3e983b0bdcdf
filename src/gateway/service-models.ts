import type { Backend } from "../turn/index.ts";

/** Milliseconds. Long enough not to burden a provider, short enough that a new model appears soon. */
const freshFor = 60_000;
/** A longer list would be of no use to a person. */
const most = 2_000;

/** Caches the lists of models that services offer. They are fetched when a client asks for the models. */
export class ServiceModels {
  readonly #lists = new Map<Backend, { names: string[]; until: number; asking: Promise<void> | undefined }>();
  readonly #onFailure: (backend: Backend, error: unknown) => void;

  constructor(onFailure: (backend: Backend, error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** The last list; empty before the first one. */
  known(backend: Backend): string[] {
    return this.#lists.get(backend)?.names ?? [];
  }

  /** Resolves when every list is fresh or its service has failed. */
  async refresh(backends: readonly Backend[]): Promise<void> {
    await Promise.all(backends.map((backend) => this.#ask(backend)));
  }

  #ask(backend: Backend): Promise<void> | undefined {
    const { lifecycle } = backend;
    if (!lifecycle?.models) return undefined;
    const list = this.#lists.get(backend) ?? { names: [], until: 0, asking: undefined };
    this.#lists.set(backend, list);
    if (performance.now() < list.until) return undefined;
    list.asking ??= lifecycle
      .models()
      .then(
        (names) => {
          list.names = names.slice(0, most);
        },
        (error: unknown) => this.#onFailure(backend, error),
      )
      .finally(() => {
        list.until = performance.now() + freshFor;
        list.asking = undefined;
      });
    return list.asking;
  }
}
