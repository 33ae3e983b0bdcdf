import type {
  AnswerList,
  AnswerListQuery,
  AnswerStore,
  ClientApi,
  InputPlaces,
  InputRange,
  InputWindow,
  JsonObject,
  KeptAnswer,
  StateStore,
} from "../turn/index.ts";
import { storeUnavailable } from "./state-errors.ts";

/** The stored answers for clients: a failure of the store becomes an error that a client understands. */
export class StoredAnswers implements AnswerStore {
  readonly #store: StateStore;

  constructor(store: StateStore) {
    this.#store = store;
  }

  answer(owner: string, api: ClientApi, id: string): Promise<KeptAnswer | undefined> {
    return this.#store.answer(owner, api, id).catch(refuse);
  }

  inputOf(owner: string, api: ClientApi, id: string, range: InputRange): Promise<InputWindow | undefined> {
    return this.#store.inputOf(owner, api, id, range).catch(refuse);
  }

  placesOf(owner: string, api: ClientApi, id: string, item: string): Promise<InputPlaces | undefined> {
    return this.#store.placesOf(owner, api, id, item).catch(refuse);
  }

  list(owner: string, api: ClientApi, query: AnswerListQuery): Promise<AnswerList | undefined> {
    return this.#store.list(owner, api, query).catch(refuse);
  }

  setMetadata(owner: string, api: ClientApi, id: string, metadata: JsonObject): Promise<KeptAnswer | undefined> {
    return this.#store.setMetadata(owner, api, id, metadata).catch(refuse);
  }

  remove(owner: string, api: ClientApi, id: string): Promise<boolean> {
    return this.#store.remove(owner, api, id).catch(refuse);
  }
}

function refuse(error: unknown): never {
  throw storeUnavailable(error);
}
