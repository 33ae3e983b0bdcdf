import type { Dialect } from "../dialect.ts";
import { bareCalls } from "../reading/bare-calls.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonCalls } from "../reading/json-call.ts";

const fence = "```";

/** `[{"name": …, "arguments": {…}}]`, a list of calls without a marker, often after `</think>`. */
export const xlam: Dialect = {
  name: "xlam",
  models: "xLAM, and models that were asked for JSON",
  openers: ["[", "{"],
  closers: [],
  bare: true,
  read: bareCalls,
  write: (calls) => {
    const items = calls.map(({ name, arguments: text }) => `{"name": ${JSON.stringify(name)}, "arguments": ${text}}`);
    return `[${items.join(", ")}]`;
  },
};

/** `{"tool_calls": [{"name": …, "arguments": {…}}]}` */
export const xlamObject: Dialect = {
  ...xlam,
  openers: ["{"],
  *read(block) {
    yield* block.space();
    if ((yield* block.oneOf(['"tool_calls"', '"tool_call"'])) === "") block.fail("there is no list of calls");
    yield* block.space();
    yield* block.expect(":");
    yield* block.space();
    yield* jsonCalls(block);
    yield* block.space();
    yield* block.expect("}");
    block.accept();
  },
  write: (calls) => `{"tool_calls": ${xlam.write(calls)}}`,
};

/** The list after a marker of another dialect. */
export const xlamMarked: Dialect = {
  ...xlam,
  openers: ["[TOOL_CALLS]", "<tool_call>"],
  closers: ["</tool_call>"],
  *read(block) {
    yield* block.space();
    yield* jsonCalls(block);
    if (block.opener === "<tool_call>") yield* closeBlock(block);
    else block.accept();
  },
  write: (calls) => `[TOOL_CALLS]${xlam.write(calls)}`,
};

/** The list in a code fence. */
export const xlamFenced: Dialect = {
  ...xlam,
  openers: [fence],
  closers: [fence],
  atLineStart: true,
  *read(block) {
    yield* block.maybe("json");
    yield* block.space();
    yield* jsonCalls(block, { isBare: true, needsArguments: true });
    yield* closeBlock(block);
  },
  write: (calls) => `${fence}json\n${xlam.write(calls)}\n${fence}`,
};
