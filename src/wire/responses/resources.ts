import { type JsonObject, TurnError } from "../../turn/index.ts";
import type { Resource, ResourceCall } from "../codec.ts";
import { type InputList, readPage } from "../input-pages.ts";
import { readPageQuery, shown, unsupported, writeList } from "../paging.ts";
import { type ListedItem, listedItems, writeInputItem } from "./input-items.ts";
import { storedResponse } from "./response-object.ts";

const api = "responses";

/** What clients can do with stored responses. */
export const responseResources: readonly Resource[] = [
  { method: "GET", path: "/responses/:id", handle: readResponse },
  { method: "DELETE", path: "/responses/:id", handle: deleteResponse },
  { method: "GET", path: "/responses/:id/input_items", handle: listInputItems },
];

async function readResponse({ answers, owner, id, query }: ResourceCall): Promise<JsonObject> {
  if (query.get("stream") === "true")
    throw unsupported("stream", "`stream` cannot be true here: a stream cannot be resumed yet. Leave it out.");
  return storedResponse(found(await answers.answer(owner, api, id), id));
}

async function deleteResponse({ answers, owner, id }: ResourceCall): Promise<JsonObject> {
  if (!(await answers.remove(owner, api, id))) throw notFound(id);
  return { id, object: "response", deleted: true };
}

async function listInputItems({ answers, owner, id, query }: ResourceCall): Promise<JsonObject> {
  const list: InputList<ListedItem> = {
    read: async (range) => found(await answers.inputOf(owner, api, id, range), id),
    placesOf: (item) => answers.placesOf(owner, api, id, item),
    entries: listedItems,
  };
  const { entries, hasMore } = await readPage(list, readPageQuery(query, "desc"));
  return writeList(
    entries.map(({ item }) => writeInputItem(item)),
    hasMore,
  );
}

function found<Stored>(stored: Stored | undefined, id: string): Stored {
  if (stored === undefined) throw notFound(id);
  return stored;
}

function notFound(id: string): TurnError {
  return new TurnError("not_found", `Response with id '${shown(id)}' not found.`);
}
