import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { anyRendering, anyTurn, payloadsOf } from "../support/arbitraries.ts";
import { faultsOf, readStream, repairsOf, wholeCalls } from "./reading.ts";

const apis = ["chat", "responses"] as const;

describe.each(apis)("a %s provider that keeps to its API", (api) => {
  it("needs no repair, however it cuts and mixes its calls", () => {
    fc.assert(
      fc.property(anyTurn({ custom: true }), anyRendering(), (scripted, rendering) => {
        const { events, error } = readStream(api, payloadsOf(api, scripted, { model: "odd" }, rendering));
        expect(error).toBeUndefined();
        expect(repairsOf(events)).toEqual([]);
        expect(faultsOf(events)).toEqual([]);
      }),
    );
  });
});

/** Few values of each kind, so that they meet. */
const id = fc.constantFrom("c1", "c2", "c3", "", null, 7, undefined);
const index = fc.constantFrom(0, 0, 1, 2, -1, 0.5, "0", "one", null, undefined);
const name = fc.constantFrom("get_weather", "get_", "weather", "refresh", "other", "", null, undefined);
const text = fc.constantFrom('{"city":', '"Rome"}', "{}", "{", "}", "", " ", '{"a":1}', "null", "]");
const given = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom({}, { a: 1 }, [], [1], null, 5, true, undefined) },
);

function anyChatPayload(): fc.Arbitrary<JsonObject> {
  const inside = fc.record({ name, arguments: given });
  const entry = fc.oneof(
    { weight: 5, arbitrary: fc.record({ index, id, function: inside }) },
    {
      weight: 1,
      arbitrary: fc.record({ index, id, type: fc.constant("custom"), custom: fc.record({ name, input: text }) }),
    },
    { weight: 1, arbitrary: fc.constantFrom({}, null, 1) },
  );
  const message = fc.record(
    { content: fc.constantFrom("Hi", "", null), tool_calls: fc.array(entry, { maxLength: 3 }), function_call: inside },
    { requiredKeys: [] },
  );
  const reason = fc.constantFrom(null, null, null, null, "", "stop", "tool_calls", "length");
  return fc
    .record(
      { index: fc.constantFrom(0, 0, 0, 1, undefined), delta: message, message, finish_reason: reason },
      { requiredKeys: ["delta"] },
    )
    .map((choice) => ({ choices: [choice] }) as JsonObject);
}

function anyResponsesPayload(): fc.Arbitrary<JsonObject> {
  const place = fc.constantFrom(0, 0, 1, 2, "0", undefined);
  const item = fc.record(
    {
      type: fc.constantFrom(
        "function_call",
        "function_call",
        "custom_tool_call",
        "message",
        "reasoning",
        "x_call",
        undefined,
      ),
      id: fc.constantFrom("fc_1", "fc_2", "", undefined),
      call_id: id,
      name,
      arguments: given,
      input: text,
      content: fc.constantFrom([{ type: "output_text", text: "Hi" }], [], null),
      status: fc.constantFrom("completed", "completed", "incomplete", "in_progress", undefined),
    },
    { requiredKeys: ["type"] },
  );
  const about = { output_index: place, item_id: fc.constantFrom("fc_1", "fc_2", "", undefined) };
  return fc.oneof(
    fc.record({ type: fc.constantFrom("response.output_item.added", "response.output_item.done"), ...about, item }),
    fc.record({ type: fc.constant("response.function_call_arguments.delta"), ...about, delta: given }),
    fc.record({ type: fc.constant("response.function_call_arguments.done"), ...about, name, arguments: given }),
    fc.record({ type: fc.constant("response.output_text.delta"), ...about, delta: text }),
    fc.record({
      type: fc.constantFrom("response.completed", "response.incomplete"),
      response: fc.record({ output: fc.array(item, { maxLength: 3 }) }, { requiredKeys: [] }),
    }),
  ) as fc.Arbitrary<JsonObject>;
}

const payloads: Record<Api, fc.Arbitrary<JsonObject>> = { chat: anyChatPayload(), responses: anyResponsesPayload() };

describe.each(apis)("a %s provider that sends anything", (api) => {
  it("gives events in their order, whole calls only, and an end or an error", () => {
    fc.assert(
      fc.property(fc.array(payloads[api], { maxLength: 14 }), (list) => {
        const { events, error } = readStream(api, list);
        expect(faultsOf(events)).toEqual([]);
        if (!error) expect(events.at(-1)?.type).toBe("round.finished");
        for (const call of wholeCalls(events)) expect(call.name).not.toBe("");
      }),
      { numRuns: 3_000 },
    );
  });
});
