import {
  givenBack,
  type InputSection,
  type Item,
  type JsonObject,
  type MessageItem,
  type OutputItem,
  type Steps,
} from "../../turn/index.ts";
import { visibleItems } from "../visible-items.ts";
import { callItem } from "./call-item.ts";
import { writeOutput, writePart } from "./items.ts";
import { reasoningItem } from "./output-items.ts";

/** A stored item that this API lists. */
export interface ListedItem {
  id: string;
  item: Item;
}

export function* listedItems({ items }: InputSection): Steps<ListedItem[]> {
  const visible = yield* visibleItems(items);
  return visible.flatMap((item) => {
    const id = inputItemId(item);
    return id === undefined ? [] : [{ id, item }];
  });
}

/** The id of a stored item; `undefined` if this API has no form for the item. */
function inputItemId(item: Item): string | undefined {
  if (item.type !== "opaque") return item.id;
  return item.format === "responses" && typeof item.fields.id === "string" ? item.fields.id : undefined;
}

/** A stored item of the input as this API shows it: with id and status, which a request may omit. */
export function writeInputItem(item: Item): JsonObject {
  switch (item.type) {
    case "message":
      return writeMessage(item);
    case "call":
      return callItem(item, "completed");
    case "output":
      return writeCallOutput(item);
    case "reasoning":
      return { ...givenBack(item.extensions, "responses"), ...reasoningItem(item, "completed") };
    case "opaque":
      return item.fields;
  }
}

function writeMessage({ id, role, content, isIncomplete, extensions }: MessageItem): JsonObject {
  return {
    type: "message",
    id,
    status: isIncomplete ? "incomplete" : "completed",
    role,
    content: content.map((part) => writePart(part, role)),
    ...givenBack(extensions, "responses"),
  };
}

function writeCallOutput(item: OutputItem): JsonObject {
  return {
    id: item.id,
    call_id: item.callId,
    ...writeOutput(item),
    // The API has no status in the output of a custom tool.
    ...(item.kind !== "custom" && { status: "completed" }),
    ...givenBack(item.extensions, "responses"),
  };
}
