import { describe, expect, it } from "vitest";
import type { Tool, ToolChoice } from "../../../src/turn/index.ts";
import { add, ask, callsFor, getTime, getWeather, multiply, number, search, text, tool } from "./turns.ts";

const both: Tool[] = [getWeather, getTime];
const forced = (name: string): ToolChoice => ({ mode: "forced", tool: { kind: "function", name } });
const allowed = (name: string, required: boolean): ToolChoice => ({
  mode: "allowed",
  required,
  tools: [{ kind: "function", name }],
  others: [],
});

describe("the tool that a question asks for", () => {
  it.each([
    ["What is the weather in Paris? Use get_weather.", "get_weather", { location: "Paris" }],
    ["weather in paris", "get_weather", { location: "paris" }],
    ["weather in new york today please", "get_weather", { location: "new york" }],
    ["Is it warm in Rio de Janeiro?", "get_weather", { location: "Rio de Janeiro" }],
    ["How is the weather in Köln in fahrenheit?", "get_weather", { location: "Köln", unit: "fahrenheit" }],
    ["weather in 東京", "get_weather", { location: "東京" }],
    ["weather in San Francisco, CA", "get_weather", { location: "San Francisco, CA" }],
    ["What is the weather in Paris, France?", "get_weather", { location: "Paris, France" }],
    ['weather in "Trinidad and Tobago"', "get_weather", { location: "Trinidad and Tobago" }],
    ["I am in Oslo. What is the temperature?", "get_weather", { location: "Oslo" }],
    [
      'Call get_weather with {"location": "Berlin", "unit": "celsius"}',
      "get_weather",
      { location: "Berlin", unit: "celsius" },
    ],
    [
      "Call the get_weather tool with location Berlin and unit celsius",
      "get_weather",
      { location: "Berlin", unit: "celsius" },
    ],
    ["What time is it in Tokyo?", "get_time", { city: "Tokyo" }],
    ["What is the weather in Paris? Use get_time.", "get_time", { city: "Paris" }],
  ])("%s", async (question, name, expected) => {
    expect(await callsFor(question, { tools: both })).toEqual([[name, expected]]);
  });

  it("says nothing before a call", async () => {
    const { text: said, finish } = await ask("weather in Paris", { tools: both });
    expect([said, finish]).toEqual(["", "stop"]);
  });

  it("talks when no tool fits, and names the tools", async () => {
    const { calls, text: said } = await ask("Hello, how are you?", { tools: both });
    expect(calls).toEqual([]);
    expect(said).toContain("demo model");
    expect(said).toContain("get_weather, get_time");
  });

  it("leaves hosted tools alone", async () => {
    const hosted: Tool = { type: "hosted", format: "responses", definition: { type: "web_search" } };
    expect((await ask("search the web", { tools: [hosted], choice: { mode: "required" } })).calls).toEqual([]);
  });
});

describe("two things are two calls", () => {
  it.each([
    ["weather in Paris and Rome", ["Paris", "Rome"]],
    ["What is the weather in Paris, Rome and Berlin?", ["Paris", "Rome", "Berlin"]],
    ["weather in San Francisco, CA and Boston, MA", ["San Francisco, CA", "Boston, MA"]],
    ["What's the weather in Paris, and what about Rome?", ["Paris", "Rome"]],
    ["weather in Paris. And in Rome?", ["Paris", "Rome"]],
    ["weather in new york and los angeles", ["new york", "los angeles"]],
    ["weather in paris and rome", ["paris", "rome"]],
    ['weather in "Trinidad and Tobago" and "São Tomé and Príncipe"', ["Trinidad and Tobago", "São Tomé and Príncipe"]],
  ])("%s", async (question, places) => {
    const calls = await callsFor(question, { tools: both });
    expect(calls).toEqual(places.map((location) => ["get_weather", { location }]));
  });

  it("of two tools", async () => {
    expect(await callsFor("the weather in Paris and the time in Tokyo", { tools: both })).toEqual([
      ["get_weather", { location: "Paris" }],
      ["get_time", { city: "Tokyo" }],
    ]);
    expect(await callsFor("What's the weather in Paris and what time is it there?", { tools: both })).toEqual([
      ["get_weather", { location: "Paris" }],
      ["get_time", { city: "Paris" }],
    ]);
    expect(await callsFor("add 2 and 3, and multiply 4 by 5", { tools: [add, multiply] })).toEqual([
      ["add", { a: 2, b: 3 }],
      ["multiply", { a: 4, b: 5 }],
    ]);
  });

  it("by the value of a parameter", async () => {
    const operation = { type: "string", enum: ["add", "multiply"] };
    const calculate = tool("calculate", "Do arithmetic", { "operation!": operation, "a!": number, "b!": number });
    expect(await callsFor("add 2 and 3, and multiply 4 by 5", { tools: [calculate] })).toEqual([
      ["calculate", { operation: "add", a: 2, b: 3 }],
      ["calculate", { operation: "multiply", a: 4, b: 5 }],
    ]);
    expect(await callsFor("What is 12 * 7?", { tools: [getWeather, calculate] })).toEqual([
      ["calculate", { operation: "multiply", a: 12, b: 7 }],
    ]);
    const light = tool("set_light", "Switch a light", {
      "room!": { type: "string", enum: ["kitchen", "bedroom"] },
      "state!": { type: "string", enum: ["on", "off"] },
    });
    expect(await callsFor("Turn on the light in the kitchen and the bedroom", { tools: [light] })).toEqual([
      ["set_light", { room: "kitchen", state: "on" }],
      ["set_light", { room: "bedroom", state: "on" }],
    ]);
  });

  it("is one where a tool takes both", async () => {
    const list = tool("get_weather", "Get the weather", { "cities!": { type: "array", items: text } });
    expect(await callsFor("weather in Paris and Rome", { tools: [list] })).toEqual([
      ["get_weather", { cities: ["Paris", "Rome"] }],
    ]);
    const distance = tool("get_distance", "Distance between two cities", { "from!": text, "to!": text });
    expect(await callsFor("What is the distance between Paris and Rome?", { tools: [distance] })).toEqual([
      ["get_distance", { from: "Paris", to: "Rome" }],
    ]);
    expect(await callsFor("Search the web for cats and dogs", { tools: [search] })).toEqual([
      ["web_search", { query: "cats and dogs" }],
    ]);
  });

  it("is one where calls may not be parallel", async () => {
    const calls = await callsFor("weather in Paris and Rome", {
      tools: both,
      settings: { parallelToolCalls: false },
    });
    expect(calls).toEqual([["get_weather", { location: "Paris" }]]);
  });

  it("is never more than eight", async () => {
    const question = "weather in Paris, London, Rome, Berlin, Madrid, Oslo, Bern, Wien, Praha and Riga";
    expect(await callsFor(question, { tools: both })).toHaveLength(8);
  });
});

describe("tool_choice", () => {
  it("none: never a call", async () => {
    const { calls, text: said } = await ask("weather in Paris", { tools: both, choice: { mode: "none" } });
    expect(calls).toEqual([]);
    expect(said).toContain("may not call");
  });

  it("required: the best tool, else the first", async () => {
    const choice: ToolChoice = { mode: "required" };
    expect(await callsFor("time in Tokyo", { tools: both, choice })).toEqual([["get_time", { city: "Tokyo" }]]);
    expect((await callsFor("Tell me a joke", { tools: both, choice })).map(([name]) => name)).toEqual(["get_weather"]);
    expect((await ask([], { tools: both, choice })).calls).toHaveLength(1);
  });

  it("forced: that tool, whatever the question", async () => {
    expect(await callsFor("weather in Paris", { tools: both, choice: forced("get_time") })).toEqual([
      ["get_time", { city: "Paris" }],
    ]);
  });

  it("forced to a tool that is not there: talks", async () => {
    expect((await ask("weather in Paris", { tools: both, choice: forced("gone") })).calls).toEqual([]);
  });

  it("allowed: only from those", async () => {
    expect(await callsFor("weather in Paris", { tools: both, choice: allowed("get_time", false) })).toEqual([]);
    expect(await callsFor("weather in Paris", { tools: both, choice: allowed("get_time", true) })).toEqual([
      ["get_time", { city: "Paris" }],
    ]);
  });
});

describe("arguments", () => {
  it("come from quotes, numbers, addresses and dates, by name where the question gives one", async () => {
    const mail = tool("send_email", "Send an email", { "to!": text, "subject!": text, "body!": text });
    const question = 'Send an email to bob@example.com with subject "Hi" and body "Hello there"';
    expect(await callsFor(question, { tools: [mail] })).toEqual([
      ["send_email", { to: "bob@example.com", subject: "Hi", body: "Hello there" }],
    ]);
    const table = tool("book_table", "Book a table", {
      "restaurant!": text,
      "party_size!": { type: "integer" },
      "date!": { type: "string", format: "date" },
      "time!": text,
    });
    expect(await callsFor('Book a table for 4 at "Luigi\'s" on 2025-06-01 at 19:30', { tools: [table] })).toEqual([
      ["book_table", { restaurant: "Luigi's", party_size: 4, date: "2025-06-01", time: "19:30" }],
    ]);
  });

  it("are not taken from the parameter beside", async () => {
    const convert = tool("convert_currency", "Convert money", { "from!": text, "to!": text, "amount!": number });
    expect(await callsFor("convert 100 USD to EUR", { tools: [convert] })).toEqual([
      ["convert_currency", { from: "USD", to: "EUR", amount: 100 }],
    ]);
  });

  it("tell a start from a destination", async () => {
    const flights = tool("find_flights", "Find flights", { "origin!": text, "destination!": text });
    expect(await callsFor("Find flights to Rome from Paris", { tools: [flights] })).toEqual([
      ["find_flights", { origin: "Paris", destination: "Rome" }],
    ]);
  });

  it("leave optional parameters out unless the question speaks of them", async () => {
    expect(await callsFor("Search for cat pictures", { tools: [search] })).toEqual([
      ["web_search", { query: "cat pictures" }],
    ]);
    expect(await callsFor('Search for "cats" with limit 3', { tools: [search] })).toEqual([
      ["web_search", { query: "cats", limit: 3 }],
    ]);
  });

  it("of a strict tool have every property, null where that is allowed", async () => {
    const strict = {
      ...tool("get_weather", "Get the weather", {
        "location!": text,
        "unit!": { type: ["string", "null"], enum: ["celsius", "fahrenheit", null] },
        "note!": { anyOf: [text, { type: "null" }] },
        "days!": { type: ["integer", "null"] },
      }),
      strict: true,
    };
    expect(await callsFor("weather in Paris in celsius", { tools: [strict] })).toEqual([
      ["get_weather", { location: "Paris", unit: "celsius", note: null, days: null }],
    ]);
  });

  it("of a custom tool are the quoted text, or the question", async () => {
    const python: Tool = { type: "custom", name: "run_python", description: "Runs Python code" };
    const quoted = await ask("Use run_python for `print(1)`", { tools: [python] });
    expect(quoted.calls).toEqual([{ kind: "custom", name: "run_python", arguments: "print(1)" }]);
    const free = await ask("Print hello in Python", { tools: [python] });
    expect(free.calls[0]?.arguments).toBe("Print hello in Python");
  });

  it("take defaults where the question says nothing", async () => {
    const read = tool("read_file", "Reads a file", { "path!": text, "encoding!": { type: "string", default: "utf8" } });
    expect(await callsFor("Read the file src/index.ts", { tools: [read] })).toEqual([
      ["read_file", { path: "src/index.ts", encoding: "utf8" }],
    ]);
  });
});
