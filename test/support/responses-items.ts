import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject, type JsonValue } from "../../src/turn/index.ts";
import { type Faults, isFilledString, objectsOf, portableId } from "./folded.ts";
import { type OpenItem, openItem } from "./open-item.ts";
import { checkItem, isCallItem } from "./response-object.ts";
import {
  type CallRules,
  callEvents,
  checkFinishedCall,
  extendedCallEvents,
  readCallEvent,
  readExtendedCallEvent,
} from "./responses-calls.ts";
import { partEvents, readPartEvent } from "./responses-parts.ts";

/** What stays of an item from `output_item.added` to `output_item.done`. */
const identity = ["id", "type", "call_id", "name", "role"] as const;

/** Accumulators go on from what the added item holds, so it must hold nothing yet. */
const beginnings: Record<string, [key: string, value: JsonValue][]> = {
  message: [
    ["content", []],
    ["status", "in_progress"],
    ["role", "assistant"],
  ],
  function_call: [
    ["arguments", ""],
    ["status", "in_progress"],
  ],
  custom_tool_call: [["input", ""]],
  reasoning: [["summary", []]],
};

/** Follows the items of a Responses stream: one open at a time, each from added over its parts or deltas to done. */
export class ItemReader {
  readonly done: JsonObject[] = [];
  readonly #faults: Faults;
  readonly #rules: CallRules;
  readonly #taken = new Set<string>();
  #count = 0;
  #open: OpenItem | null = null;

  constructor(faults: Faults, rules: CallRules) {
    this.#faults = faults;
    this.#rules = rules;
  }

  /** The item that is not done yet. */
  get open(): JsonObject | null {
    return this.#open?.added ?? null;
  }

  /** The items that are done and, of the open one, the text that a client has already shown. */
  get streamed(): JsonObject[] {
    const open = this.#open;
    if (open?.type !== "message" && open?.type !== "reasoning") return this.done;
    const key = open.part?.type === "refusal" ? "refusal" : "text";
    const parts = open.part ? [...open.parts, { type: open.part.type, [key]: open.part.text }] : open.parts;
    return [...this.done, { ...open.added, [open.type === "message" ? "content" : "summary"]: parts }];
  }

  /** Reads the event if it is one of an item; otherwise says false. */
  read(type: string, event: JsonObject, previous: string | null): boolean {
    if (type === "response.output_item.added") this.#add(event);
    else if (type === "response.output_item.done") this.#finish(event);
    else if (type in partEvents || callEvents.has(type) || (this.#rules.extended && extendedCallEvents.has(type))) {
      this.#readInside(type, event, previous);
    } else return false;
    return true;
  }

  #add(event: JsonObject): void {
    const { item } = event;
    if (!isObject(item)) {
      this.#faults.add("output_item.added without item");
      return;
    }
    this.#faults.unless(this.#open === null, "an item is added before the last one is done");
    this.#faults.unless(event.output_index === this.#count, "output_item.added: output_index is out of order");
    if (!isFilledString(item.type)) this.#faults.add("output_item.added: item without type");
    if (isFilledString(item.id)) this.#claim(item.id, "two items have one id");
    else this.#faults.add("output_item.added: item without id");
    for (const [key, value] of beginnings[String(item.type)] ?? []) {
      const empty = isDeepStrictEqual(item[key], value);
      this.#faults.unless(empty, `output_item.added: ${item.type}.${key} is not ${JSON.stringify(value)}`);
    }
    if (isCallItem(item)) this.#checkCallBeginning(item);
    this.#open = openItem(item, this.#count++);
  }

  #checkCallBeginning({ type, name, call_id: callId }: JsonObject): void {
    this.#faults.unless(isFilledString(name), `output_item.added: ${type} without name`);
    if (typeof callId === "string" && portableId.test(callId))
      this.#claim(`call ${callId}`, "two calls have one call_id");
    else this.#faults.add(`output_item.added: ${type} without a fit call_id`);
  }

  #claim(id: string, twice: string): void {
    this.#faults.unless(!this.#taken.has(id), twice);
    this.#taken.add(id);
  }

  #readInside(type: string, event: JsonObject, previous: string | null): void {
    const item = this.#open;
    if (!item) {
      this.#faults.add(`${type}: no item is open`);
      return;
    }
    this.#faults.unless(event.output_index === item.index, `${type}: output_index is not the open item's`);
    this.#faults.unless(event.item_id === item.added.id, `${type}: item_id is not the open item's`);
    if (type in partEvents) readPartEvent(type, event, item, this.#faults);
    else if (callEvents.has(type)) readCallEvent(type, event, item, this.#rules, this.#faults);
    else readExtendedCallEvent(type, event, item, previous, this.#faults);
  }

  #finish(event: JsonObject): void {
    const open = this.#open;
    const { item } = event;
    if (!open || !isObject(item)) {
      this.#faults.add(open ? "output_item.done without item" : "output_item.done: no item is open");
      return;
    }
    this.#open = null;
    this.done.push(item);
    this.#faults.unless(event.output_index === open.index, "output_item.done: output_index is not the open item's");
    const changed = identity.filter((key) => item[key] !== open.added[key]);
    for (const key of changed) this.#faults.add(`output_item.done: ${key} changed`);
    if (changed.length > 0) return;
    checkItem(item, "output_item.done", this.#faults);
    if (isCallItem(item)) checkFinishedCall(open, item, this.#rules, this.#faults);
    else if (this.#faults.unless(open.part === null, "output_item.done: a part is not done")) {
      if (open.type === "message") this.#checkParts(open, item.content, "content");
      if (open.type === "reasoning") this.#checkParts(open, item.summary, "summary");
    }
  }

  #checkParts(open: OpenItem, parts: JsonValue | undefined, key: string): void {
    const same = isDeepStrictEqual(objectsOf(parts), open.parts);
    this.#faults.unless(same, `output_item.done: ${key} is not the parts that were streamed`);
  }
}
