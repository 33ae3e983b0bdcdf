import { describe, expect, it } from "vitest";
import type { Item } from "../../../src/turn/index.ts";
import { ask, getTime, getWeather, user } from "./turns.ts";

const tools = [getWeather, getTime];
const call = (callId: string, name: string): Item => ({
  type: "call",
  kind: "function",
  callId,
  name,
  arguments: "{}",
});
const output = (callId: string, said: string): Item => ({ type: "output", kind: "function", callId, output: said });

describe("tool outputs", () => {
  it("are answered in a sentence that holds them and names the tool", async () => {
    const input = [user("weather in Paris"), call("c1", "get_weather"), output("c1", "18 °C and sunny")];
    const { calls, text, finish } = await ask(input, { tools });
    expect(calls).toEqual([]);
    expect(text).toBe("get_weather answered: 18 °C and sunny.");
    expect(finish).toBe("stop");
  });

  it("are all answered", async () => {
    const input = [
      user("weather in Paris and the time in Tokyo"),
      call("c1", "get_weather"),
      call("c2", "get_time"),
      output("c1", '{"temperature":18}'),
      output("c2", "12:30"),
    ];
    const { text } = await ask(input, { tools });
    expect(text).toContain('get_weather answered: {"temperature":18}');
    expect(text).toContain("get_time answered: 12:30");
  });

  it("that are long are cut, and pictures are counted", async () => {
    const long = await ask([user("weather"), call("c1", "get_weather"), output("c1", "é".repeat(5_000))], { tools });
    expect(long.text).toContain(`${"é".repeat(600)}…`);
    expect(long.text.length).toBeLessThan(700);
    const image: Item = {
      type: "output",
      kind: "function",
      callId: "c1",
      output: [
        { type: "text", text: "two maps" },
        { type: "image", url: "data:image/png;base64,AAAA" },
        { type: "image", url: "data:image/png;base64,BBBB" },
      ],
    };
    const { text } = await ask([user("weather"), call("c1", "get_weather"), image], { tools });
    expect(text).toBe("get_weather answered: two maps and 2 images.");
  });

  it("of an earlier question do not answer the next", async () => {
    const input = [user("weather in Paris"), call("c1", "get_weather"), output("c1", "sunny"), user("time in Tokyo?")];
    expect((await ask(input, { tools })).calls.map(({ name }) => name)).toEqual(["get_time"]);
  });

  it("are followed by another call where tool_choice demands one", async () => {
    const input = [user("weather in Paris"), call("c1", "get_weather"), output("c1", "sunny")];
    expect((await ask(input, { tools, choice: { mode: "required" } })).calls).toHaveLength(1);
  });
});

describe("words", () => {
  it("without tools tell how to try one", async () => {
    const { text } = await ask("What is the capital of France?");
    expect(text).toContain("I am Toolwire's demo model");
    expect(text).toContain("get_weather");
  });

  it("are JSON where the turn asks for it", async () => {
    const object = await ask("hi", { format: { type: "json_object" } });
    expect(JSON.parse(object.text)).toEqual({ answer: expect.stringContaining("demo model") });
    const schema = {
      type: "object",
      properties: { city: { type: "string" }, temperature: { type: "number" }, sky: { enum: ["sunny", "grey"] } },
      required: ["city", "temperature", "sky"],
    };
    const format = { type: "json_schema", name: "weather", schema, strict: true } as const;
    const asked = await ask("It is 21 degrees and grey in Oslo", { format });
    expect(JSON.parse(asked.text)).toEqual({ city: "Oslo", temperature: 21, sky: "grey" });
    const told = await ask(
      [
        user("weather in Rome"),
        call("c1", "get_weather"),
        output("c1", '{"city":"Rome","temperature":30,"sky":"sunny"}'),
      ],
      { tools, format },
    );
    expect(JSON.parse(told.text)).toEqual({ city: "Rome", temperature: 30, sky: "sunny" });
  });
});

describe("reasoning", () => {
  it("tells which tool and why, when the turn asks for effort", async () => {
    const { events, reasoning } = await ask("weather in Paris", { tools, settings: { effort: "low" } });
    expect(reasoning).toBe('The question says "weather", which speaks for get_weather.');
    expect(events[0]).toEqual({ type: "reasoning.delta", text: reasoning, part: 0 });
  });

  it("is not given otherwise", async () => {
    for (const effort of [undefined, "none", "minimal"]) {
      const settings = effort === undefined ? {} : { effort };
      expect((await ask("weather in Paris", { tools, settings })).reasoning).toBe("");
    }
  });
});
