import type { Block } from "../core/block.ts";
import type { KnownTools } from "../core/tools.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { type InvokeFormat, invokeList, invokeTags, loneInvoke, writeInvoke } from "../reading/invoke.ts";
import { jsonCall } from "../reading/json-call.ts";

const prefixed = "antml:";
const plain = "function_calls";
const dots = "dots_function_call";
const glimmer = "atem:function_calls";
const header = "<|start|>assistant to=";
const endOfHeader = "<|message|>";
const ends = ["<|eom|>", "<|eot|>"];

const lists = [plain, `${prefixed}function_calls`, dots, glimmer];
const closers = lists.map((list) => `</${list}>`);
const formats = new Map(lists.map((list) => [`<${list}>`, formatIn([`</${list}>`])]));
/** A call outside a list may be the rest of one. */
const lone = formatIn([...closers, "</minimax:tool_call>"]);

function formatIn(closedBy: readonly string[]): InvokeFormat {
  const tags = ["", prefixed, "atem:"].map((prefix) => invokeTags(prefix, closedBy));
  return { tags, closers: closedBy, leak: endOfHeader, toolName };
}

/**
 * `<function_calls><invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke></function_calls>`; Muse Glimmer writes
 * it in a message to the tool: `<|start|>assistant to=NAME<|message|><atem:function_calls>…`.
 */
export const antml: Dialect = {
  name: "antml",
  models: "Claude and models that write like it, DeepSeek V4 behind some services, dots, Muse Glimmer",
  openers: [
    `<${plain}>`,
    `<${prefixed}function_calls>`,
    `<${dots}>`,
    "<invoke name=",
    `<${prefixed}invoke name=`,
    `${endOfHeader}<${glimmer}>`,
    header,
  ],
  closers: [...closers, ...lone.tags.map(({ close }) => close)],
  hidden: ends,
  *read(block) {
    const { opener } = block;
    if (opener === header) yield* message(block);
    else if (opener.endsWith("name=")) yield* loneInvoke(block, lone);
    else if (opener === `<${dots}>` && (yield* block.sees("{"))) {
      yield* jsonCall(block);
      yield* closeBlock(block);
    } else yield* invokeList(block, formats.get(opener.replace(endOfHeader, "")) ?? lone);
  },
  write: (calls) => {
    const tags = invokeTags("", []);
    return `<${plain}>\n${calls.map((call) => writeInvoke(call, tags)).join("\n")}\n</${plain}>`;
  },
};

/** The prompt ends with `<|start|>assistant`, so that the first message of Muse Glimmer begins with the recipient. */
export const antmlStart: Dialect = {
  ...antml,
  openers: ["to="],
  atStart: true,
  *read(block) {
    yield* message(block);
  },
};

/**
 * Reads a message of Muse Glimmer from its recipient on. A message to itself is reasoning; one to the user or to a tool may begin
 * with calls.
 */
function* message(block: Block): Reading {
  const recipient = yield* block.run(/[\w.:-]/);
  yield* block.expect(endOfHeader);
  if (recipient === "self") {
    block.reasoning([...ends, header]);
    return;
  }
  if (recipient === "user") block.hide();
  yield* block.space();
  if (yield* block.maybe(`<${glimmer}>`)) yield* invokeList(block, formats.get(`<${glimmer}>`) ?? lone);
  else if (recipient !== "user") block.fail("there is no call");
}

/** Muse Glimmer names a tool that is in no group by `NAME.NAME`. */
function toolName(name: string, tools: KnownTools): string {
  const half = name.slice(0, (name.length - 1) / 2);
  return !tools.find(name) && name === `${half}.${half}` ? half : name;
}
