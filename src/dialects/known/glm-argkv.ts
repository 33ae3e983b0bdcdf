import { isObject, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { ArgumentsObject } from "../reading/arguments-object.ts";
import { rawOf } from "../reading/invoke.ts";
import { jsonObject } from "../reading/json-call.ts";
import { rawText } from "../reading/raw-text.ts";

/** The tags; HunYuan adds the same suffix to each of them. */
function tagsWith(suffix: string) {
  return {
    endOfList: `</tool_calls${suffix}>`,
    call: `<tool_call${suffix}>`,
    endOfCall: `</tool_call${suffix}>`,
    separator: `<tool_sep${suffix}>`,
    key: `<arg_key${suffix}>`,
    endOfKey: `</arg_key${suffix}>`,
    value: `<arg_value${suffix}>`,
    endOfValue: `</arg_value${suffix}>`,
  };
}

type Tags = ReturnType<typeof tagsWith>;

const plain = tagsWith("");
/** A newline that was escaped together with the whole text. */
const escapedNewline = "\\n";

/** `<tool_call>NAME\n<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n</tool_call>`; HunYuan 3 puts calls in `<tool_calls>`. */
export const glmArgkv: Dialect = {
  name: "glm-argkv",
  models: "GLM 4.5 to 5, Ling 3, Poolside Laguna, AutoGLM, HunYuan 3",
  openers: [plain.call, "<tool_call:", "<tool_calls>", "<tool_calls:"],
  closers: [plain.endOfCall, "</tool_call:opensource>"],
  reasoning: [
    { open: "<think>", close: ["</think>"] },
    { open: "<think:opensource>", close: ["</think:opensource>"] },
  ],
  *read(block) {
    const { opener } = block;
    const tags = opener.endsWith(":") ? tagsWith(`:${(yield* block.until([">"], 32)).text}`) : plain;
    if (opener.startsWith("<tool_calls")) yield* listOfCalls(block, tags);
    else yield* call(block, tags);
    block.accept();
  },
  write: (calls) =>
    calls
      .map(({ name, arguments: text }) => {
        const given = parseJson(text);
        const pairs = Object.entries(isObject(given) ? given : {}).map(
          ([key, value]) => `${plain.key}${key}${plain.endOfKey}\n${plain.value}${rawOf(value)}${plain.endOfValue}\n`,
        );
        return `${plain.call}${name}\n${pairs.join("")}${plain.endOfCall}`;
      })
      .join("\n"),
};

function* listOfCalls(block: Block, tags: Tags): Reading {
  yield* block.space();
  yield* block.expect(tags.call);
  for (;;) {
    yield* call(block, tags);
    yield* block.space();
    if (!(yield* block.sees(tags.call))) break;
    block.accept();
    yield* block.expect(tags.call);
  }
  if (!(yield* block.maybe(tags.endOfList))) block.repaired("missing_close");
}

/** Reads from after `<tool_call>` to after `</tool_call>`. */
function* call(block: Block, tags: Tags): Reading {
  yield* block.space();
  const name = yield* block.run(/[^\s<>{}\\]/);
  yield* gap(block);
  yield* block.maybe(tags.separator);
  yield* gap(block);
  // Other text may begin with a word, too.
  if (name === "" || !(yield* block.sees(tags.key, tags.endOfCall, "{"))) block.fail("there is no call");
  block.begin(name);
  if (yield* block.sees("{")) {
    yield* jsonObject(block);
    yield* gap(block);
    if (!(yield* block.maybe(tags.endOfCall))) yield* missingEnd(block, tags);
  } else yield* pairs(block, tags);
  block.end();
}

function* pairs(block: Block, tags: Tags): Reading {
  const object = new ArgumentsObject(block);
  while (!(yield* block.maybe(tags.endOfCall))) {
    if (!(yield* block.maybe(tags.key))) {
      yield* missingEnd(block, tags);
      break;
    }
    const key = (yield* block.until([tags.endOfKey])).text.trim();
    if (object.has(key)) block.fail("a parameter is given twice");
    yield* gap(block);
    if (yield* block.maybe(tags.value)) yield* value(block, object, key, tags);
    else if (block.mends && (yield* block.sees(tags.key, tags.endOfCall))) block.repaired("stray_text");
    else block.fail("a value is missing");
    yield* gap(block);
  }
  object.end();
}

function* value(block: Block, object: ArgumentsObject, key: string, tags: Tags): Reading {
  const parameter = object.parameter(key, "nothing");
  const nextCalls = [...block.tools.names()].map((name) => `${tags.call}${name.slice(0, 32)}`);
  const after = [tags.key, tags.endOfCall, tags.endOfList, ...nextCalls];
  const end = yield* rawText(
    block,
    [
      { mark: tags.endOfValue, follows: [...after, ...after.map((mark) => escapedNewline + mark)] },
      { mark: tags.endOfCall, follows: [tags.endOfList, ...nextCalls], stays: true },
    ],
    (text) => parameter.add(text),
  );
  if (end.stays) block.repaired("missing_close");
  parameter.end();
}

/** The closer may be missing or cut off at the end of the message, and missing before the next call. */
function* missingEnd(block: Block, tags: Tags): Reading {
  if (yield* block.closer()) return;
  const isOver = (yield* block.peek()) === -1 || (yield* block.sees(tags.call, tags.endOfList));
  if (!isOver) block.fail("the call does not end");
  block.repaired("missing_close");
}

/** Skips what may be between two tags. */
function* gap(block: Block): Reading {
  yield* block.space();
  while (yield* block.maybe(escapedNewline)) yield* block.space();
}
