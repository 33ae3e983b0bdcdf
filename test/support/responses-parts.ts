import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import { type Faults, isFilledString } from "./folded.ts";
import type { OpenItem } from "./open-item.ts";

interface PartEvent {
  does: "add" | "text" | "annotate" | "finish";
  item: "message" | "reasoning";
  index: "content_index" | "summary_index";
  /** The type of the part whose text it is, and the key that holds the text. */
  part?: string;
  key?: string;
}

const content = { item: "message", index: "content_index" } as const;
const summary = { item: "reasoning", index: "summary_index" } as const;

/** The events inside a message or a reasoning item: part added, deltas, text done, part done. */
export const partEvents: Record<string, PartEvent> = {
  "response.content_part.added": { ...content, does: "add" },
  "response.output_text.delta": { ...content, does: "text", part: "output_text" },
  "response.output_text.done": { ...content, does: "text", part: "output_text", key: "text" },
  "response.output_text.annotation.added": { ...content, does: "annotate" },
  "response.refusal.delta": { ...content, does: "text", part: "refusal" },
  "response.refusal.done": { ...content, does: "text", part: "refusal", key: "refusal" },
  "response.content_part.done": { ...content, does: "finish" },
  "response.reasoning_summary_part.added": { ...summary, does: "add" },
  "response.reasoning_summary_text.delta": { ...summary, does: "text", part: "summary_text" },
  "response.reasoning_summary_text.done": { ...summary, does: "text", part: "summary_text", key: "text" },
  "response.reasoning_summary_part.done": { ...summary, does: "finish" },
};

export function readPartEvent(type: string, event: JsonObject, item: OpenItem, faults: Faults): void {
  const rule = partEvents[type];
  if (!rule || !faults.unless(item.type === rule.item, `${type}: the open item is a ${item.type}`)) return;
  const place = rule.does === "add" ? "out of order" : "not the open part's";
  faults.unless(event[rule.index] === item.parts.length, `${type}: ${rule.index} is ${place}`);
  if (rule.does === "add") addPart(type, event, item, rule, faults);
  else if (rule.does === "text") readText(type, event, item, rule, faults);
  else if (rule.does === "annotate") annotate(type, event, item, faults);
  else finishPart(type, event, item, faults);
}

function addPart(type: string, event: JsonObject, item: OpenItem, rule: PartEvent, faults: Faults): void {
  faults.unless(item.part === null, `${type}: the last part is not done`);
  const part = isObject(event.part) ? event.part : {};
  const kind = String(part.type);
  const empty =
    (kind === "output_text" && part.text === "" && isDeepStrictEqual(part.annotations, [])) ||
    (kind === "refusal" && part.refusal === "") ||
    (kind === "summary_text" && part.text === "");
  const fits = (kind === "summary_text") === (rule.item === "reasoning");
  faults.unless(empty && fits, `${type}: the part is not an empty one of a fit type`);
  item.part = { type: kind, text: "", annotations: [], finished: false };
}

function readText(type: string, event: JsonObject, item: OpenItem, rule: PartEvent, faults: Faults): void {
  const open = item.part;
  if (rule.part === "output_text") faults.unless(Array.isArray(event.logprobs), `${type}: no logprobs list`);
  if (!open || open.type !== rule.part) {
    faults.add(`${type}: no ${rule.part} part is open`);
    return;
  }
  faults.unless(!open.finished, `${type}: the part's text is already done`);
  if (rule.key !== undefined) {
    faults.unless(event[rule.key] === open.text, `${type}: ${rule.key} is not what the deltas said`);
    open.finished = true;
  } else if (faults.unless(typeof event.delta === "string", `${type}: delta is not a string`)) open.text += event.delta;
}

function annotate(type: string, event: JsonObject, item: OpenItem, faults: Faults): void {
  const open = item.part;
  if (open?.type !== "output_text") {
    faults.add(`${type}: no output_text part is open`);
    return;
  }
  faults.unless(event.annotation_index === open.annotations.length, `${type}: annotation_index is out of order`);
  const { annotation } = event;
  if (isObject(annotation) && isFilledString(annotation.type)) open.annotations.push(annotation);
  else faults.add(`${type}: annotation without type`);
}

function finishPart(type: string, event: JsonObject, item: OpenItem, faults: Faults): void {
  const open = item.part;
  if (!open) {
    faults.add(`${type}: no part is open`);
    return;
  }
  faults.unless(open.finished, `${type}: the part's text is not done`);
  const part = isObject(event.part) ? event.part : {};
  const text = open.type === "refusal" ? part.refusal : part.text;
  faults.unless(part.type === open.type && text === open.text, `${type}: the part is not what was streamed`);
  if (open.type === "output_text") {
    faults.unless(
      isDeepStrictEqual(part.annotations, open.annotations),
      `${type}: the annotations are not those that were streamed`,
    );
  }
  item.parts.push(part);
  item.part = null;
}
