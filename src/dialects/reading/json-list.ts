import type { Block } from "../core/block.ts";
import type { Reading, WrittenCall } from "../dialect.ts";
import { type JsonCallShape, jsonCall, jsonCalls } from "./json-call.ts";

/** A list of calls, or one object after the other. Each call is given as soon as it is whole. */
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

/** A list behind a mark that others have too: all of it must be as it should, up to the closer or the end of the message. */
export function* closedList(block: Block): Reading {
  yield* jsonCalls(block, {}, true);
  yield* block.space();
  if (!(yield* block.closer()) && (yield* block.peek()) !== -1) block.fail("the list is not closed");
  block.accept();
}

/** The closer of a dialect that is mostly written without one: nothing is amiss where none comes. */
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
