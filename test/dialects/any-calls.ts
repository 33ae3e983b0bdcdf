import fc from "fast-check";
import type { Dialect, ReadingOptions, WrittenCall } from "../../src/dialects/index.ts";
import { anyText } from "../support/arbitraries.ts";

export type AnyCall = WrittenCall;

/** What a dialect can write down. */
export interface Traits {
  /** Its values stand between tags as they are, so they cannot hold tags themselves. */
  isRaw?: boolean;
  /** White space around a value is not kept. */
  trims?: boolean;
  /** There can be nothing else in the message. */
  standsAlone?: boolean;
  /** Nothing ends a call, so nothing can follow it. */
  hasNoEnd?: boolean;
  /** One call a message. */
  isSingle?: boolean;
}

const raw = { isRaw: true };

const traits: Record<string, Traits> = {
  "qwen3-function-xml": raw,
  "seed-oss-xml": raw,
  "glm-argkv": raw,
  "deepseek-dsml": raw,
  antml: raw,
  "minimax-m2-invoke": raw,
  "minimax-m3": raw,
  "step3-steptml": raw,
  "minicpm5-xml": raw,
  "kimi-k3-xtml": raw,
  "morph-xml": { isRaw: true, trims: true },
  "yaml-xml": raw,
  "use_tool-xml": {},
  "code-fence": raw,
  gemma4: raw,
  functiongemma: raw,
  fenced: { standsAlone: true },
  functionary: { standsAlone: true },
};

export function traitsOf(name: string): Traits {
  return traits[name] ?? {};
}

const parameters = {
  type: "object",
  properties: {
    words: { type: "string" },
    path: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    flag: { type: "boolean" },
    list: { type: "array", items: {} },
    thing: { type: "object" },
    nothing: { type: "null" },
  },
};

/** Everything is read by `auto`, but what has no marker must be named. */
export function options(dialect: Dialect): ReadingOptions {
  const tools = ["find", "get_weather", "search-notes"].map((name) => ({ name, parameters }));
  return { tools, dialects: dialect.bare && !dialect.internal ? [dialect.name] : "auto" };
}

export function anyCalls(traits: Traits): fc.Arbitrary<AnyCall[]> {
  const call = fc.record({
    name: fc.constantFrom("find", "get_weather", "search-notes"),
    arguments: anyArguments(traits),
  });
  return fc.array(call, { minLength: 1, maxLength: traits.isSingle ? 1 : 3 });
}

function anyArguments({ isRaw = false, trims = false }: Traits): fc.Arbitrary<string> {
  const marks = fc.constantFrom("</tool_call>", "<think>", "```", "}]}", '"}', "</parameter>", "{", "[x]", "'", "`");
  const words = isRaw
    ? anyText()
    : fc.oneof(
        anyText(),
        marks,
        fc.tuple(anyText(), marks).map((pair) => pair.join("")),
      );
  const string = words.map((text) => {
    const plain = isRaw ? text.replaceAll(/[<>\]\r]|[\ud800-\udfff]/g, "") : text;
    return trims ? plain.trim() : plain;
  });
  // A key that would change every object, and numbers that JSON writes in another way, are another matter.
  const inner = fc
    .jsonValue({ maxDepth: 2, stringUnit: "grapheme" })
    .map((value) => JSON.parse(JSON.stringify(value).replaceAll(/"(?:__proto__|constructor|prototype)"/g, '"proto"')));
  const innerValue = isRaw ? inner.map((value) => JSON.parse(JSON.stringify(value).replaceAll(/[<>]/g, ""))) : inner;
  return fc
    .record(
      {
        words: string,
        path: string,
        count: fc.integer(),
        ratio: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
        flag: fc.boolean(),
        list: fc.array(innerValue, { maxLength: 3 }),
        thing: fc.dictionary(fc.constantFrom("a", "b c", "d-e"), innerValue),
        nothing: fc.constant(null),
      },
      { requiredKeys: [] },
    )
    .map((object) => JSON.stringify(object));
}
