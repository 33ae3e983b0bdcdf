import { type InputSection, type Item, isObject, type KeptAnswer, type KeptStatus, type Steps } from "../turn/index.ts";
import { joinContents } from "./contents.ts";
import { itemsOf } from "./message-reader.ts";
import { idOf, isReference } from "./messages.ts";
import type { PlacedMessage, ReadMessages } from "./operations/history.ts";
import type { ReadAnswer } from "./operations/read-answer.ts";
import type { ReadInput } from "./operations/read-input.ts";
import { placedId } from "./placed-ids.ts";
import { indexKey, originalText } from "./storable.ts";
import { originalJson } from "./stored-json.ts";

type Change = (item: Item, message: PlacedMessage, at: number) => Item;

/** The items of messages, in their order. */
export function* readItems({ messages, contents }: ReadMessages, change: Change = unchanged): Steps<Item[]> {
  const strings = yield* joinContents(contents);
  const items: Item[] = [];
  for (const message of messages) {
    const some = yield* itemsOf(message, strings);
    for (const [at, item] of some.entries()) items.push(change(item, message, at));
    yield;
  }
  return items;
}

/** Messages in sections. Every item has an id that is the same in every reading. */
export function* readSections({ messages, contents, sections: positions }: ReadInput): Steps<InputSection[]> {
  const beginnings = new Set(positions);
  const strings = yield* joinContents(contents);
  const sections: InputSection[] = [];
  let section: InputSection | undefined;
  for (const message of messages) {
    if (!section || beginnings.has(message.position)) {
      section = { position: message.position, length: 0, items: [] };
      sections.push(section);
    }
    section.length++;
    const items = yield* itemsOf(message, strings);
    for (const [at, item] of items.entries()) section.items.push(withId(item, message, at));
    yield;
  }
  return sections;
}

function unchanged(item: Item): Item {
  return item;
}

/** Providers refuse ids that they do not know. Those of a model's own items they need. */
export function withoutForeignId(item: Item): Item {
  if (item.type !== "output" && (item.type !== "message" || item.role === "assistant")) return item;
  const { id: _, ...rest } = item;
  return rest;
}

/** An item that has no id gets one that is the same in every reading. */
export function withId(item: Item, { conversation, position }: PlacedMessage, at: number): Item {
  if (idOf(item) !== undefined || isReference(item)) return item;
  const id = placedId(prefixOf(item), { conversation, position, at });
  return item.type === "opaque" ? { ...item, fields: { ...item.fields, id } } : { ...item, id };
}

const callPrefixes = { function: "fc", custom: "ctc", search: "tsc" };

function prefixOf(item: Item): string {
  switch (item.type) {
    case "message":
      return "msg";
    case "reasoning":
      return "rs";
    case "call":
      return callPrefixes[item.kind];
    case "output":
      return `${callPrefixes[item.kind]}o`;
    case "opaque":
      return "item";
  }
}

export function* readAnswerOf({ response, output, size }: ReadAnswer): Steps<KeptAnswer> {
  const body = yield* originalJson(response.body);
  const metadata = yield* originalJson(response.metadata);
  const named = isObject(body) && typeof body.id === "string" ? body.id : undefined;
  return {
    // The key of a long id is its hash; the body has the id.
    id: named !== undefined && indexKey(named) === response.id ? named : originalText(response.id),
    model: originalText(response.model),
    status: statusOf(response.status),
    createdAt: response.createdAt,
    body: isObject(body) ? body : {},
    metadata: isObject(metadata) ? metadata : {},
    output: yield* readItems(output),
    legacy: response.legacy,
    size,
  };
}

function statusOf(text: string): KeptStatus {
  return text === "completed" || text === "incomplete" ? text : "failed";
}
