import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { chatCodec } from "../../src/wire/chat/index.ts";
import { responsesCodec } from "../../src/wire/responses/index.ts";

const limits = { toolOutput: 1000 };
const chat = (more: JsonObject) =>
  chatCodec.decode({ model: "m", messages: [{ role: "user", content: "Hello" }], ...more }, limits);
const responses = (more: JsonObject) => responsesCodec.decode({ model: "m", input: "Hello", ...more }, limits);

describe("whether an answer is stored", () => {
  it("is for a response unless it says no", () => {
    expect([{}, { store: null }, { store: true }, { store: false }].map((more) => responses(more).keeps)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it("depends on its conversation for a completion that does not say so", () => {
    expect([{}, { store: null }, { store: true }, { store: false }].map((more) => chat(more).keeps)).toEqual([
      undefined,
      undefined,
      true,
      false,
    ]);
  });

  it("must be true or false", () => {
    for (const decode of [chat, responses])
      expect(() => decode({ store: "yes" })).toThrow(
        expect.objectContaining({ status: 400, body: expect.objectContaining({ param: "store" }) }),
      );
  });

  it("goes on to a provider of the same API as the client said it", () => {
    for (const decode of [chat, responses]) {
      expect(decode({ store: true }).turn.parameters.store).toBe(true);
      expect(decode({}).turn.parameters).not.toHaveProperty("store");
    }
  });
});

describe("metadata that is to be stored", () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`key${at}`, "x"]));
  it.each<[string, JsonObject, string, string]>([
    ["more than 16 pairs", many, "metadata", "object_above_max_properties"],
    ["a key of more than 64 characters", { ["k".repeat(65)]: "x" }, "metadata", "string_above_max_length"],
    ["a value of more than 512 characters", { topic: "x".repeat(513) }, "metadata.topic", "string_above_max_length"],
    ["a value that is no text", { topic: 7 }, "metadata.topic", "invalid_request"],
  ])("cannot have %s", (_what, metadata, param, code) => {
    const refusal = expect.objectContaining({ status: 400, code, body: expect.objectContaining({ param }) });
    for (const decode of [chat, responses]) {
      expect(() => decode({ store: true, metadata })).toThrow(refusal);
      // Where nothing is stored, it is a provider's to judge.
      expect(decode({ store: false, metadata }).turn.settings.metadata).toEqual(metadata);
    }
    expect(() => responses({ metadata })).toThrow(refusal);
    expect(chat({ metadata }).turn.settings.metadata).toEqual(metadata);
  });

  it("can have as much as OpenAI takes", () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 16 }, (_, at) => [`${at}`.padStart(64, "k"), "x".repeat(512)]),
    );
    for (const decode of [chat, responses]) expect(decode({ store: true, metadata }).keeps).toBe(true);
    for (const decode of [chat, responses]) expect(decode({ store: true, metadata: null }).keeps).toBe(true);
  });
});

describe("what a request refers to", () => {
  it("is listed by the ids of the items, in their order", () => {
    const input = [
      { type: "item_reference", id: "msg_2" },
      { role: "user", content: "And?" },
      { id: "fc_1" },
      { type: "function_call_output", call_id: "call_1", output: "x" },
    ];
    const { references, continues } = responses({ input });
    expect(references).toEqual(["msg_2", "fc_1"]);
    expect(continues).toBeUndefined();
    expect(responses({}).references).toEqual([]);
    expect(chat({}).references).toEqual([]);
  });

  it("must have an id", () => {
    expect(() => responses({ input: [{ type: "item_reference" }] })).toThrow(
      expect.objectContaining({ status: 400, body: expect.objectContaining({ param: "input[0].id" }) }),
    );
  });

  it.each([
    ["previous_response_id", "resp_1"],
    ["conversation", "conv_1"],
    ["prompt", { id: "pmpt_1" }],
  ])("may be %s, and then there may be no input", (param, value) => {
    const { continues, turn } = responses({ [param]: value, input: undefined });
    expect(continues).toEqual({ param, responseId: param === "previous_response_id" ? value : undefined });
    expect(turn.input).toEqual([]);
  });
});

describe("a client of the legacy form", () => {
  it("is known as one", () => {
    expect(chat({ functions: [{ name: "f" }] }).legacy).toBe(true);
    expect(chat({ tools: [{ type: "function", function: { name: "f" } }] }).legacy).toBe(false);
  });
});
