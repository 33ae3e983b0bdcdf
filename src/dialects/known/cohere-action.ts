import type { Dialect } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonList } from "../reading/json-list.ts";

/**
 * `<|START_ACTION|>[{"tool_call_id": …, "tool_name": …, "parameters": {…}}]<|END_ACTION|>`; formerly `Action:` and a fence. The
 * ids only count the calls of one message, so they are not kept.
 */
export const cohereAction: Dialect = {
  name: "cohere-action",
  models: "Command R, R7B, A and 4",
  openers: ["<|START_ACTION|>", "Action: ```json", "Action:```json"],
  closers: ["<|END_ACTION|>", "```"],
  reasoning: [{ open: "<|START_THINKING|>", close: ["<|END_THINKING|>"] }],
  hidden: ["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>", "<|END_OF_TURN_TOKEN|>"],
  *read(block) {
    yield* jsonList(block);
    yield* closeBlock(block);
  },
  write: (calls) => {
    const written = calls.map(({ name, arguments: text }, index) => {
      return `    {"tool_call_id": "${index}", "tool_name": ${JSON.stringify(name)}, "parameters": ${text}}`;
    });
    return `<|START_ACTION|>[\n${written.join(",\n")}\n]<|END_ACTION|>`;
  },
};
