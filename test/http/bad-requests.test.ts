import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";
import { startGateway } from "../support/gateway.ts";

const demo = { backends: { demo: { kind: "demo", pace: "0ms" } }, default_model: "demo", limits: { body: "64kb" } };
const user = { role: "user", content: "hello" };
const tool = { type: "function", function: { name: "get_time" } };

let gateway: RunningServer;
beforeAll(async () => {
  gateway = await startGateway(demo);
});
afterAll(() => gateway.close());

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const json = parseJson(await response.text());
  const error = isObject(json) && isObject(json.error) ? json.error : undefined;
  return { status: response.status, headers: response.headers, error };
}

function expectEnvelope(error: JsonObject | undefined): void {
  expect(error && Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
  expect(typeof error?.message).toBe("string");
}

describe("a malformed Chat request gets a 400 that names the field", () => {
  it.each<[string, JsonObject, string]>([
    ["no messages", { model: "demo" }, "messages"],
    ["messages that are not a list", { messages: "hi" }, "messages"],
    ["no message at all", { messages: [] }, "messages"],
    ["a message that is not an object", { messages: ["hi"] }, "messages[0]"],
    ["a message without a role", { messages: [{ content: "hi" }] }, "messages[0].role"],
    ["an unknown role", { messages: [{ role: "robot", content: "hi" }] }, "messages[0].role"],
    ["a user who says nothing", { messages: [{ role: "user" }] }, "messages[0].content"],
    ["content of a wrong kind", { messages: [{ role: "user", content: 7 }] }, "messages[0].content"],
    [
      "a part without a type",
      { messages: [{ role: "user", content: [{ text: "hi" }] }] },
      "messages[0].content[0].type",
    ],
    [
      "an image without a URL",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: {} }] }] },
      "messages[0].content[0].image_url.url",
    ],
    ["a result without a call id", { messages: [user, { role: "tool", content: "x" }] }, "messages[1].tool_call_id"],
    [
      "a call without an id",
      { messages: [user, { role: "assistant", tool_calls: [{ function: { name: "f" } }] }] },
      "messages[1].tool_calls[0].id",
    ],
    [
      "a call without a function",
      { messages: [user, { role: "assistant", tool_calls: [{ id: "c" }] }] },
      "messages[1].tool_calls[0].function",
    ],
    [
      "a legacy result of nothing",
      { messages: [user, { role: "function", name: "f", content: "x" }] },
      "messages[1].name",
    ],
    ["tools that are not a list", { messages: [user], tools: {} }, "tools"],
    ["a tool without a type", { messages: [user], tools: [{ name: "f" }] }, "tools[0].type"],
    [
      "a function without a name",
      { messages: [user], tools: [{ type: "function", function: {} }] },
      "tools[0].function.name",
    ],
    [
      "parameters that are not a schema",
      { messages: [user], tools: [{ type: "function", function: { name: "f", parameters: 1 } }] },
      "tools[0].function.parameters",
    ],
    ["an unknown choice", { messages: [user], tools: [tool], tool_choice: "maybe" }, "tool_choice"],
    [
      "a choice of a tool that is not there",
      { messages: [user], tools: [tool], tool_choice: { type: "function", function: { name: "other" } } },
      "tool_choice",
    ],
    ["a call demanded of nobody", { messages: [user], tool_choice: "required" }, "tool_choice"],
    [
      "a call demanded of a tool that cannot be offered",
      { messages: [user], tools: [{ type: "web_search" }], tool_choice: "required" },
      "tool_choice",
    ],
    ["two answers at once", { messages: [user], n: 2 }, "n"],
    ["a temperature in words", { messages: [user], temperature: "hot" }, "temperature"],
    ["a stream that is a word", { messages: [user], stream: "yes" }, "stream"],
    ["an unknown format", { messages: [user], response_format: { type: "poem" } }, "response_format.type"],
    [
      "a schema without a name",
      { messages: [user], response_format: { type: "json_schema", json_schema: {} } },
      "response_format.json_schema.name",
    ],
    ["stop words that are numbers", { messages: [user], stop: [1] }, "stop"],
  ])("%s", async (_case, body, param) => {
    const { status, error } = await post("/v1/chat/completions", { model: "demo", ...body });
    expect(status).toBe(400);
    expectEnvelope(error);
    expect(error?.param).toBe(param);
    expect(error?.message).toContain(param);
  });
});

describe("a malformed Responses request gets a 400 that names the field", () => {
  it.each<[string, JsonObject, string]>([
    ["no input", {}, "input"],
    ["a number as input", { input: 3 }, "input"],
    ["an item that is not an object", { input: ["hi"] }, "input[0]"],
    ["an item without a type", { input: [{ text: "hi" }] }, "input[0].type"],
    ["an unknown role", { input: [{ role: "tool", content: "x" }] }, "input[0].role"],
    ["content of a wrong kind", { input: [{ role: "user", content: {} }] }, "input[0].content"],
    [
      "a part without text",
      { input: [{ role: "user", content: [{ type: "input_text" }] }] },
      "input[0].content[0].text",
    ],
    [
      "a call without a call_id",
      { input: [{ type: "function_call", name: "f", arguments: "{}" }] },
      "input[0].call_id",
    ],
    ["a result without an output", { input: [{ type: "function_call_output", call_id: "c" }] }, "input[0].output"],
    ["a result without a call_id", { input: [{ type: "function_call_output", output: "x" }] }, "input[0].call_id"],
    ["a tool without a name", { input: "hi", tools: [{ type: "function" }] }, "tools[0].name"],
    ["instructions that are a number", { input: "hi", instructions: 1 }, "instructions"],
    ["an unknown format", { input: "hi", text: { format: { type: "poem" } } }, "text.format.type"],
    ["a response that is kept nowhere", { input: "hi", previous_response_id: "resp_1" }, "previous_response_id"],
    ["a reference to an item that is kept nowhere", { input: [{ type: "item_reference", id: "msg_1" }] }, "input[0]"],
  ])("%s", async (_case, body, param) => {
    const { status, error } = await post("/v1/responses", { model: "demo", ...body });
    expect(status).toBe(400);
    expectEnvelope(error);
    expect(error?.param).toBe(param);
  });
});

describe("every path answers a mistake with the envelope", () => {
  it.each<[string, () => ReturnType<typeof post>, number, string]>([
    ["broken JSON", () => post("/v1/responses", '{"model": '), 400, "invalid_json"],
    ["an empty body", () => post("/v1/responses", ""), 400, "invalid_json"],
    ["a list as the body", () => post("/v1/chat/completions", "[]"), 400, "invalid_request"],
    [
      "a form as the body",
      () => post("/v1/chat/completions", "a=b", { "content-type": "text/plain" }),
      415,
      "unsupported_media_type",
    ],
    ["a body over the limit", () => post("/v1/responses", { input: "x".repeat(70_000) }), 413, "body_too_large"],
    ["an unknown path", () => post("/v1/nothing", {}), 404, "not_found"],
    ["a wrong method", () => post("/v1/models", {}), 405, "method_not_allowed"],
    ["an unknown model", () => post("/v1/responses", { model: "dmeo", input: "x" }), 404, "model_not_found"],
    [
      "an unknown dialect of the demo",
      () => post("/v1/responses", { model: "demo/klingon", input: "x" }),
      404,
      "model_not_found",
    ],
    [
      "an unknown profile",
      () => post("/v1/responses", { input: "x" }, { "x-toolwire-profile": "loud" }),
      400,
      "unsupported_value",
    ],
  ])("%s", async (_case, send, status, code) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expectEnvelope(answer.error);
    expect(answer.error?.code).toBe(code);
    expect(answer.headers.get("x-request-id")).toBeTruthy();
  });

  it.each(["max_tool_calls", "metadata", "tools", "input", "unheard_of"])(
    "%s that is nested without end",
    async (field) => {
      const nested = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
      const { status, error } = await post(
        "/v1/responses",
        `{"model":"demo","stream":true,"input":"q","${field}":${nested}}`,
      );
      expect(status).toBe(400);
      expectEnvelope(error);
    },
  );

  it("an unknown model is answered with the nearest name", async () => {
    const { error } = await post("/v1/chat/completions", { model: "dmeo", messages: [user] });
    expect(error?.message).toContain('Did you mean "demo"?');
  });

  it.each([
    ["what is not HTTP", "GARBAGE\r\n\r\n", 400],
    ["headers without end", `GET /health HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
  ])("%s is answered too", async (_case, text, status) => {
    const { port } = new URL(gateway.url);
    const answer = await new Promise<string>((resolve) => {
      let received = "";
      const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
      socket.on("data", (data) => {
        received += data.toString();
      });
      socket.on("close", () => resolve(received));
      socket.on("error", () => resolve(received));
    });
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expectEnvelope((parseJson(answer.slice(answer.indexOf("{"))) as { error: JsonObject }).error);
  });

  it("no body crashes the gateway or gets anything but a 200 or a 4xx", async () => {
    const keys = ["model", "messages", "input", "tools", "tool_choice", "stream", "text", "reasoning", "n", "metadata"];
    const values = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant([user]), fc.constant("hi"), fc.constant([tool]));
    const bodies = fc.dictionary(fc.constantFrom(...keys), values, { noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom("/v1/chat/completions", "/v1/responses"), async (body, path) => {
        const { status, error } = await post(path, body);
        if (status !== 200) expectEnvelope(error);
        expect(status === 200 || (status >= 400 && status < 500)).toBe(true);
      }),
      { numRuns: 300 },
    );
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  });
});
