import { isObject, type JsonObject, TurnError, wrong } from "../../turn/index.ts";
import type { Resource, ResourceCall } from "../codec.ts";
import { type InputList, readPage } from "../input-pages.ts";
import { checkStoredMetadata } from "../metadata.ts";
import { readPageQuery, shown, unknownCursor, writeList } from "../paging.ts";
import { storedCompletion } from "./stored-completion.ts";
import { placesOfMessage, type StoredMessage, storedMessages, writeStoredMessage } from "./stored-messages.ts";

const api = "chat";

/** What clients can do with stored completions. */
export const completionResources: readonly Resource[] = [
  { method: "GET", path: "/chat/completions", handle: listCompletions },
  { method: "GET", path: "/chat/completions/:id", handle: readCompletion },
  { method: "POST", path: "/chat/completions/:id", handle: updateCompletion },
  { method: "DELETE", path: "/chat/completions/:id", handle: deleteCompletion },
  { method: "GET", path: "/chat/completions/:id/messages", handle: listMessages },
];

async function listCompletions({ answers, owner, query }: ResourceCall): Promise<JsonObject> {
  const { limit, order, after } = readPageQuery(query, "asc");
  const model = query.get("model") || undefined;
  const page = await answers.list(owner, api, { limit, order, after, model, metadata: metadataOf(query) });
  if (!page) throw unknownCursor("after", after ?? "");
  return writeList(page.answers.map(storedCompletion), page.hasMore);
}

/** `metadata[key]=value`, once for each pair. */
function metadataOf(query: URLSearchParams): Record<string, string> | undefined {
  const pairs = [...query].flatMap(([name, value]): [string, string][] =>
    name.startsWith("metadata[") && name.endsWith("]") ? [[name.slice("metadata[".length, -1), value]] : [],
  );
  if (pairs.length === 0) return undefined;
  const metadata = Object.fromEntries(pairs);
  checkStoredMetadata(metadata);
  return metadata;
}

async function readCompletion({ answers, owner, id }: ResourceCall): Promise<JsonObject> {
  return storedCompletion(found(await answers.answer(owner, api, id), id));
}

async function updateCompletion({ answers, owner, id, body }: ResourceCall): Promise<JsonObject> {
  if (!isObject(body)) throw new TurnError("invalid_request", "The body must be a JSON object.");
  if (body.metadata === undefined) throw wrong("metadata", "an object", undefined);
  checkStoredMetadata(body.metadata);
  const metadata = isObject(body.metadata) ? body.metadata : {};
  return storedCompletion(found(await answers.setMetadata(owner, api, id, metadata), id));
}

async function deleteCompletion({ answers, owner, id }: ResourceCall): Promise<JsonObject> {
  if (!(await answers.remove(owner, api, id))) throw notFound(id);
  return { object: "chat.completion.deleted", id, deleted: true };
}

async function listMessages({ answers, owner, id, query }: ResourceCall): Promise<JsonObject> {
  const list: InputList<StoredMessage> = {
    read: async (range) => found(await answers.inputOf(owner, api, id, range), id),
    placesOf: async (message) => placesOfMessage(id, message),
    entries: (section, isLegacy) => storedMessages(id, section, isLegacy),
  };
  const { entries, hasMore } = await readPage(list, readPageQuery(query, "asc"));
  return writeList(entries.map(writeStoredMessage), hasMore);
}

function found<Stored>(stored: Stored | undefined, id: string): Stored {
  if (stored === undefined) throw notFound(id);
  return stored;
}

function notFound(id: string): TurnError {
  return new TurnError("not_found", `Chat completion with id '${shown(id)}' not found.`);
}
