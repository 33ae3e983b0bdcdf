import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { ask, bothBackends, startGateway } from "../support/gateway.ts";
import { conversation, offeredTools, type Provider, startProvider } from "../support/provider.ts";

const image = "data:image/png;base64,iVBORw0KGgo=";

let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(() => ({ say: "ok" }));
  gateway = await startGateway(bothBackends(provider));
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

/** What the provider got for a request. */
async function sent(client: Api, body: JsonObject): Promise<JsonObject> {
  const answer = await ask(gateway, client, body);
  expect(answer.status).toBe(200);
  return provider.requests.at(-1)?.body ?? {};
}

const messages = (body: JsonObject) => body.messages as JsonObject[];
const input = (body: JsonObject) => body.input as JsonObject[];
const backends = ["chat", "responses"] as const;

describe("what a Responses client sends", () => {
  const call = {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "look",
    arguments: '{"at":"it"}',
    status: "completed",
  };

  it("reaches a chat backend as messages: calls with the text before them, then their outputs", async () => {
    const body = await sent("responses", {
      model: "chat/m",
      instructions: "Be brief.",
      input: [
        { role: "developer", content: "Rules." },
        { role: "user", content: [{ type: "input_text", text: "Look." }] },
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "I shall look." }] },
        {
          type: "message",
          role: "assistant",
          id: "msg_1",
          content: [{ type: "output_text", text: "Looking.", annotations: [] }],
        },
        call,
        { ...call, id: "fc_2", call_id: "call_2" },
        { type: "function_call_output", call_id: "call_1", output: "a cat" },
        { type: "function_call_output", call_id: "call_2", output: [{ type: "input_text", text: "a dog" }] },
        { type: "some_new_item", anything: true },
      ],
    });
    const written = (id: string) => ({ id, type: "function", function: { name: "look", arguments: call.arguments } });
    expect(messages(body)).toEqual([
      // Many templates keep only the first of several.
      { role: "system", content: "Be brief.\n\nRules." },
      { role: "user", content: "Look." },
      {
        role: "assistant",
        content: "Looking.",
        reasoning_content: "I shall look.",
        tool_calls: [written("call_1"), written("call_2")],
      },
      { role: "tool", tool_call_id: "call_1", content: "a cat" },
      { role: "tool", tool_call_id: "call_2", content: "a dog" },
    ]);
  });

  it("reaches a Responses backend as it is, with what Toolwire does not know", async () => {
    const items = [
      {
        type: "message",
        role: "assistant",
        id: "msg_1",
        content: [{ type: "output_text", text: "Hm.", annotations: [] }],
        phase: "commentary",
        status: "completed",
      },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
      {
        type: "function_call",
        id: "fc_1",
        call_id: "c1",
        name: "f",
        namespace: "n",
        arguments: "{}",
        status: "completed",
      },
      { type: "function_call_output", call_id: "c1", output: "x" },
      { type: "custom_tool_call", id: "ctc_1", call_id: "c2", name: "patch", input: "*** Begin" },
      { type: "custom_tool_call_output", call_id: "c2", output: "done" },
      { type: "web_search_call", id: "ws_1", status: "completed" },
      { type: "item_reference", id: "msg_0" },
    ];
    const body = await sent("responses", {
      model: "responses/m",
      input: items,
      previous_response_id: "resp_theirs",
      client_metadata: { a: "b" },
      truncation: "auto",
      reasoning: { effort: "low", context: "auto" },
      text: { verbosity: "low" },
      unheard_of: [1],
    });
    expect(body).toMatchObject({
      input: items,
      previous_response_id: "resp_theirs",
      client_metadata: { a: "b" },
      truncation: "auto",
      reasoning: { effort: "low", context: "auto" },
      text: { verbosity: "low" },
      unheard_of: [1],
    });
  });

  it("sampling and format go by the chat names, and nothing that a chat provider would refuse", async () => {
    const body = await sent("responses", {
      model: "chat/m",
      input: "hi",
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 64,
      reasoning: { effort: "high", summary: "auto" },
      text: { format: { type: "json_schema", name: "w", strict: true, schema: { type: "object" } } },
      store: true,
      include: ["reasoning.encrypted_content"],
      client_metadata: {},
      prompt_cache_key: "k",
    });
    expect(body).toEqual({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      stream: false,
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 64,
      reasoning_effort: "high",
      response_format: { type: "json_schema", json_schema: { name: "w", strict: true, schema: { type: "object" } } },
    });
  });
});

describe("what a Chat client sends", () => {
  it("reaches a chat backend with the parameters that Toolwire does not know", async () => {
    const more = {
      top_k: 40,
      chat_template_kwargs: { thinking: true },
      max_completion_tokens: 9,
      logit_bias: { "1": 2 },
    };
    const body = await sent("chat", {
      model: "chat/m",
      messages: [
        { role: "developer", content: "d" },
        { role: "user", content: "hi", name: "ann" },
      ],
      ...more,
    });
    expect(body).toMatchObject(more);
    expect(messages(body)).toEqual([
      { role: "developer", content: "d" },
      { role: "user", content: "hi", name: "ann" },
    ]);
  });

  it("reaches a Responses backend as items", async () => {
    const body = await sent("chat", {
      model: "responses/m",
      max_tokens: 30,
      reasoning_effort: "low",
      stop: ["x"],
      messages: [
        { role: "system", content: "s" },
        { role: "user", content: "q" },
        {
          role: "assistant",
          content: "a",
          reasoning_content: "hm",
          tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "c1", content: "r" },
      ],
    });
    expect(input(body)).toEqual([
      { type: "message", role: "system", content: [{ type: "input_text", text: "s" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "q" }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "a", annotations: [] }] },
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "r" },
    ]);
    expect(body).toMatchObject({ max_output_tokens: 30, reasoning: { effort: "low" }, store: false });
    expect(body).not.toHaveProperty("stop");
  });

  it.each(backends)("gives its reasoning back to a %s backend where that can take it", async (backend) => {
    const body = await sent("chat", {
      model: `${backend}/m`,
      messages: [
        { role: "user", content: "q" },
        {
          role: "assistant",
          content: null,
          reasoning_content: "hm",
          tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "c1", content: "r" },
      ],
    });
    if (backend === "chat") expect(messages(body)[1]).toMatchObject({ role: "assistant", reasoning_content: "hm" });
    else expect(JSON.stringify(body)).not.toContain("hm");
  });
});

describe("images", () => {
  it.each(backends)("of a user reach a %s backend in its shape", async (backend) => {
    const parts =
      backend === "chat"
        ? { type: "image_url", image_url: { url: image, detail: "low" } }
        : { type: "input_image", image_url: image, detail: "low" };
    const fromChat = await sent("chat", {
      model: `${backend}/m`,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "?" },
            { type: "image_url", image_url: { url: image, detail: "low" } },
          ],
        },
      ],
    });
    const fromResponses = await sent("responses", {
      model: `${backend}/m`,
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "?" },
            { type: "input_image", image_url: image, detail: "low" },
          ],
        },
      ],
    });
    for (const body of [fromChat, fromResponses]) {
      expect(JSON.stringify(body)).toContain(JSON.stringify(parts));
    }
  });

  const withImage = {
    input: [
      { role: "user", content: "look" },
      { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
      {
        type: "function_call_output",
        call_id: "c1",
        output: [
          { type: "input_text", text: "see:" },
          { type: "input_image", image_url: image },
          { type: "input_image", file_id: "file_1" },
        ],
      },
    ],
  };

  it("of a tool stay in its output for a Responses backend", async () => {
    const body = await sent("responses", { model: "responses/m", ...withImage });
    expect(input(body).at(-1)?.output).toMatchObject([
      { type: "input_text" },
      { type: "input_image", image_url: image },
      { type: "input_image", file_id: "file_1" },
    ]);
  });

  it("of a tool follow in a message for a chat backend, which has no other place; what cannot be carried is told", async () => {
    const body = await sent("responses", { model: "chat/m", ...withImage });
    expect(messages(body).slice(-2)).toEqual([
      {
        role: "tool",
        tool_call_id: "c1",
        content: "see:\n[image attached in the next message]\n[an attached image that cannot be shown to this model]",
      },
      {
        role: "user",
        content: [
          { type: "text", text: "Attached by the tool call c1:" },
          { type: "image_url", image_url: { url: image } },
        ],
      },
    ]);
  });
});

describe("tools of special types", () => {
  const toolTypes = () => (provider.requests.at(-1)?.body.tools as JsonObject[] | undefined)?.map(({ type }) => type);
  const fn = { type: "function", name: "f", parameters: { type: "object" } };
  const special = [
    { type: "web_search" },
    { type: "namespace", name: "agents", tools: [{ type: "function", name: "spawn" }, { type: "shell" }] },
    { type: "custom", name: "apply_patch", format: { type: "text" } },
    { type: "mcp", server_label: "s", server_url: "https://example.com" },
  ];

  it("that the backend's API knows are passed on; of the rest, what can be a function is one, and others are named", async () => {
    const tools = [fn, ...special, { type: "acme:thing" }];
    const known = await ask(gateway, "responses", { model: "responses/m", input: "hi", tools });
    expect(toolTypes()).toEqual(["function", "web_search", "namespace", "custom", "mcp"]);
    expect(known.headers.get("x-toolwire-dropped-tools")).toBe("acme:thing");

    const chat = await ask(gateway, "responses", { model: "chat/m", input: "hi", tools, stream: true });
    expect(offeredTools(provider.requests.at(-1)?.body ?? {}).map(({ name }) => name)).toEqual([
      "f",
      "agents__spawn",
      "apply_patch",
    ]);
    expect(chat.headers.get("x-toolwire-dropped-tools")).toBe("web_search, shell, mcp, acme:thing");
  });

  it("may be named in tool_choice, and reach a Responses backend with it", async () => {
    const namespace = { type: "namespace", name: "agents", tools: [{ type: "function", name: "f" }] };
    const allowed = {
      type: "allowed_tools",
      mode: "auto",
      tools: [
        { type: "function", name: "f" },
        { type: "namespace", name: "agents" },
      ],
    };
    const several = await sent("responses", {
      model: "responses/m",
      input: "hi",
      tools: [fn, namespace],
      tool_choice: allowed,
    });
    expect(several.tool_choice).toEqual(allowed);
    const forced = { type: "function", name: "f", namespace: "agents" };
    const one = await ask(gateway, "responses", {
      model: "responses/m",
      input: "hi",
      tools: [namespace],
      tool_choice: forced,
    });
    expect(provider.requests.at(-1)?.body.tool_choice).toEqual(forced);
    expect(one.error?.code).toBe("tool_call_invalid");
  });

  it("that stand in the input count too", async () => {
    const additional = { type: "additional_tools", role: "developer", tools: [fn] };
    const input = [additional, { role: "user", content: "hi" }];
    const body = await sent("responses", { model: "responses/m", input, parallel_tool_calls: false });
    expect(body).toMatchObject({ input: [additional, {}], parallel_tool_calls: false });
    const chat = await ask(gateway, "responses", { model: "chat/m", input });
    expect(chat.headers.get("x-toolwire-dropped-tools")).toBeNull();
    expect(offeredTools(provider.requests.at(-1)?.body ?? {})).toMatchObject([{ name: "f", kind: "function" }]);
  });

  it("leave no tool_choice behind when none is left", async () => {
    const body = await sent("responses", {
      model: "chat/m",
      input: "hi",
      tools: [{ type: "web_search" }],
      tool_choice: { type: "web_search" },
      parallel_tool_calls: true,
    });
    expect(body).toEqual({ model: "m", stream: false, messages: [{ role: "user", content: "hi" }] });
  });
});

describe("what an SDK or another backend left in the history", () => {
  it("is taken out where a Responses provider would refuse it", async () => {
    const ours = `rs_${"0".repeat(32)}`;
    const body = await sent("responses", {
      model: "responses/m",
      input: [
        { type: "reasoning", id: ours, summary: [{ type: "summary_text", text: "hm" }] },
        { type: "function_call", call_id: "c1", name: "f", arguments: { a: 1 }, parsed_arguments: { a: 1 } },
        { type: "function_call_output", call_id: "c1", output: "r" },
      ],
    });
    expect(input(body)).toEqual([
      { type: "function_call", call_id: "c1", name: "f", arguments: '{"a":1}' },
      { type: "function_call_output", call_id: "c1", output: "r" },
    ]);
  });

  it("reaches a chat backend in a form that it knows", async () => {
    const body = await sent("responses", {
      model: "chat/m",
      input: [
        { role: "user", content: "q" },
        { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: "*** Begin" },
        { type: "custom_tool_call_output", call_id: "c1", output: "done" },
        { type: "function_call", call_id: "c2", name: "f", arguments: "" },
        { type: "function_call_output", call_id: "c2", output: "r" },
      ],
    });
    const called = (id: string, name: string, text: string) => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name, arguments: text } }],
    });
    expect(messages(body).slice(1)).toEqual([
      called("c1", "apply_patch", '{"input":"*** Begin"}'),
      { role: "tool", tool_call_id: "c1", content: "done" },
      called("c2", "f", "{}"),
      { role: "tool", tool_call_id: "c2", content: "r" },
    ]);
  });
});

describe("a tool", () => {
  it("keeps what Toolwire does not know of it, for a backend of the same API", async () => {
    const tool = { type: "function", name: "f", parameters: { type: "object" }, defer_loading: true };
    const same = await sent("responses", { model: "responses/m", input: "hi", tools: [tool] });
    expect(same.tools).toEqual([{ ...tool, description: null }]);
    const other = await sent("responses", { model: "chat/m", input: "hi", tools: [tool] });
    expect(JSON.stringify(other.tools)).not.toContain("defer_loading");
  });

  it("of the custom kind has its grammar where the backend has it, and in its description elsewhere", async () => {
    const grammar = { syntax: "lark", definition: "start: /.+/" };
    const tools = [{ type: "custom", custom: { name: "p", format: { type: "grammar", grammar } } }];
    const question = [{ role: "user", content: "hi" }];
    const flat = await sent("chat", { model: "responses/m", messages: question, tools });
    expect(flat.tools).toEqual([{ type: "custom", name: "p", format: { type: "grammar", ...grammar } }]);
    const written = await sent("chat", { model: "chat/m", messages: question, tools });
    expect(offeredTools(written)).toMatchObject([
      { kind: "function", name: "p", description: expect.stringContaining("lark grammar:\nstart: /.+/") },
    ]);
  });
});

describe("an alias", () => {
  it("may go to an address of its own", async () => {
    const other = await startProvider(() => ({ say: "elsewhere" }));
    const { backends: shared } = bothBackends(provider);
    const own = await startGateway({
      backends: shared,
      models: { far: { backend: "chat", base_url: other.url, model: "m" } },
    });
    const answer = await ask(own, "chat", { model: "far", messages: [{ role: "user", content: "hi" }] });
    expect(answer.text).toBe("elsewhere");
    await own.close();
    await other.close();
  });
});

describe("legacy functions", () => {
  it("are tools with ids by the time they reach a backend", async () => {
    for (const backend of backends) {
      const body = await sent("chat", {
        model: `${backend}/m`,
        functions: [{ name: "f", parameters: { type: "object" } }],
        messages: [
          { role: "user", content: "q" },
          { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
          { role: "function", name: "f", content: "r" },
        ],
      });
      const [, call, output] = conversation(body) as { kind: string; id: string }[];
      expect(call?.kind).toBe("call");
      expect(output).toMatchObject({ kind: "output", id: call?.id });
    }
  });
});
