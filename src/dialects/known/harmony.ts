import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonObject } from "../reading/json-call.ts";

const start = "<|start|>";
const channel = "<|channel|>";
const message = "<|message|>";
const json = `<|constrain|>json${message}`;
const ends = ["<|call|>", "<|end|>", "<|return|>"];

/**
 * `<|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>`; reasoning and text have
 * channels too.
 */
export const harmony: Dialect = {
  name: "harmony",
  models: "gpt-oss",
  openers: [start, channel],
  closers: ends,
  hidden: ends,
  atLineStart: true,
  *read(block) {
    yield* messageFrom(block, block.opener);
  },
  write: (calls) =>
    calls
      .map(({ name, arguments: text }) => `${channel}commentary to=functions.${name} ${json}${text}<|call|>`)
      .join(`${start}assistant`),
};

/** The prompt may end with `<|start|>assistant`, so that a message begins with the recipient. */
export const harmonyStart: Dialect = {
  ...harmony,
  openers: ["to=functions."],
  atStart: true,
  write: (calls) =>
    calls
      .map(({ name, arguments: text }) => ` to=functions.${name}${channel}commentary ${json}${text}<|call|>`)
      .join(`${start}assistant`),
};

/** Reads a header up to `<|message|>`, which says what the rest is. */
function* messageFrom(block: Block, opener: string): Reading {
  const { text, mark } = yield* block.until([message, ...ends]);
  if (mark !== message) block.fail("the header does not end");
  const header = readHeader(opener + text);
  if (header.role !== undefined && header.role !== "assistant") block.fail("it is the message of another");
  const tool = header.recipient && toolOf(block, header.recipient);
  if (tool) yield* call(block, tool);
  // A message to a tool that the model was trained with is not shown.
  else if (header.recipient || header.channel === "analysis") block.reasoning([...ends, start, channel]);
  else if (header.channel === "final" || header.channel === "commentary" || header.role) block.hide();
  else block.fail("there is no such channel");
}

interface Header {
  role?: string;
  channel?: string;
  recipient?: string;
}

/** Role, channel and recipient, in any order; the last channel counts. */
function readHeader(text: string): Header {
  const header: Header = {};
  let next: "role" | "channel" | undefined;
  for (const word of text.split(/(<\|[a-z]+\|>)|\s+/)) {
    if (!word) continue;
    if (word === start) next = "role";
    else if (word === channel) next = "channel";
    else if (word.startsWith("to=")) {
      if (word !== "to=assistant") header.recipient = word.slice("to=".length);
    } else if (next) {
      header[next] = word;
      next = undefined;
    }
  }
  return header;
}

/** The name of the tool, if the recipient is one. */
function toolOf(block: Block, recipient: string): string | undefined {
  const prefix = "functions.";
  if (recipient.startsWith(prefix)) return recipient.slice(prefix.length);
  return block.tools.find(recipient)?.name;
}

function* call(block: Block, name: string): Reading {
  block.begin(name);
  yield* block.space();
  if (yield* block.sees(...ends)) block.arguments("{}");
  else yield* jsonObject(block);
  block.end();
  yield* block.space();
  // The token that ends a call also ends the message, and is seldom part of its text.
  if ((yield* block.peek()) === -1) block.accept();
  else yield* closeBlock(block);
}
