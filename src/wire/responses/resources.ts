import { type JsonObject, paced, TurnError } from "../../turn/index.ts";
import type { Resource, ResourceCall } from "../codec.ts";
import { pageOf, readPageQuery, shown, unsupported, writeList } from "../paging.ts";
import { visibleItems } from "../visible-items.ts";
import { inputItemId, writeInputItem } from "./input-items.ts";
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
  const page = readPageQuery(query, "desc");
  const input = found(await answers.inputOf(owner, api, id), id);
  const visible = await paced(visibleItems(input));
  const listed = visible.filter((item) => inputItemId(item) !== undefined);
  const { entries, hasMore } = pageOf(listed, page, (item) => inputItemId(item) ?? "");
  return writeList(entries.map(writeInputItem), hasMore);
}

function found<Stored>(stored: Stored | undefined, id: string): Stored {
  if (stored === undefined) throw notFound(id);
  return stored;
}

function notFound(id: string): TurnError {
  return new TurnError("not_found", `Response with id '${shown(id)}' not found.`);
}
