import {
  type AnswerList,
  type AnswerListQuery,
  type ClientApi,
  type Context,
  type ContextQuery,
  type InputPlaces,
  type InputRange,
  type InputWindow,
  type Item,
  type JsonObject,
  type JsonValue,
  type KeptAnswer,
  type KeptTurn,
  type MemoryRecord,
  paced,
  type Steps,
} from "../turn/index.ts";
import type { Database } from "./database.ts";
import { idOf, referencedId } from "./messages.ts";
import { newProbe } from "./operations/probe.ts";
import type { AnswerName, ReadAnswer } from "./operations/read-answer.ts";
import type { ReadContext } from "./operations/read-context.ts";
import type { DatabaseKind } from "./operations/stats.ts";
import { placeOfId } from "./placed-ids.ts";
import { readAnswerOf, readItems, readSections, withId, withoutForeignId } from "./read-items.ts";
import { recordRows, recordValues } from "./record-rows.ts";
import { indexKey, storedText } from "./storable.ts";
import type { ExportedRow, ImportCount, Store, StoredKey, StoreFailure, StoreStats, UsageRow } from "./store.ts";
import { storedJson } from "./stored-json.ts";
import { exportedRows, importedRow } from "./transferred-rows.ts";
import { turnRows } from "./turn-rows.ts";
import { originalUsage, usageRows } from "./usage-rows.ts";

export interface SqlStoreOptions {
  kind: DatabaseKind;
  /** Why the database cannot be used at present. */
  trouble?: (() => StoreFailure | null) | undefined;
  /** Gives unused space back to the disk. */
  vacuum?: (() => Promise<void>) | undefined;
}

/** The store on a database. What is long, such as the JSON of large messages, is done here in steps, not by the database. */
export class SqlStore implements Store {
  readonly #database: Database;
  readonly #options: SqlStoreOptions;

  constructor(database: Database, options: SqlStoreOptions) {
    this.#database = database;
    this.#options = options;
  }

  get trouble(): StoreFailure | null {
    return this.#options.trouble?.() ?? null;
  }

  get queue(): number {
    return this.#database.queue;
  }

  ready(): Promise<void> {
    return this.#database.run("probe", newProbe());
  }

  async keep(turn: KeptTurn): Promise<boolean> {
    return await this.#database.run("keepTurn", await paced(turnRows(turn)));
  }

  async context(owner: string, query: ContextQuery): Promise<Context> {
    const { previous, conversation, repeat, at = Date.now(), items = [], limit } = query;
    const read = await this.#database.run("readContext", {
      owner: indexKey(owner),
      previous: previous === undefined ? null : indexKey(previous),
      name: conversation === undefined ? null : indexKey(conversation),
      repeat: repeat ? { ...repeat, digest: indexKey(repeat.digest) } : null,
      items: [...new Set(items.map(indexKey))],
      limit,
      at,
    });
    return await paced(contextOf(read, new Set(items)));
  }

  async answer(owner: string, api: ClientApi, id: string): Promise<KeptAnswer | undefined> {
    return await this.#answerOf(await this.#database.run("readAnswer", nameOf(owner, api, id)));
  }

  async inputOf(owner: string, api: ClientApi, id: string, range: InputRange): Promise<InputWindow | undefined> {
    const { direction, from = null, count } = range;
    const read = await this.#database.run("readInput", { ...nameOf(owner, api, id), direction, from, count });
    if (!read) return undefined;
    const { start, end, length, legacy, size } = read;
    return { sections: await paced(readSections(read)), start, end, length, legacy, size };
  }

  async placesOf(owner: string, api: ClientApi, id: string, item: string): Promise<InputPlaces | undefined> {
    const wanted = { item: indexKey(item), placed: placeOfId(item) ?? null };
    return (await this.#database.run("findInput", { ...nameOf(owner, api, id), ...wanted })) ?? undefined;
  }

  async list(owner: string, api: ClientApi, query: AnswerListQuery): Promise<AnswerList | undefined> {
    const read = await this.#database.run("listAnswers", {
      owner: indexKey(owner),
      api,
      limit: query.limit,
      order: query.order,
      after: query.after === undefined ? null : indexKey(query.after),
      model: query.model === undefined ? null : storedText(query.model),
      metadata: Object.entries(query.metadata ?? {}),
    });
    if (!read) return undefined;
    const answers: KeptAnswer[] = [];
    for (const answer of read.answers) answers.push(await paced(readAnswerOf(answer)));
    return { answers, hasMore: read.hasMore };
  }

  async setMetadata(owner: string, api: ClientApi, id: string, metadata: JsonObject): Promise<KeptAnswer | undefined> {
    const text = await paced(storedJson(metadata));
    return await this.#answerOf(await this.#database.run("setMetadata", { ...nameOf(owner, api, id), metadata: text }));
  }

  remove(owner: string, api: ClientApi, id: string): Promise<boolean> {
    return this.#database.run("removeAnswer", nameOf(owner, api, id));
  }

  async read(owner: string, keys: readonly string[]): Promise<(JsonValue | undefined)[]> {
    if (keys.length === 0) return [];
    const unique = [...new Set(keys.map(indexKey))];
    const rows = await this.#database.run("readRecords", { owner: indexKey(owner), keys: unique, now: Date.now() });
    return await paced(recordValues(keys, rows));
  }

  async write(owner: string, records: readonly MemoryRecord[]): Promise<void> {
    if (records.length === 0) return;
    const rows = await paced(recordRows(records, Date.now()));
    await this.#database.run("writeRecords", { owner: indexKey(owner), ...rows });
  }

  keys(): Promise<StoredKey[]> {
    return this.#database.run("keys", null);
  }

  addKey(key: StoredKey): Promise<boolean> {
    return this.#database.run("addKey", key);
  }

  revokeKey(name: string, at: number): Promise<boolean> {
    return this.#database.run("revokeKey", { name, at });
  }

  async addUsage(rows: readonly UsageRow[]): Promise<void> {
    if (rows.length > 0) await this.#database.run("addUsage", usageRows(rows));
  }

  async usage(): Promise<UsageRow[]> {
    return (await this.#database.run("usage", null)).map(originalUsage);
  }

  stats(): Promise<StoreStats> {
    return this.#database.run("stats", { kind: this.#options.kind });
  }

  export(): AsyncIterable<ExportedRow> {
    return exportedRows(this.#database);
  }

  import(rows: readonly ExportedRow[]): Promise<ImportCount> {
    return this.#database.run("importRows", rows.map(importedRow));
  }

  async vacuum(): Promise<void> {
    await this.#options.vacuum?.();
  }

  expire(before: number, now: number): Promise<boolean> {
    return this.#database.run("expire", { before, now });
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #answerOf(read: ReadAnswer | null): Promise<KeptAnswer | undefined> {
    return read ? await paced(readAnswerOf(read)) : undefined;
  }
}

function nameOf(owner: string, api: ClientApi, id: string): AnswerName {
  return { owner: indexKey(owner), api, id: indexKey(id) };
}

/** Ids may occur in several conversations: the one in the history is meant, if there is one. */
function* contextOf(read: ReadContext, wanted: ReadonlySet<string>): Steps<Context> {
  const items = new Map<string, Item>();
  const inHistory = new Set<string>();
  const find: typeof withId = (item, message, at) => {
    const found = withoutForeignId(item);
    const id = idOf(withId(item, message, at));
    if (id !== undefined && wanted.has(id)) items.set(id, found);
    return found;
  };
  const findInHistory: typeof withId = (item, message, at) => {
    const id = referencedId(item) ?? idOf(withId(item, message, at));
    if (id !== undefined && wanted.has(id)) inHistory.add(id);
    return find(item, message, at);
  };
  yield* readItems(read.items, find);
  const history = read.history
    ? yield* readItems(read.history, wanted.size > 0 ? findInHistory : withoutForeignId)
    : undefined;
  return {
    history,
    base: read.base ?? undefined,
    items,
    inHistory,
    size: read.size,
    isTooLarge: read.isTooLarge,
  };
}
