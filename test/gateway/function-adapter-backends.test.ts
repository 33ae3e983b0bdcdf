import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { named } from "../support/events-file.ts";
import { objectsOf } from "../support/folded.ts";
import { conversation, itemsReply, type Reply } from "../support/provider.ts";
import { input, onStage, path, replyWith, request, sentinel, toolNames } from "./function-adapters.ts";

const { play, events } = onStage();
const forms = [true, false] as const;
const raw = { rawArguments: true };

/** The items of a response, and what else stands in it, in the form that was asked for. */
function responding(stream: boolean, output: JsonObject[], more: JsonObject = {}): Reply {
  const response = { id: "resp_1", object: "response", status: "completed", output, ...more };
  if (!stream) return { whole: response };
  return { chunks: [...itemsReply(output).chunks.slice(0, -1), { type: "response.completed", response }] };
}

function functionCall(name: string, text: string, namespace?: string): JsonObject {
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name, arguments: text, status: "completed" };
  return namespace === undefined ? call : { ...call, namespace };
}

const number = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false };
const strictly = (name: string) => ({ type: "function", name, strict: true, parameters: number });

describe.each(forms)("a backend that reads by itself which tools there are (stream: %s)", (stream) => {
  const brought = [
    { type: "additional_tools", role: "developer", tools: [strictly("f"), { type: "function", name: "g" }] },
    { role: "user", content: "Do it." },
    { type: "tool_search_call", call_id: "c1", execution: "client", arguments: { query: "q" } },
    {
      type: "tool_search_output",
      call_id: "c1",
      execution: "client",
      tools: [{ type: "namespace", name: "mcp__a", tools: [{ type: "function", name: "go", defer_loading: true }] }],
    },
  ];

  it.each<[string, JsonObject[], JsonObject]>([
    ["a tool that was found, in a namespace", [], functionCall("go", "{}", "mcp__a")],
    ["the same beside strict tools", [strictly("h")], functionCall("go", "{}", "mcp__a")],
    ["a tool of the input", [], functionCall("g", "{}")],
    ["the same beside strict tools", [strictly("h")], functionCall("g", "{}")],
    ["a strict tool of the input", [strictly("h")], functionCall("f", '{"n":1}')],
  ])("may call what stands in the input: %s", async (_which, tools, call) => {
    const body = request("responses/m", { input: brought, tools, stream });
    const { answer, id } = await play("responses", body, responding(stream, [call]));
    expect(answer).toMatchObject({ status: 200, ended: "completed", items: [call] });
    expect(named(await events.of(id), "unknown_tool")).toEqual([]);
  });

  it("may not hide behind a namespace that the request does not have", async () => {
    const body = request("responses/m", { tools: [strictly("h")], stream });
    for (const call of [functionCall("go", "{}", "mcp__a"), functionCall("h", '{"n":"x"}', "functions")]) {
      const { answer } = await play("responses", body, responding(stream, [call]));
      expect(answer).toMatchObject({ items: [], error: { code: "tool_call_invalid" } });
    }
  });

  it("is held to the strict tools all the same, and to the names where the request has them all", async () => {
    const list = [strictly("h")];
    const bad = request("responses/m", { input: brought, tools: list, stream });
    const wrong = await play("responses", bad, responding(stream, [functionCall("h", '{"n":"x"}')]));
    expect(wrong.answer).toMatchObject({ items: [], error: { code: "tool_call_invalid" } });
    const alone = request("responses/m", { tools: list, stream });
    const unknown = await play("responses", alone, responding(stream, [functionCall("g", "{}")]));
    expect(unknown.answer).toMatchObject({ items: [], error: { code: "tool_call_invalid" } });
  });

  it("is not held to a strict tool where it calls one of that name in a namespace", async () => {
    const files = { type: "namespace", name: "files", tools: [{ type: "function", name: "read", parameters: path }] };
    const body = request("responses/m", { tools: [strictly("read"), files], stream });
    const call = functionCall("read", '{"path":"/x"}', "files");
    const { answer } = await play("responses", body, responding(stream, [call]));
    expect(answer).toMatchObject({ status: 200, items: [call] });
    const own = await play("responses", body, responding(stream, [functionCall("read", '{"path":"/x"}')]));
    expect(own.answer.error?.code).toBe("tool_call_invalid");
  });

  it("is not said to have missed the schema of a tool where it calls one of that name in a namespace", async () => {
    const files = { type: "namespace", name: "files", tools: [{ type: "function", name: "read", parameters: path }] };
    const plain = { type: "function", name: "read", parameters: number };
    const body = request("responses/m", { tools: [plain, files], stream });
    const right = await play("responses", body, responding(stream, [functionCall("read", '{"path":"/x"}', "files")]));
    expect(named(await events.of(right.id), "schema_mismatch")).toEqual([]);
    const wrong = await play("responses", body, responding(stream, [functionCall("read", '{"path":"/x"}')]));
    expect(named(await events.of(wrong.id), "schema_mismatch")).toMatchObject([{ name: "read" }]);
  });
});

describe("whether a provider wants to go on", () => {
  const said = { type: "message", id: "msg_1", role: "assistant", status: "completed" };
  const output = [{ ...said, content: [{ type: "output_text", text: "First.", annotations: [] }] }];

  it.each(forms)("is told to a Responses client, and only where the provider says it (stream: %s)", async (stream) => {
    for (const end_turn of [false, true]) {
      const { answer } = await play(
        "responses",
        request("responses/m", { stream }),
        responding(stream, output, { end_turn }),
      );
      expect(answer).toMatchObject({ text: "First.", json: { status: "completed", end_turn } });
      expect(answer.events.filter(({ response }) => JSON.stringify(response)?.includes("end_turn"))).toHaveLength(
        stream ? 1 : 0,
      );
    }
    for (const model of ["responses/m", "chat/m", "prompted/m"]) {
      const { answer } = await play("responses", request(model, { stream }), { say: "First." });
      expect(answer.raw).not.toContain("end_turn");
    }
    const odd = responding(stream, output, { end_turn: "no" });
    expect((await play("responses", request("responses/m", { stream }), odd)).answer.raw).not.toContain("end_turn");
  });
});

describe("what one agent says to another", () => {
  const message = {
    type: "agent_message",
    author: "/root",
    recipient: "/root/helper",
    content: [
      { type: "input_text", text: "From /root: " },
      { type: "encrypted_content", encrypted_content: "count the files." },
    ],
  };
  const history = [{ role: "user", content: "Do it." }, message];

  it.each(["chat/m", "prompted/m"])("is told to %s as a user's words, with tools and without", async (model) => {
    for (const more of [{}, { tools: [] }]) {
      const { answer, asked } = await play("responses", request(model, { input: history, ...more }), { say: "Three." });
      expect(answer.text).toBe("Three.");
      const messages = objectsOf(asked[0]?.messages).filter(({ role }) => role === "user");
      expect(JSON.stringify(messages)).toContain("From /root: count the files.");
      expect(JSON.stringify(asked[0])).not.toContain("agent_message");
    }
  });

  it("is told to a backend that knows it as it is", async () => {
    const { asked } = await play("responses", request("responses/m", { input: history }), { say: "Three." });
    expect(objectsOf(asked[0]?.input)[1]).toEqual(message);
  });
});

describe("free text whose quotes a model has forgotten to escape", () => {
  it.each<[string, string, string]>([
    ["a path in quotes", '{"input":"rm -rf "/tmp/build dir"/cache"}', 'rm -rf "/tmp/build dir"/cache'],
    ["some of many", '{"input":"+print("b")\\n+print(\\"c\\")\\n"}', '+print("b")\n+print("c")\n'],
    ["the last of all", '{"input":"say "hi""}', 'say "hi"'],
    ["a list", '{"input":"f("a", "b")"}', 'f("a", "b")'],
    ["a brace behind", '{"input":"{"a":"b"}"}', '{"a":"b"}'],
    ["another key behind", '{"input":"say "hi" to all","why":"because"}', 'say "hi" to all'],
  ])("is given whole: %s", async (_which, written, text) => {
    for (const model of ["chat/m", "unmended"]) {
      for (const [stream, chunk] of [
        [true, 1],
        [true, 3],
        [true, 100],
        [false, 1],
      ] as const) {
        const calls = [{ name: "apply_patch", arguments: written }];
        const { answer } = await play("responses", request(model, { stream }), { calls, chunk });
        expect(answer).toMatchObject({ status: 200, ended: "completed" });
        expect(answer.items).toMatchObject([{ type: "custom_tool_call", name: "apply_patch", input: text }]);
      }
    }
  });
});

describe("free text that stands in place of the arguments and begins as JSON does", () => {
  const texts = [
    "{ const a = {b: 1}; text(a) }",
    "[1,2,].map(x)",
    "{a: 1}",
    "{ text(1) }",
    "{\n  let x = [1,2,];\n}",
    "{ // why\n text('1') }",
    '{"a": 1,}',
  ];

  it.each(texts)("is given as it is by a provider that has calls: %s", async (text) => {
    for (const [stream, chunk] of [
      [true, 1],
      [true, 2],
      [true, 3],
      [true, 100],
      [false, 1],
    ] as const) {
      const calls = [{ name: "apply_patch", arguments: text }];
      const { answer } = await play("responses", request("chat/m", { stream }), { calls, chunk }, raw);
      expect(answer.items).toMatchObject([{ type: "custom_tool_call", input: text }]);
    }
  });

  it.each([...texts, "{ const a = 1; }"])("is given as it is by a model that writes its calls: %s", async (text) => {
    for (const [stream, chunk] of [
      [true, 1],
      [true, 4],
      [true, 1000],
      [false, 1],
    ] as const) {
      const say = sentinel("apply_patch", text);
      const { answer } = await play("responses", request("prompted/m", { stream }), { say, chunk }, raw);
      expect(answer.items).toMatchObject([{ type: "custom_tool_call", input: text }]);
    }
  });
});

describe.each(["chat/m", "prompted/m"])("no arguments at all, with %s", (model) => {
  it.each(forms)("are a text without a character (stream: %s)", async (stream) => {
    const calls = ["{}", "{ }", input("")].map((text) => ({ name: "apply_patch", arguments: text }));
    for (const call of calls) {
      const { answer } = await play("responses", request(model, { stream }), replyWith(model, call));
      expect(answer.items).toMatchObject([{ type: "custom_tool_call", name: "apply_patch", input: "" }]);
    }
  });
});

describe("a call of the past", () => {
  const user = { role: "user", content: "Do it." };
  const output = (call_id: string) => ({ type: "function_call_output", call_id, output: "ok" });
  const toldIn = (body: JsonObject | undefined) =>
    conversation(body ?? {}).flatMap((entry) => (entry.kind === "call" ? [entry.name] : []));

  it("of a function that was found is told by the name by which it is offered, and known when it is called again", async () => {
    const history = [
      user,
      { type: "tool_search_call", call_id: "s1", execution: "client", arguments: {} },
      {
        type: "tool_search_output",
        call_id: "s1",
        execution: "client",
        tools: [{ type: "function", name: "db.query" }],
      },
      { type: "function_call", call_id: "d1", name: "db.query", arguments: "{}" },
      output("d1"),
    ];
    const body = request("chat/m", { input: history, tools: [{ type: "tool_search", execution: "client" }] });
    const calls = [{ name: "db_query", arguments: "{}" }];
    const { answer, asked } = await play("responses", body, { calls });
    expect(toolNames(asked[0])).toEqual(["tool_search", "db_query"]);
    expect(toldIn(asked[0])).toEqual(["tool_search", "db_query"]);
    expect(JSON.stringify(asked[0]?.messages)).toContain("from now on: db_query");
    expect(answer.items).toMatchObject([{ type: "function_call", name: "db.query" }]);
    expect(answer.items[0]).not.toHaveProperty("namespace");
  });

  it("in the namespace that stands for none is told as one of the tool that stands in none", async () => {
    const f = { type: "function", name: "f" };
    const history = [user, { ...functionCall("f", "{}", "functions"), call_id: "d1" }, output("d1")];
    const { asked } = await play("responses", request("chat/m", { input: history, tools: [f] }), { say: "ok" });
    expect(toolNames(asked[0])).toEqual(["f"]);
    expect(toldIn(asked[0])).toEqual(["f"]);
  });

  it("in the namespace that stands for none is told as its own where there is such a tool", async () => {
    const f = { type: "function", name: "f" };
    const list = [f, { type: "namespace", name: "functions", tools: [f] }];
    const history = [user, { ...functionCall("f", "{}", "functions"), call_id: "d1" }, output("d1")];
    const { asked } = await play("responses", request("chat/m", { input: history, tools: list }), { say: "ok" });
    expect(toldIn(asked[0])).toEqual([toolNames(asked[0])[1]]);
  });
});

describe("the extended profile", () => {
  it("tells the namespace of a call where it begins and where it ends, if there is one", async () => {
    const { answer } = await play(
      "responses",
      request("chat/m", { stream: true }),
      {
        calls: [
          { name: "files__read", arguments: '{"path":"a"}' },
          { name: "mail__read", arguments: '{"path":"b"}' },
          { name: "files__edit", arguments: input("x") },
          { name: "look", arguments: '{"path":"c"}' },
        ],
      },
      { headers: { "x-toolwire-profile": "extended" } },
    );
    for (const end of ["begin", "end"]) {
      const told = answer.events.filter(({ type }) => type === `response.output_tool_call.${end}`);
      expect(told.map(({ name, namespace }) => [name, namespace])).toEqual([
        ["read", "files"],
        ["read", "mail"],
        ["edit", "files"],
        ["look", undefined],
      ]);
      expect(told[3]).not.toHaveProperty("namespace");
    }
  });
});
