import { isObject, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { declares, type KnownTool, resolve } from "../core/tools.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { jsonArguments, jsonValue } from "../reading/json-call.ts";
import { section } from "../reading/section.ts";

const marks = {
  open: ["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"],
  close: ["<|tool_calls_section_end|>", "<|tool_call_section_end|>"],
  begin: "<|tool_call_begin|>",
  end: "<|tool_call_end|>",
};
const beginOfArguments = "<|tool_call_argument_begin|>";
const namespace = "functions.";
const counter = /^\d+$/;

/**
 * `<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:INDEX<|tool_call_argument_begin|>{…}<|tool_call_end|>…
 * <|tool_calls_section_end|>`; the part before the arguments is the id of the call.
 */
export const kimiK2: Dialect = {
  name: "kimi-k2",
  models: "Kimi K2, K2 Thinking, K2.5",
  openers: [...marks.open, marks.begin],
  closers: [marks.end, ...marks.close],
  hidden: marks.close,
  *read(block) {
    yield* section(block, marks, callWithId);
  },
  write: (calls) => {
    const written = calls.map(
      ({ name, arguments: text }, index) =>
        `${marks.begin}${namespace}${name}:${index}${beginOfArguments}${text}${marks.end}`,
    );
    return `${marks.open[0]}${written.join("")}${marks.close[0]}`;
  },
};

function* callWithId(block: Block): Reading {
  yield* block.space();
  const id = yield* block.run(/[^\s<]/);
  yield* block.space();
  yield* block.expect(beginOfArguments);
  yield* block.space();
  if (counter.test(id) && !block.tools.get(id)) yield* namelessCall(block, id);
  else {
    block.begin(nameOf(id), id);
    yield* jsonArguments(block);
  }
  block.end();
}

function nameOf(id: string): string {
  const name = id.startsWith(namespace) ? id.slice(namespace.length) : id;
  const colon = name.lastIndexOf(":");
  return colon !== -1 && counter.test(name.slice(colon + 1)) ? name.slice(0, colon) : name;
}

/** The id is only a counter: the call is of the one tool that takes such arguments. */
function* namelessCall(block: Block, index: string): Reading {
  block.begin();
  if (!(yield* block.sees("{"))) block.fail("the arguments are no object");
  let text = "";
  yield* jsonValue(block, (delta) => {
    text += delta;
    block.arguments(delta);
  });
  const given = parseJson(text);
  const keys = new Set(Object.keys(isObject(given) ? given : {}));
  const [tool, ...others] = toolsThatTake(block, keys);
  // Arguments of a strict tool are never repaired, and these may have been.
  if (!tool || others.length > 0 || tool.strict) block.fail("no tool is named");
  block.name(tool.name);
  block.id(`${namespace}${tool.name}:${index}`);
  block.repaired("misspelled_marker");
}

function toolsThatTake(block: Block, keys: ReadonlySet<string>): KnownTool[] {
  const tools = [...block.tools.names()].flatMap((name) => block.tools.get(name) ?? []);
  return tools.filter((tool) => {
    const { required } = resolve(tool.parameters, tool.parameters) ?? {};
    const needed = Array.isArray(required) ? required : [];
    const isComplete = needed.every((name) => typeof name === "string" && keys.has(name));
    return isComplete && [...keys].every((key) => declares(tool, key));
  });
}
