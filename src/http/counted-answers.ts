import type {
  AnswerList,
  AnswerListQuery,
  AnswerStore,
  ClientApi,
  Holding,
  InputPlaces,
  InputRange,
  InputWindow,
  JsonObject,
  KeptAnswer,
} from "../turn/index.ts";

/** Stored answers for one request, which holds what it has read. Rejects with a `TurnError` if there is no room for it. */
export class CountedAnswers implements AnswerStore {
  readonly #answers: AnswerStore;
  readonly #holding: Holding;

  constructor(answers: AnswerStore, holding: Holding) {
    this.#answers = answers;
    this.#holding = holding;
  }

  async answer(owner: string, api: ClientApi, id: string): Promise<KeptAnswer | undefined> {
    return this.#counted(await this.#answers.answer(owner, api, id));
  }

  async inputOf(owner: string, api: ClientApi, id: string, range: InputRange): Promise<InputWindow | undefined> {
    return this.#counted(await this.#answers.inputOf(owner, api, id, range));
  }

  placesOf(owner: string, api: ClientApi, id: string, item: string): Promise<InputPlaces | undefined> {
    return this.#answers.placesOf(owner, api, id, item);
  }

  async list(owner: string, api: ClientApi, query: AnswerListQuery): Promise<AnswerList | undefined> {
    const list = await this.#answers.list(owner, api, query);
    for (const answer of list?.answers ?? []) this.#counted(answer);
    return list;
  }

  async setMetadata(owner: string, api: ClientApi, id: string, metadata: JsonObject): Promise<KeptAnswer | undefined> {
    return this.#counted(await this.#answers.setMetadata(owner, api, id, metadata));
  }

  remove(owner: string, api: ClientApi, id: string): Promise<boolean> {
    return this.#answers.remove(owner, api, id);
  }

  #counted<Read extends { size: number }>(read: Read | undefined): Read | undefined {
    if (read) this.#holding.add(read.size);
    return read;
  }
}
