import { describe, expect, it } from "vitest";
import { createReader, type ReadingOptions, readMessage, type Sink } from "../../src/dialects/index.ts";
import { units } from "./pieces.ts";

const find = {
  name: "find",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string" },
      limit: { type: "integer" },
      exact: { type: "boolean" },
      scope: { type: ["string", "null"] },
      filter: { type: "object" },
    },
  },
};
const options: ReadingOptions = { tools: [find, "get_Time"] };

function read(text: string, more: Partial<ReadingOptions> = {}, ending: "stop" | "cut" = "stop") {
  const whole = readMessage(text, { ...options, ...more }, ending);
  expect(readMessage(units(text), { ...options, ...more }, ending)).toEqual(whole);
  expect(whole.spans.map((span) => span.text).join("")).toBe(text);
  return whole;
}

const calls = (text: string, more?: Partial<ReadingOptions>) =>
  read(text, more).calls.map(({ name, arguments: given }) => [name, JSON.parse(given)]);
const repairs = (text: string) => read(text).repairs.map(({ repair }) => repair);
const hermes = (given: string, name = "find") => `<tool_call>{"name": "${name}", "arguments": ${given}}</tool_call>`;
const qwen = (key: string, value: string) =>
  `<tool_call>\n<function=find>\n<parameter=${key}>\n${value}\n</parameter>\n</function>\n</tool_call>`;

describe("nothing is lost", () => {
  it("gives each character of a message to one span, in order", () => {
    const { spans } = read(`Look:\n${hermes("{}")}\nDone.`);
    expect(spans).toEqual([
      { kind: "text", text: "Look:\n" },
      { kind: "call", text: hermes("{}") },
      { kind: "text", text: "\nDone." },
    ]);
  });

  it.each(["Words ```\n", "Words ```js\n", "<", "before <tool_c", "<tool_call>", "``", "<think", "[TOOL_CA", "\ud83d"])(
    "shows a message that ends in %j",
    (text) => {
      expect(read(text).text).toBe(text);
    },
  );

  it("keeps white space that stands alone, and drops from view what touches only calls", () => {
    expect(read(" \n\t ").text).toBe(" \n\t ");
    expect(read(`\n\n${hermes("{}")}\n\n${hermes("{}")}\n`).text).toBe("");
    expect(read(`A\n\n${hermes("{}")}\n\nB`).text).toBe("A\n\n\n\nB");
  });
});

describe("characters outside of the basic plane", () => {
  it("are never split, wherever the pieces are", () => {
    const pieces: string[] = [];
    const emoji = "😀";
    const message = readMessage(units(`${emoji}${hermes(`{"query": "${emoji.repeat(300)}"}`)}`), options);
    for (const { text } of message.spans) pieces.push(text);
    expect(pieces.every((piece) => encodeURIComponent(piece) !== "")).toBe(true);
    expect(JSON.parse(message.calls[0]?.arguments ?? "")).toEqual({ query: emoji.repeat(300) });
  });
});

describe("what is held is bounded", () => {
  it("makes a block beyond the limit text, and goes on reading", () => {
    const long = hermes(`{"query": "${"x".repeat(2000)}"}`);
    const { calls: found, text, rejected } = read(`${long}\n${hermes("{}")}`, { limit: 1000, patience: 10_000 });
    expect(found).toHaveLength(1);
    expect(text.startsWith(long)).toBe(true);
    expect(rejected[0]).toMatchObject({ dialect: "hermes-json", name: "find", offset: 0 });
  });
});

describe("long arguments", () => {
  const long = "x".repeat(3000);

  it("are given as they come", () => {
    const seen: string[] = [];
    const sink = {
      span() {},
      callStarted: (_: number, name: string) => seen.push(name),
      callArguments: (_: number, delta: string) => seen.push(delta),
      callDone: () => seen.push("done"),
      repaired() {},
      rejected() {},
    };
    readInto(sink, units(hermes(`{"query": "${long}"}`)));
    expect(seen[0]).toBe("find");
    expect(seen.length).toBeGreaterThan(1000);
    expect(seen.at(-1)).toBe("done");
  });

  it("of a strict tool wait until the call is whole", () => {
    const seen: string[] = [];
    const sink = {
      span() {},
      callStarted() {},
      callArguments: (_: number, delta: string) => seen.push(delta),
      callDone() {},
      repaired() {},
      rejected() {},
    };
    readInto(sink, units(hermes(`{"query": "${long}"}`)), [{ ...find, strict: true }]);
    expect(seen).toHaveLength(1);
  });

  it("that break after they were seen are passed on as they are", () => {
    const text = hermes(`{"query": "${long}" ?}`);
    const { calls: found, text: shown } = read(`${text} And on.`);
    expect(found).toMatchObject([{ name: "find", isWhole: true }]);
    expect(found[0]?.arguments.endsWith("?}}")).toBe(true);
    expect(shown).toBe(" And on.");
  });
});

describe("a call that was cut off", () => {
  const text = hermes('{"query": "cats"}');

  it("is text, even if only its closing tag is missing", () => {
    for (let end = 1; end < text.length; end++) {
      const part = read(text.slice(0, end), {}, "cut");
      expect(part.calls).toEqual([]);
      expect(part.text).toBe(text.slice(0, end));
    }
  });

  it("is left unfinished where its arguments had been given", () => {
    const { calls: found } = read(text.slice(0, 50), { patience: 3 }, "cut");
    expect(found).toMatchObject([{ name: "find", isWhole: false }]);
  });

  it("is a call where the model stopped by itself and only tags are missing", () => {
    expect(calls(text.replace("</tool_call>", ""))).toEqual([["find", { query: "cats" }]]);
    expect(repairs(text.replace("</tool_call>", ""))).toEqual(["missing_close"]);
  });

  it("is never completed inside of a string", () => {
    expect(read(text.slice(0, -17)).calls).toEqual([]);
    expect(read(qwen("query", "cats").slice(0, -40)).calls).toEqual([]);
  });

  it("holds no other call, whatever its arguments say", () => {
    const inner = `<tool_call>\n<function=find>\n<parameter=query>\nUse ${hermes("{}")} like this`;
    expect(read(inner).calls).toEqual([]);
    expect(read(inner, {}, "cut").calls).toEqual([]);
  });
});

describe("what counts as a call", () => {
  it("is an opener, its shape, and a declared name", () => {
    for (const text of [
      "<tool_call>",
      "<tool_call> is a tag",
      '<tool_call>{"a": 1}</tool_call>',
      hermes("{}", "nobody"),
      '{"name": "find"} is JSON',
      "<function=nobody></function>",
    ]) {
      expect(read(text).calls).toEqual([]);
      expect(read(text).text).toBe(text);
    }
  });

  it("finds a name in another case, and says so", () => {
    expect(calls(hermes("{}", "GET_time"))).toEqual([["get_Time", {}]]);
    expect(repairs(hermes("{}", "FIND"))).toEqual(["name_case"]);
    expect(calls(hermes("{}", "FIND"), { tools: ["Find", "find"] })).toEqual([]);
  });

  it("is nothing where no tool is declared", () => {
    expect(read(hermes("{}"), { tools: [] }).text).toBe(hermes("{}"));
  });

  it("is a whole message of JSON that names a tool, but not JSON with words around it", () => {
    const json = '{"name": "find", "arguments": {"query": "x"}}';
    expect(calls(json)).toEqual([["find", { query: "x" }]]);
    expect(calls(`\n${json}\n`)).toEqual([["find", { query: "x" }]]);
    expect(calls(`${json} and more`)).toEqual([]);
    expect(calls(json, { markersOnly: true })).toEqual([]);
    expect(read(json, {}, "cut").calls).toEqual([]);
  });
});

describe("code", () => {
  const call = hermes("{}");

  it.each([
    ["a fence", `Like this:\n\`\`\`\n${call}\n\`\`\`\nend`],
    ["a fence of tildes", `Like this:\n~~~ xml\n${call}\n~~~\nend`],
    ["a fence that is longer", `Like this:\n\`\`\`\`\n\`\`\`\n${call}\n\`\`\`\`\nend`],
    ["a fence that never closes", `Like this:\n\`\`\`\n${call}\n`],
    ["a fence that is indented", `1. So:\n   \`\`\`\n   ${call}\n   \`\`\`\n`],
    ["inline code", `Like \`${call}\` so`],
    ["inline code of two ticks", `Like \`\`a \` ${call}\`\` so`],
  ])("in %s is text", (_, text) => {
    expect(read(text).calls).toEqual([]);
    expect(read(text).text).toBe(text);
  });

  it.each([
    ["a fence that has closed", `\`\`\`\nx\n\`\`\`\n${call}`],
    [
      "a fence around a call of nobody",
      `\`\`\`xml\n<tool_call>{"name": "x", "arguments": {}}</tool_call>\n\`\`\`\nSo.\n${call}`,
    ],
    ["inline code", `\`x\` ${call}`],
    ["a stray tick, on the next line", `Don\`t\n${call}`],
    ["three ticks in the middle of a line", `a \`\`\` b\n${call}`],
  ])("behind %s, a call is a call", (_, text) => {
    expect(calls(text)).toEqual([["find", {}]]);
  });

  it("is a call where the whole message is one fenced call", () => {
    expect(calls(`\`\`\`xml\n${call}\n\`\`\``)).toEqual([["find", {}]]);
    expect(calls('```json\n{"name": "find", "arguments": {}}\n```\n')).toEqual([["find", {}]]);
    expect(calls(`\`\`\`xml\n${call}\n\`\`\`\nThat is how.`)).toEqual([]);
    expect(calls(`\`\`\`xml\n${call}\nand so on\n\`\`\``)).toEqual([]);
  });
});

describe("reasoning", () => {
  it("is told apart from the text", () => {
    const { reasoning, text } = read("<think>\nHm.\n\nWell.\n</think>\n\nHello.");
    expect(reasoning).toBe("Hm.\n\nWell.");
    expect(text).toBe("Hello.");
  });

  it("that closes holds drafts, not calls", () => {
    const { calls: found, reasoning } = read(`<think>I could ${hermes("{}")} or not</think>No.`);
    expect(found).toEqual([]);
    expect(reasoning).toBe(`I could ${hermes("{}")} or not`);
  });

  it("that never closes holds calls, given at the end", () => {
    const { calls: found, reasoning } = read(`<think>I will ${hermes("{}")}\n`);
    expect(found).toMatchObject([{ name: "find" }]);
    expect(reasoning).toBe("I will ");
  });

  it("ends at its tag, though a call in it could not be read", () => {
    const { calls: found, text } = read(`<think>${hermes("oops")} so</think>Hi ${hermes("{}")}`);
    expect(found).toMatchObject([{ name: "find" }]);
    expect(text).toBe("Hi ");
  });

  it("that was cut off holds none", () => {
    expect(read(`<think>I will ${hermes("{}")}`, {}, "cut").calls).toEqual([]);
  });

  it("is reasoning beyond what may be held", () => {
    const text = `<think>${hermes("{}")}${"and on ".repeat(200)}`;
    expect(read(text, { limit: 1000 }).calls).toEqual([]);
  });

  it("may have begun in the prompt", () => {
    const { reasoning, text } = read("Hm.</think>Hello.", { beginsInReasoning: true });
    expect([reasoning, text]).toEqual(["Hm.", "Hello."]);
  });

  it("does not begin in the middle of a sentence", () => {
    expect(read("Use the <think> tag.").text).toBe("Use the <think> tag.");
  });

  it("that seems to begin there has drafts all the same, if it ends", () => {
    const text = `Well <think>I could ${hermes("{}")} or not</think> no.`;
    expect(read(text).calls).toEqual([]);
    expect(read(text).text).toBe(text);
    expect(calls(`The <think> tag.\n${hermes("{}")}\nDone.`)).toEqual([["find", {}]]);
  });
});

describe("types", () => {
  const value = (key: string, text: string) => calls(qwen(key, text))[0]?.[1];

  it("of JSON are as they are written", () => {
    expect(calls(hermes('{"query": 1, "limit": "1"}'))).toEqual([["find", { query: 1, limit: "1" }]]);
  });

  it.each([
    ["query", "001", "001"],
    ["query", "null", "null"],
    ["query", '{"a": 1}', '{"a": 1}'],
    ["query", " spaced ", " spaced "],
    ["query", "a &lt; b", "a &lt; b"],
    ["limit", "12", 12],
    ["limit", "007", 7],
    ["limit", "many", "many"],
    ["exact", "true", true],
    ["exact", "False", false],
    ["scope", "null", null],
    ["scope", "here", "here"],
    ["filter", '{"a": [1]}', { a: [1] }],
    ["filter", "{'a': True}", { a: true }],
    ["undeclared", "12", "12"],
  ])("of tags are those of the schema: %s of %j", (key, text, expected) => {
    expect(value(key, text)).toEqual({ [key]: expected });
  });

  it("that do not fit are strings, and are reported", () => {
    expect(repairs(qwen("limit", "many"))).toEqual(["not_declared_type"]);
  });
});

describe("repairs", () => {
  it.each([
    ["trailing_comma", '{"query": "a", "filter": {"b": [1, 2,],},}', { query: "a", filter: { b: [1, 2] } }],
    ["single_quotes", "{'query': 'it\\'s \"so\"'}", { query: 'it\'s "so"' }],
    ["python_literal", '{"exact": True, "scope": None}', { exact: true, scope: null }],
    ["raw_newline", '{"query": "a\n\tb"}', { query: "a\n\tb" }],
    ["bad_escape", '{"query": "\\d+ C:\\Users"}', { query: "\\d+ C:\\Users" }],
    ["unescaped_quote", '{"query": "say "hi" now"}', { query: 'say "hi" now' }],
    ["unquoted_key", '{query: "a"}', { query: "a" }],
    ["extra_close", '{"query": "a"}}', { query: "a" }],
    ["missing_close", '{"query": "a", "filter": {"b": 1}', { query: "a", filter: { b: 1 } }],
  ])("mend %s, and say where", (repair, given, expected) => {
    const { calls: found, repairs: reported } = read(hermes(given));
    expect(found.map(({ arguments: text }) => JSON.parse(text))).toEqual([expected]);
    expect(reported.map((report) => report.repair)).toContain(repair);
    expect(reported.every(({ offset, call }) => offset > 0 && call === 0)).toBe(true);
  });

  it("are for tools that are not strict", () => {
    const text = hermes("{'query': 'a'}");
    expect(read(text, { tools: [{ ...find, strict: true }] }).calls).toEqual([]);
    expect(read(text, { repair: false }).calls).toEqual([]);
  });

  it("name arguments that are a string of JSON, where the dialect has none such", () => {
    const text = '<|tool_call|>[{"name": "find", "arguments": "{\\"query\\": \\"a\\"}"}]';
    expect(calls(text)).toEqual([["find", { query: "a" }]]);
    expect(repairs(text)).toEqual(["double_encoded"]);
  });

  it("make a call of arguments that are a string of JSON, which is no slip", () => {
    expect(calls(hermes('"{\\"query\\": \\"a\\"}"'))).toEqual([["find", { query: "a" }]]);
    expect(repairs(hermes('"{\\"query\\": \\"a\\"}"'))).toEqual([]);
  });

  it.each(['"hello"', "[1]", "12", '{"query": }', "{'query': 'a}", '{"__proto__": {}}', '{"query" "a"}'])(
    "leave %s as text",
    (given) => {
      expect(read(hermes(given)).calls).toEqual([]);
    },
  );
});

describe("one bad call", () => {
  it.each([
    hermes('{"query": }'),
    hermes('{"query": "unclosed}'),
    hermes("{}", "nobody"),
    "<tool_call>{nonsense}</tool_call>",
    "<tool_call>\n<function=find>\nno tags\n</function>\n</tool_call>",
    "<tool_call>",
  ])("does not spoil the next: %s", (bad) => {
    expect(calls(`${bad}\n${hermes('{"query": "b"}')}`)).toEqual([["find", { query: "b" }]]);
  });
});

describe("a fenced call that cannot be read", () => {
  const fenced = (argument: string) => `\`\`\`tool\nTOOL_NAME: find\n${argument}\n\`\`\``;
  const good = fenced("BEGIN_ARG: query\nx\nEND_ARG");

  it.each([
    ["whose fence is closed", `Look:\n${fenced("nothing")}\n${good}`],
    ["whose fence is open", `Look:\n${fenced("nothing").slice(0, -4)}\n${good}`],
    ["at the start", `${fenced("nothing")}\n${good}`],
  ])("does not hide the next one: %s", (_, text) => {
    expect(calls(text)).toEqual([["find", { query: "x" }]]);
  });

  it("holds nothing back beyond the limit", () => {
    const broken = `<tool_call>{"name": "find", "arguments": nothing `;
    const seen: string[] = [];
    const sink: Sink = {
      span: (_, text) => seen.push(text),
      callStarted() {},
      callArguments() {},
      callDone() {},
      repaired() {},
      rejected() {},
    };
    createReader({ ...options, limit: 512 }, sink).push(`${broken.padEnd(511, "x")}\nAfter that, the model goes on.`);
    expect(seen.join("")).toContain("goes on");
  });
});

describe("what a call quotes", () => {
  it.each([
    [
      "broken arguments",
      '<tool_call>{"name":"find","arguments":{"query":README,"x":"Ex: [TOOL_CALLS]get_Time{} end"}}</tool_call>',
    ],
    ["broken Python", '<|python_start|>[find(query=PPP, x="see [TOOL_CALLS]get_Time{} end")]<|python_end|>'],
    [
      "an undeclared tool",
      '<tool_call>{"name":"nobody","arguments":{"x":"Ex: [TOOL_CALLS]get_Time{} end"}}</tool_call>',
    ],
    [
      "a whole message that breaks",
      '{"name":"find","parameters":{"query":"Use <tool_call>get_Time</tool_call>" oops}}',
    ],
  ])("is no call: %s", (_, text) => {
    expect(read(text).calls).toEqual([]);
    expect(read(text).text).toBe(text);
  });

  it("is no call when a message that is all a call is cut off", () => {
    for (const text of [
      '{"name":"find","parameters":{"query":"Use <tool_call>get_Time</tool_call> to',
      "<find><query>Use <tool_call>get_Time</tool_call> to",
    ]) {
      expect(read(text, {}, "cut").calls).toEqual([]);
    }
  });
});

describe("what only looks like a call", () => {
  it.each([
    ["an opener at the end of a sentence", "Qwen models begin a call with <function=find>"],
    ["a definition", '{"name":"find","description":"finds","parameters":{"type":"object","properties":{}}}'],
    ["a schema", '[{"name":"find","parameters":{"type":"object","properties":{"query":{"type":"string"}}}}]'],
    ["a header in a sentence", "The header is <|channel|>analysis<|message|>, then the text."],
    ["arguments beside their place", '<tool_call>{"name":"find","query":"rm"}</tool_call>'],
    ["two names", '<tool_call>{"name":"find","arguments":{},"name":"get_Time"}</tool_call>'],
    ["two strings in one value", hermes('{"query": "a" + "b"}')],
    ["another sign for a comma", hermes('{"query": "ls"; "scope": "x"}')],
    ["a value that may go on", "<tool_call>find\n<arg_key>query</arg_key>\n<arg_value>a</arg_value>\n<"],
  ])("is text: %s", (_, text) => {
    expect(read(text).calls).toEqual([]);
    expect(read(text).text).toBe(text);
  });
});

describe("code in lists and quotes", () => {
  const call = hermes("{}");

  it.each([
    ["a list item", `- \`\`\`xml\n  ${call}\n  \`\`\`\n`],
    ["a numbered item", `2. \`\`\`xml\n   ${call}\n   \`\`\`\n`],
    ["a quote", `> \`\`\`\n> ${call}\n> \`\`\`\n`],
    ["a fence behind words", `So: \`\`\`xml\n${call}\n\`\`\`\n`],
  ])("is text: %s", (_, text) => {
    expect(read(text).calls).toEqual([]);
  });

  it.each([
    ["a list item", "- ```sh\n  ls\n  ```\n\n"],
    ["a numbered item", "2. ```sh\n   ls\n   ```\n\n"],
    ["a quote", "> ```\n> ls\n> ```\n\n"],
    ["a fence behind words", "The fix: ```js\nfoo()\n```\nNow I apply it.\n"],
  ])("ends where it ends: %s", (_, text) => {
    expect(calls(text + call)).toEqual([["find", {}]]);
  });
});

describe("tokens of a dialect", () => {
  it("are not shown in a message that speaks it", () => {
    expect(read("<|START_RESPONSE|>Hello<|END_RESPONSE|>").text).toBe("Hello");
    expect(read("<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Hello<|END_RESPONSE|>").text).toBe("Hello");
    expect(read(`${hermes("{}")}</tool_call>\n<|im_end|>`).text).toBe("");
  });

  it("are shown in a sentence about them", () => {
    for (const text of ["The token <|END_RESPONSE|> ends it.", "Write </tool_call> at the end."]) {
      expect(read(text).text).toBe(text);
    }
  });
});

describe("a wrapper that another model uses", () => {
  it("does not hide the calls in it", () => {
    expect(calls(`<tool_calls>\n${hermes('{"query": "a"}')}\n</tool_calls>`)).toEqual([["find", { query: "a" }]]);
  });
});

describe("a parameter that is not closed", () => {
  it("ends where the next one of the tool begins", () => {
    const text = `<function_calls>\n<invoke name="find">\n<parameter name="query">a.txt\n<parameter name="scope">hello</parameter>\n</invoke>\n</function_calls>`;
    expect(calls(text)).toEqual([["find", { query: "a.txt\n", scope: "hello" }]]);
    expect(repairs(text)).toEqual(["missing_close"]);
  });
});

describe("types that allow a string", () => {
  const either = {
    name: "find",
    parameters: { type: "object", properties: { v: { type: ["string", "integer", "boolean"] } } },
  };

  it.each([
    ["005", "005"],
    ["5", 5],
    ["1", 1],
    ["true", true],
    ["yes", "yes"],
  ])("read %s as JSON does", (text, expected) => {
    expect(calls(qwen("v", text), { tools: [either] })).toEqual([["find", { v: expected }]]);
  });
});

describe("where nothing may be mended", () => {
  it("a value is what is written", () => {
    const { calls: found } = read(qwen("filter", "{'a': True}"), { tools: [{ ...find, strict: true }] });
    expect(found.map(({ arguments: text }) => JSON.parse(text))).toEqual([{ filter: "{'a': True}" }]);
  });
});

function readInto(sink: Sink, pieces: readonly string[], tools: ReadingOptions["tools"] = [find]): void {
  const reader = createReader({ tools }, sink);
  for (const piece of pieces) reader.push(piece);
  reader.end();
}
