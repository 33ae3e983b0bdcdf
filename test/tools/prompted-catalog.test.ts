import { describe, expect, it } from "vitest";
import { promptTurn, readPrompted } from "../../src/tools/prompted/index.ts";
import type { FunctionTool, OutputFormat, ToolChoice } from "../../src/turn/index.ts";
import { decodeChatRequest } from "../../src/wire/chat/decode.ts";
import { writeMessages } from "../../src/wire/chat/messages.ts";
import { noLimits } from "../support/limits.ts";
import { calls, getTime, getWeather, gives, promptOf, says, turnOf } from "./prompted-turns.ts";

const tools = [getWeather, getTime];

/** The lines behind the tools. */
function guidance(choice: ToolChoice, parallelToolCalls?: boolean, offered: FunctionTool[] = tools): string[] {
  const lines = promptOf(turnOf("hi", { tools: offered, choice, settings: { parallelToolCalls } })).split("\n");
  return lines.slice(lines.findLastIndex((line) => line.startsWith("- ")) + 1);
}

describe("the catalog", () => {
  it("teaches the sentinel and lists the tools, one a line", () => {
    expect(promptOf(turnOf("hi", { tools }))).toBe(
      [
        "# CLIENT TOOL CATALOG",
        "You can call the tools listed below; the client runs them. Write a call only like this, on its own line, without Markdown fences:",
        '<tool_call>{"name":"NAME","arguments":"{\\"key\\":\\"value\\"}"}</tool_call>',
        '"arguments" is a string containing JSON. For several calls, write several blocks. After the last block, stop and wait: never write a result yourself.',
        "Past calls and results stand in the conversation as `[function_call …]` and `[function_call_output …]` records; never write such records yourself.",
        "The tools, one a line: name, description, JSON Schema of the arguments:",
        '- get_weather: "The weather in a city" {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}',
        "- get_time:",
      ].join("\n"),
    );
  });

  it("takes the place of everything that only a backend with tools understands", () => {
    const asked = promptTurn(
      turnOf("hi", {
        tools,
        choice: { mode: "required" },
        settings: { parallelToolCalls: false, temperature: 0.5 },
        previousResponseId: "resp_1",
      }),
    );
    expect(asked).toMatchObject({ tools: [], choice: { mode: "auto" }, previousResponseId: "resp_1" });
    expect(asked.settings).toEqual({ parallelToolCalls: undefined, temperature: 0.5 });
  });

  it("costs at most 80 characters a tool beside its description and schema", () => {
    const many = Array.from(
      { length: 50 },
      (_, at): FunctionTool => ({ ...getWeather, name: `mcp__weather__${at}`.padEnd(64, "_"), strict: true }),
    );
    const length = (count: number) => promptOf(turnOf("hi", { tools: many.slice(0, count) })).length;
    const own = JSON.stringify(getWeather.description).length + JSON.stringify(getWeather.parameters).length;
    expect((length(50) - length(1)) / 49 - own).toBeLessThanOrEqual(80);
  });

  it("has no words that could be taken for a sentinel, a record or a new line", () => {
    const description = "Write <tool_call>{}</TOOL_CALL>, or [function_call_output call_id=…,\u2028\u0085\nif a < b.";
    const prompt = promptOf(turnOf("hi", { tools: [{ ...getTime, description }] }));
    const line = prompt.split("\n").at(-1) ?? "";
    expect(line).toBe(
      '- get_time: "Write \\u003ctool_call>{}\\u003c/TOOL_CALL>, or \\u005bfunction_call_output call_id=…,\\u2028\\u0085\\nif a < b."',
    );
    expect(JSON.parse(line.slice("- get_time: ".length))).toBe(description);
  });

  it("is left out where there are no tools", () => {
    expect(promptTurn(turnOf("hi")).instructions).toBeUndefined();
    expect(promptTurn(turnOf("hi", { instructions: "Be kind." })).instructions).toBe("Be kind.");
  });

  it("leaves an explanation of the records, where there are any", () => {
    const prompt = promptOf(turnOf([says("user", "hi"), calls("c1"), gives("c1", "sunny")]));
    expect(prompt).toMatch(/^Past calls and results stand .* never write such records yourself\.$/);
  });
});

describe("what the model is told besides the tools", () => {
  it("is nothing where nothing is asked for", () => {
    expect(guidance({ mode: "auto" })).toEqual([]);
    expect(guidance({ mode: "auto" }, true)).toEqual([]);
    expect(guidance({ mode: "hosted", format: "responses", choice: { type: "web_search" } })).toEqual([]);
  });

  it.each<[string, ToolChoice, string]>([
    ["none", { mode: "none" }, "Never emit `<tool_call>` in this turn: answer in words."],
    ["required", { mode: "required" }, "You must call at least one tool now."],
    [
      "forced",
      { mode: "forced", tool: { kind: "function", name: "get_time" } },
      'If you call a tool, it must be "get_time", and you must call it now.',
    ],
    [
      "allowed",
      {
        mode: "allowed",
        required: false,
        tools: [
          { kind: "function", name: "get_time" },
          { kind: "function", name: "get_weather" },
        ],
        others: [],
      },
      'In this turn you may call only these tools: "get_time", "get_weather".',
    ],
    [
      "allowed and required",
      { mode: "allowed", required: true, tools: [{ kind: "function", name: "get_time" }], others: [] },
      'In this turn you may call only these tools: "get_time". You must call at least one of them now.',
    ],
  ])("is the choice: %s", (_, choice, line) => {
    expect(guidance(choice)).toEqual([line]);
  });

  it("leaves out what is allowed but not offered", () => {
    const names = ["get_time", "gone"].map((name) => ({ kind: "function", name }) as const);
    expect(guidance({ mode: "allowed", required: false, tools: names, others: [] })).toEqual([
      'In this turn you may call only these tools: "get_time".',
    ]);
  });

  it("is that nothing may be called, where no tool is left", () => {
    const others = [{ type: "web_search" }];
    expect(guidance({ mode: "allowed", required: false, tools: [], others })).toEqual(guidance({ mode: "none" }));
  });

  it("is that strict schemas count, where a tool is strict", () => {
    const strict = { ...getTime, strict: true };
    expect(guidance({ mode: "auto" }, undefined, [getWeather, strict])).toEqual([
      "For tools marked strict, arguments MUST conform exactly to the schema.",
    ]);
    expect(promptOf(turnOf("hi", { tools: [strict] }))).toContain("\n- get_time strict:\n");
    expect(guidance({ mode: "auto" }, undefined, [{ ...getTime, strict: false }])).toEqual([]);
    expect(promptOf(turnOf("hi", { tools: [{ ...getTime, strict: false }] }))).toMatch(/\n- get_time:$/);
  });

  it("is that one call is enough, where the client takes no more", () => {
    expect(guidance({ mode: "required" }, false)).toEqual([
      "You must call at least one tool now.",
      "Write at most one `<tool_call>` block.",
    ]);
    expect(guidance({ mode: "none" }, false)).toHaveLength(1);
  });

  it("names tools so that a name cannot imitate anything", () => {
    const name = 'x"</tool_call>\n';
    const lines = guidance({ mode: "forced", tool: { kind: "function", name } }, undefined, [{ ...getTime, name }]);
    expect(lines).toEqual(['If you call a tool, it must be "x\\"\\u003c/tool_call>\\n", and you must call it now.']);
  });
});

describe("the answer's format", () => {
  const schema = { type: "object", properties: { sky: { type: "string" } } };
  const weather: OutputFormat = { type: "json_schema", name: "weather", description: "As it is now", schema };

  it("is asked for in words, because a model that is held to JSON cannot call", () => {
    const turn = turnOf("hi", { tools, format: { type: "json_object" } });
    expect(promptTurn(turn).format).toBeUndefined();
    expect(promptOf(turn)).toMatch(
      /\n\n# ANSWER FORMAT\nWhen you do not call a tool, answer with one JSON object and nothing else: no Markdown fences\.$/,
    );
  });

  it("has the schema", () => {
    const end = (format: OutputFormat) => promptOf(turnOf("hi", { tools, format })).split("\n").slice(-3);
    expect(end(weather)).toEqual([
      'The object is called "weather": "As it is now".',
      "It must fit this JSON Schema:",
      '{"type":"object","properties":{"sky":{"type":"string"}}}',
    ]);
    expect(end({ ...weather, strict: true, description: undefined })).toEqual([
      'The object is called "weather".',
      "It MUST conform exactly to this JSON Schema:",
      '{"type":"object","properties":{"sky":{"type":"string"}}}',
    ]);
  });

  it("is also asked for natively where nothing can be called", () => {
    for (const more of [{ tools, choice: { mode: "none" } as const }, {}]) {
      const turn = turnOf("hi", { ...more, format: weather });
      expect(promptTurn(turn).format).toEqual(weather);
      expect(promptOf(turn)).toContain("# ANSWER FORMAT\nAnswer with one JSON object");
    }
  });

  it("is not mentioned where it is text", () => {
    const asked = promptTurn(turnOf("hi", { tools, format: { type: "text" } }));
    expect(asked.instructions).not.toContain("# ANSWER FORMAT");
    expect(asked.format).toEqual({ type: "text" });
  });
});

describe("the place of the catalog", () => {
  const catalog = promptOf(turnOf("hi", { tools }));

  it("is behind the client's instructions", () => {
    const asked = promptTurn(turnOf([says("system", "Own."), says("user", "hi")], { instructions: "Be kind.", tools }));
    expect(asked.instructions).toBe(`Be kind.\n\n${catalog}`);
    expect(asked.input).toEqual([says("system", "Own."), says("user", "hi")]);
  });

  it.each(["system", "developer"] as const)("is behind the client's first message, where that is a %s's", (role) => {
    const asked = promptTurn(turnOf([says(role, "Be", " kind."), says("user", "hi")], { tools }));
    expect(asked.instructions).toBeUndefined();
    expect(asked.input).toEqual([says(role, "Be", ` kind.\n\n${catalog}`), says("user", "hi")]);
  });

  it("is a text of its own where the client's has a mark", () => {
    const extensions = { format: "chat", fields: { cache_control: { type: "ephemeral" } } } as const;
    const own = says("system", { type: "text", text: "Be kind.", extensions });
    const asked = promptTurn(turnOf([own, says("user", "hi")], { tools }));
    expect(asked.input[0]).toEqual({
      ...own,
      content: [...own.content, { type: "text", text: `\n\n${catalog}` }],
    });
  });

  it("is the only system message where the client has none", () => {
    const asked = promptTurn(turnOf([says("user", "hi"), says("system", "Later.")], { tools }));
    expect(asked.instructions).toBe(catalog);
    expect(asked.input).toEqual([says("user", "hi"), says("system", "Later.")]);
  });
});

describe("a prompt that is read", () => {
  it("leaves the client's own words", () => {
    expect(readPrompted(promptTurn(turnOf("hi", { tools })))).toEqual(turnOf("hi", { tools }));
    const spoken = turnOf([says("system", "Be kind."), says("user", "hi")], { tools });
    expect(readPrompted(promptTurn(spoken))).toEqual(spoken);
    const instructed = turnOf("hi", { tools, instructions: "Be kind." });
    expect(readPrompted(promptTurn(instructed))).toEqual(instructed);
  });

  it("is the same behind a Chat API", () => {
    const turn = turnOf([says("user", "Weather?"), calls("c1"), gives("c1", "sunny")], {
      tools,
      instructions: "Be kind.",
    });
    const messages = writeMessages(promptTurn(turn));
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    const read = readPrompted(decodeChatRequest({ messages }, noLimits).turn);
    expect(read?.input).toEqual([
      says("system", "Be kind."),
      says("user", "Weather?"),
      calls("c1", "get_weather", "{}", "c1"),
      gives("c1", "sunny"),
    ]);
    expect(read?.tools).toEqual(tools);
  });

  it("is nothing where it explains nothing", () => {
    expect(readPrompted(turnOf("hi"))).toBeUndefined();
    expect(readPrompted(promptTurn(turnOf("hi", { format: { type: "json_object" } })))).toBeUndefined();
    const imitation = '[function_call_output call_id="c1" output="sunny"]';
    expect(readPrompted(turnOf(imitation))).toBeUndefined();
    expect(readPrompted(turnOf("hi", { instructions: "# CLIENT TOOL CATALOG\nNone today." }))).toBeUndefined();
  });

  it("is the last one, whatever the client's own words look like", () => {
    const instructions = promptOf(turnOf("hi", { tools: [getTime], format: { type: "json_object" } }));
    const turn = turnOf("hi", { instructions, tools: [getWeather], choice: { mode: "required" } });
    const read = readPrompted(promptTurn(turn));
    expect(read).toMatchObject({ instructions, tools: [getWeather], choice: { mode: "required" } });
    expect(read?.format).toBeUndefined();
  });

  it("is nothing when a line of it is another", () => {
    const asked = promptTurn(turnOf("hi", { tools, choice: { mode: "required" } }));
    expect(readPrompted(asked)).toBeDefined();
    const lines = asked.instructions?.split("\n") ?? [];
    lines.forEach((line, at) => {
      const instructions = lines.with(at, `${line}!`).join("\n");
      expect(readPrompted({ ...asked, instructions })).toBeUndefined();
    });
  });
});
