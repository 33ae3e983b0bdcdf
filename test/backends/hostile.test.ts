import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { readStream, repairsOf, wholeCalls } from "./reading.ts";

/** A reader looks at each byte once: were it to look again at all that came before, these would take minutes. */
const crumbs = 100_000;
const long = `{"text":"${"x".repeat(crumbs)}"}`;

const chunk = (fields: JsonObject, finish: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const entry = (fields: JsonObject) => chunk({ tool_calls: [fields] });

describe("a chat provider that", () => {
  it("sends long arguments a character at a time, with the name in every delta", () => {
    const pieces = Array.from(long, (character) =>
      entry({ index: 0, id: "c1", function: { name: "get_weather", arguments: character } }),
    );
    const { events } = readStream("chat", [...pieces, chunk({}, "tool_calls")]);
    expect(wholeCalls(events)).toEqual([{ name: "get_weather", callId: "c1", arguments: long }]);
    expect(repairsOf(events)).toEqual(["repeated_name"]);
  });

  it("sends a name that does not end", () => {
    const pieces = Array.from({ length: crumbs }, () => entry({ index: 0, id: "c1", function: { name: "n" } }));
    const { events } = readStream("chat", [...pieces, chunk({}, "tool_calls")]);
    expect(wholeCalls(events)).toHaveLength(1);
  });

  it("mixes text with a thousand calls that have no arguments", () => {
    const calls = Array.from({ length: 1_000 }, (_, index) =>
      entry({ index, id: `c${index}`, function: { name: "refresh" } }),
    );
    const words = Array.from({ length: 100_000 }, (_, at) =>
      at % 2 === 0 ? chunk({ content: "x" }) : entry({ index: at % 1_000, function: { arguments: " " } }),
    );
    const { events } = readStream("chat", [...calls, ...words, chunk({}, "tool_calls")]);
    expect(wholeCalls(events)).toHaveLength(1_000);
  });

  it("sends an object a key at a time", () => {
    const pieces = Array.from({ length: 50_000 }, (_, at) =>
      entry({ index: 0, id: "c1", function: { name: at === 0 ? "refresh" : null, arguments: { [`key${at}`]: at } } }),
    );
    const [call] = wholeCalls(readStream("chat", [...pieces, chunk({}, "tool_calls")]).events);
    expect(Object.keys(JSON.parse(call?.arguments ?? "{}"))).toHaveLength(50_000);
  });

  it("sends text after an object with many keys", () => {
    const object = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key${at}`, at]));
    const first = entry({ index: 0, id: "c1", function: { name: "refresh", arguments: object } });
    const pieces = Array.from({ length: 5_000 }, () => entry({ index: 0, function: { arguments: "x" } }));
    expect(wholeCalls(readStream("chat", [first, ...pieces, chunk({}, "tool_calls")]).events)).toHaveLength(1);
  });

  it("sends more calls than a client can take", () => {
    const calls = Array.from({ length: 100_000 }, () => ({ function: { name: "refresh", arguments: "{}" } }));
    expect(readStream("chat", [chunk({ tool_calls: calls })]).error?.code).toBe("upstream_invalid");
  });
});

describe("a Responses provider that", () => {
  const done = (more: JsonObject) => ({ type: "response.output_item.done", ...more });

  it("sends long arguments a character at a time, without index and id", () => {
    const open = Array.from({ length: 4_000 }, (_, at) => ({
      type: "response.output_item.added",
      output_index: at + 1,
      item: { type: "message", id: `msg_${at}` },
    }));
    const item = { type: "function_call", call_id: "c1", name: "get_weather" };
    const pieces = Array.from(long, (delta) => ({ type: "response.function_call_arguments.delta", delta }));
    const { events } = readStream("responses", [
      { type: "response.output_item.added", output_index: 0, item },
      ...open,
      ...pieces,
      done({ item: { ...item, arguments: long } }),
      { type: "response.completed" },
    ]);
    expect(wholeCalls(events)).toEqual([{ name: "get_weather", callId: "c1", arguments: long }]);
  });

  it("has thousands of calls with the same ids, and lists them again", () => {
    const items = Array.from({ length: 2_000 }, (_, at) => ({
      type: "function_call",
      id: "fc_1",
      call_id: "c1",
      name: "refresh",
      arguments: `{"n":${at}}`,
    }));
    const { events } = readStream("responses", [
      ...items.map((item, output_index) => done({ item, output_index })),
      { type: "response.completed", response: { output: items } },
    ]);
    expect(wholeCalls(events)).toHaveLength(2_000);
  });

  it("lists many more items than it has streamed", () => {
    const streamed = Array.from({ length: 4_000 }, (_, at) => ({
      type: "response.output_item.added",
      output_index: at,
      item: { type: "function_call", id: `fc_${at}`, call_id: `c${at}`, name: "refresh" },
    }));
    const output = Array.from({ length: 200_000 }, () => ({ type: "message" }));
    const { error } = readStream("responses", [...streamed, { type: "response.completed", response: { output } }]);
    expect(error?.code).toBe("upstream_invalid");
  });

  it("streams and lists thousands of calls with one item id and different call ids", () => {
    const call = (id: string) => ({ type: "function_call", id: "fc_1", call_id: id, name: "refresh", arguments: "{}" });
    const streamed = Array.from({ length: 2_000 }, (_, at) => done({ item: call(`a${at}`) }));
    const output = Array.from({ length: 2_000 }, (_, at) => call(`b${at}`));
    const { events } = readStream("responses", [...streamed, { type: "response.completed", response: { output } }]);
    expect(wholeCalls(events)).toHaveLength(4_000);
  });

  it("says again and again that a call is done whose arguments are cut", () => {
    const item = { type: "function_call", id: "fc_1", call_id: "c1", name: "refresh" };
    const { events } = readStream("responses", [
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.function_call_arguments.delta", output_index: 0, delta: `{"text":"${"x".repeat(1_000_000)}` },
      ...Array.from({ length: 3_000 }, () => done({ output_index: 0, item })),
      { type: "response.function_call_arguments.delta", output_index: 0, delta: `"}` },
      { type: "response.completed" },
    ]);
    expect(wholeCalls(events)).toHaveLength(1);
  });

  it("sends events without index and id when its items are done", () => {
    const item = { type: "message", content: [] };
    const messages = Array.from({ length: 4_000 }, (_, at) => done({ output_index: at, item }));
    const late = Array.from({ length: 50_000 }, (_, at) => ({
      type: "response.output_text.delta",
      output_index: at % 4_000,
      delta: "late",
    }));
    const { events } = readStream("responses", [...messages, ...late, { type: "response.completed" }]);
    expect(events.filter(({ type }) => type === "text.delta")).toEqual([]);
  });

  it("sends more items than a client can take", () => {
    const output = Array.from({ length: 100_000 }, () => ({ type: "function_call", name: "refresh", arguments: "{}" }));
    const { error } = readStream("responses", [{ type: "response.completed", response: { output } }]);
    expect(error?.code).toBe("upstream_invalid");
  });
});
