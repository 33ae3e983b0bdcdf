import { isObject, type JsonObject } from "../../turn/index.ts";

/** The parts of a message item. Malformed parts are skipped. */
export function partsOf(item: JsonObject): JsonObject[] {
  return Array.isArray(item.content) ? item.content.filter(isObject) : [];
}

export function textOf(part: JsonObject): { text: string; kind: "text" | "refusal" } {
  if (typeof part.refusal === "string") return { text: part.refusal, kind: "refusal" };
  return { text: typeof part.text === "string" ? part.text : "", kind: "text" };
}

export function annotationsOf(item: JsonObject): JsonObject[] {
  return partsOf(item).flatMap(({ annotations }) => (Array.isArray(annotations) ? annotations.filter(isObject) : []));
}
