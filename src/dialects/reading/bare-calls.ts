import type { Block } from "../core/block.ts";
import type { Reading } from "../dialect.ts";
import { type JsonCallShape, jsonCalls } from "./json-call.ts";

const shape: JsonCallShape = { isBare: true, needsArguments: true };

/** Calls as JSON without any marker, where the opener is the first character: only their keys show what they are. */
export function* bareCalls(block: Block): Reading {
  block.at -= block.opener.length;
  yield* jsonCalls(block, shape);
  block.accept();
}

/** Calls with a semicolon or a comma between them, behind the first: the rest is something else. */
export function* moreCalls(block: Block): Reading {
  for (;;) {
    yield* block.space();
    if ((yield* block.oneOf([";", ","])) === "") return;
    yield* block.space();
    if (!(yield* block.sees("{", "["))) return;
    yield* jsonCalls(block, shape);
    block.accept();
  }
}
