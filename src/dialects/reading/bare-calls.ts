import type { Block } from "../core/block.ts";
import type { Reading } from "../dialect.ts";
import { type JsonCallShape, jsonCalls } from "./json-call.ts";

const shape: JsonCallShape = { isBare: true, needsArguments: true };

/** Reads JSON calls without a marker. The opener is their first character; only their keys show that they are calls. */
export function* bareCalls(block: Block): Reading {
  block.at -= block.opener.length;
  yield* jsonCalls(block, shape);
  block.accept();
}

/** Reads further calls after a semicolon or a comma, up to anything else. */
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
