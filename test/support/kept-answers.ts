import { idOf } from "../../src/store/messages.ts";
import type {
  AnswerListQuery,
  AnswerStore,
  ClientApi,
  InputPlaces,
  InputRange,
  InputSection,
  InputWindow,
  Item,
  JsonObject,
  KeptAnswer,
} from "../../src/turn/index.ts";

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

  async inputOf(owner: string, api: ClientApi, id: string, range: InputRange): Promise<InputWindow | undefined> {
    const kept = this.#find(owner, api, id);
    if (!kept) return undefined;
    const { legacy, size } = kept.answer;
    return { ...windowOf(structuredClone(kept.input), legacy, range), size };
  }

  async placesOf(owner: string, api: ClientApi, id: string, item: string): Promise<InputPlaces | undefined> {
    const input = this.#find(owner, api, id)?.input ?? [];
    const first = input.findIndex((each) => idOf(each) === item);
    return first === -1 ? undefined : { first, last: input.findLastIndex((each) => idOf(each) === item) };
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

/** A part of an input as a store gives it. Every item is a message of its own. */
export function windowOf(input: Item[], legacy: boolean, { direction, from, count }: InputRange): InputWindow {
  const length = input.length;
  const start = direction === "up" ? (from ?? 0) : Math.min(from ?? length, length - 1) - count + 1;
  const sections: InputSection[] = [];
  for (const [position, item] of input.entries()) {
    const last = sections.at(-1);
    if (!last || (item.type === "message" && item.role !== "assistant"))
      sections.push({ position, length: 1, items: [item] });
    else {
      last.items.push(item);
      last.length++;
    }
  }
  const read = sections.filter((each) => each.position < start + count && each.position + each.length > start);
  const [first, last] = [read.at(0), read.at(-1)];
  const positions = { start: first?.position ?? 0, end: last ? last.position + last.length : 0 };
  return { sections: read, ...positions, length, legacy, size: 0 };
}
