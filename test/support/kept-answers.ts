import type { AnswerListQuery, AnswerStore, ClientApi, Item, JsonObject, KeptAnswer } from "../../src/turn/index.ts";

interface Kept {
  owner: string;
  api: ClientApi;
  answer: KeptAnswer;
  input: Item[];
}

/** A store of answers that a test fills by hand. Every answer is read as a copy, as from a database. */
export class KeptAnswers implements AnswerStore {
  #kept: Kept[] = [];

  put(owner: string, api: ClientApi, answer: KeptAnswer, input: Item[] = []): void {
    this.#kept.push(structuredClone({ owner, api, answer, input }));
  }

  async answer(owner: string, api: ClientApi, id: string): Promise<KeptAnswer | undefined> {
    return structuredClone(this.#find(owner, api, id)?.answer);
  }

  async inputOf(owner: string, api: ClientApi, id: string): Promise<Item[] | undefined> {
    return structuredClone(this.#find(owner, api, id)?.input);
  }

  async list(owner: string, api: ClientApi, query: AnswerListQuery) {
    const { limit, order, after, model, metadata = {} } = query;
    const own = this.#kept.filter((kept) => kept.owner === owner && kept.api === api).map(({ answer }) => answer);
    if (order === "desc") own.reverse();
    const from = after === undefined ? 0 : own.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && from === 0) return undefined;
    const fits = (answer: KeptAnswer) =>
      (model === undefined || answer.model === model) &&
      Object.entries(metadata).every(([key, value]) => answer.metadata[key] === value);
    const found = own.slice(from).filter(fits);
    return { answers: structuredClone(found.slice(0, limit)), hasMore: found.length > limit };
  }

  async setMetadata(owner: string, api: ClientApi, id: string, metadata: JsonObject) {
    const found = this.#find(owner, api, id)?.answer;
    if (found) found.metadata = structuredClone(metadata);
    return structuredClone(found);
  }

  async remove(owner: string, api: ClientApi, id: string): Promise<boolean> {
    const found = this.#find(owner, api, id);
    this.#kept = this.#kept.filter((kept) => kept !== found);
    return found !== undefined;
  }

  #find(owner: string, api: ClientApi, id: string): Kept | undefined {
    return this.#kept.find((kept) => kept.owner === owner && kept.api === api && kept.answer.id === id);
  }
}
