import type { CallKind, JsonObject, JsonValue } from "../../turn/index.ts";
import type { RepairedCall } from "../repairs.ts";

export type ItemType = "message" | "reasoning" | "call" | "opaque";

/** An output item whose events are still arriving. */
export interface GrowingItem extends RepairedCall {
  type: ItemType;
  kind: CallKind;
  id: string | undefined;
  callId: string | undefined;
  index: number | undefined;
  name: string | undefined;
  arguments: string;
  /** How often the end of the call was reported while its arguments were cut. */
  cutEnds: number;
  /** Whether the provider reported the arguments as complete or as cut. */
  ended: "whole" | "cut" | undefined;
  /** How many characters of text and how many annotations arrived in deltas. */
  characters: number;
  annotations: number;
  /** Whether it was found in the response's `output`. */
  listed: boolean;
}

export function newItem(number: number, item: JsonObject, index: JsonValue | undefined): GrowingItem {
  return {
    type: typeOf(item),
    number,
    kind: item.type === "custom_tool_call" ? "custom" : "function",
    id: undefined,
    callId: undefined,
    index: typeof index === "number" ? index : undefined,
    name: undefined,
    arguments: "",
    cutEnds: 0,
    ended: undefined,
    characters: 0,
    annotations: 0,
    listed: false,
    started: false,
    done: false,
    repairs: undefined,
  };
}

const itemTypes = new Map<JsonValue | undefined, ItemType>([
  ["message", "message"],
  ["reasoning", "reasoning"],
  ["function_call", "call"],
  ["custom_tool_call", "call"],
]);

export function typeOf(item: JsonObject): ItemType {
  return itemTypes.get(item.type) ?? "opaque";
}

export function isLike(growing: GrowingItem, type: ItemType): boolean {
  return growing.type === type || growing.type === "opaque";
}

export function isFree(growing: GrowingItem, item: JsonObject): boolean {
  return !growing.listed && isLike(growing, typeOf(item));
}

/** The id of an item may change. The id of a call may not, because its output must refer to it. */
export function isAnotherCall(growing: GrowingItem, item: JsonObject): boolean {
  const callId = idOf(item.call_id);
  return growing.callId !== undefined && callId !== undefined && growing.callId !== callId;
}

export function mayStandAt(growing: GrowingItem, index: JsonValue | undefined): boolean {
  return typeof index !== "number" || growing.index === undefined || growing.index === index;
}

/** Whether the ids show the same item; `undefined` without ids to compare. The call id takes precedence. */
export function agrees(growing: GrowingItem, item: JsonObject): boolean | undefined {
  const callId = idOf(item.call_id);
  if (growing.callId !== undefined && callId !== undefined) return growing.callId === callId;
  const id = idOf(item.id);
  return growing.id !== undefined && id !== undefined ? growing.id === id : undefined;
}

export function isAddedAgain(growing: GrowingItem, item: JsonObject): boolean {
  const same = agrees(growing, item);
  const name = filled(item.name);
  if (same === false || (growing.name !== undefined && name !== undefined && growing.name !== name)) return false;
  // Without ids, only a call without arguments can be the same one added twice.
  return same === true || growing.type !== "call" || growing.name === undefined || growing.arguments === "";
}

/** A call that is done may differ from another with the same ids. */
export function isDoneAgain(growing: GrowingItem, item: JsonObject): boolean {
  if (agrees(growing, item) === false) return false;
  const given = item.arguments ?? item.input;
  return growing.type !== "call" || (growing.name === item.name && (given ?? "") === growing.arguments);
}

export function filled(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Some providers use numbers as call ids. */
export function idOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "number" ? String(value) : filled(value);
}

export function idsOf({ id, call_id: callId }: JsonObject): string[] {
  return [idOf(id), idOf(callId)].filter((each) => each !== undefined);
}
