import fc from "fast-check";
import type { Item, JsonObject, Part } from "../../src/turn/index.ts";
import { anyArguments, anyText } from "../support/arbitraries.ts";

/** JSON as it is after a parse: it has no `-0`. */
const anyFields = () =>
  fc
    .dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    .map((fields): JsonObject => JSON.parse(JSON.stringify(fields)));

const text = fc.oneof(
  { weight: 6, arbitrary: anyText() },
  { weight: 1, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }).map((odd) => `${odd}\ud800`) },
  { weight: 1, arbitrary: fc.constant('{"digest":"0000"}') },
);
const large = fc.integer({ min: 1000, max: 3000 }).map((length) => `data:image/png;base64,${"A".repeat(length)}`);
const id = fc.oneof(fc.stringMatching(/^(msg|fc|rs)_[0-9]{3}$/), anyText());
const extensions = fc.record({ format: fc.constantFrom("chat", "responses"), fields: anyFields() });

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record(
    { type: fc.constant("text" as const), text, annotations: fc.array(anyFields(), { maxLength: 2 }), extensions },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record({ type: fc.constant("refusal" as const), refusal: text }),
  fc.record(
    { type: fc.constant("image" as const), url: fc.oneof(text, large), fileId: id, detail: text, extensions },
    { requiredKeys: ["type"] },
  ),
  fc.record(
    { type: fc.constant("file" as const), data: fc.oneof(text, large), url: text, fileId: id, name: text },
    { requiredKeys: ["type"] },
  ),
  fc.record({ type: fc.constant("opaque" as const), format: fc.constant("responses"), fields: anyFields() }),
);

const plain = text.map((words): Part[] => [{ type: "text", text: words }]);
const content = fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: fc.array(part, { maxLength: 4 }) });
const kind = fc.constantFrom("function" as const, "function" as const, "custom" as const, "search" as const);

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record(
    {
      type: fc.constant("message" as const),
      role: fc.constantFrom("system" as const, "developer" as const, "user" as const, "assistant" as const),
      content,
      id,
      isIncomplete: fc.boolean(),
      isCommentary: fc.boolean(),
      continues: fc.boolean(),
      extensions,
    },
    { requiredKeys: ["type", "role", "content"] },
  ),
  fc.record(
    {
      type: fc.constant("call" as const),
      kind,
      owner: fc.constantFrom("client" as const, "gateway" as const),
      callId: id,
      name: text,
      namespace: text,
      arguments: fc.oneof(anyArguments(), text),
      id,
      extensions,
    },
    { requiredKeys: ["type", "kind", "callId", "name", "arguments"] },
  ),
  fc.record(
    {
      type: fc.constant("output" as const),
      kind,
      callId: id,
      output: fc.oneof(text, fc.array(part, { maxLength: 3 })),
      tools: fc.array(anyFields(), { maxLength: 2 }),
      id,
      extensions,
    },
    { requiredKeys: ["type", "kind", "callId", "output"] },
  ),
  fc.record(
    {
      type: fc.constant("reasoning" as const),
      summary: fc.array(text, { maxLength: 2 }),
      id,
      encrypted: text,
      extensions,
    },
    { requiredKeys: ["type", "summary"] },
  ),
  fc.record(
    {
      type: fc.constant("opaque" as const),
      format: fc.constant("responses"),
      fields: anyFields(),
      isToolCall: fc.boolean(),
      extensions,
    },
    { requiredKeys: ["type", "format", "fields"] },
  ),
);

/** Items of all kinds in any order, with everything that they can have. */
export function anyItems(): fc.Arbitrary<Item[]> {
  return fc.array(item, { maxLength: 8 });
}
