import type { Block } from "../core/block.ts";
import type { Reading, WrittenCall } from "../dialect.ts";
import { type JsonCallShape, jsonCall, jsonCalls } from "./json-call.ts";

/** Reads a list of calls, or consecutive objects. Each call is emitted as soon as it is complete. */
export function* jsonList(block: Block, shape: JsonCallShape = {}): Reading {
  yield* block.space();
  yield* jsonCalls(block, shape);
  block.accept();
  yield* block.space();
  while (yield* block.sees("{")) {
    yield* jsonCall(block, shape);
    block.accept();
    yield* block.space();
  }
}

/** Reads a list after a marker that other dialects share: all of it must be valid, up to the closer or the end of the message. */
export function* closedList(block: Block): Reading {
  yield* jsonCalls(block, {}, true);
  yield* block.space();
  if (!(yield* block.closer()) && (yield* block.peek()) !== -1) block.fail("the list is not closed");
  block.accept();
}

/** Reads the closer of a dialect that is mostly written without one; a missing closer is not a repair. */
export function* maybeClose(block: Block): Reading {
  yield* block.space();
  if (yield* block.closer()) block.accept();
}

/** `{"name": …, "arguments": …}`, under the keys of the dialect. */
export function writeJsonCall(call: WrittenCall, keys = { name: "name", arguments: "arguments" }): string {
  return `{"${keys.name}": ${JSON.stringify(call.name)}, "${keys.arguments}": ${call.arguments}}`;
}

export function writeJsonList(calls: readonly WrittenCall[]): string {
  return `[${calls.map((call) => writeJsonCall(call)).join(", ")}]`;
}
