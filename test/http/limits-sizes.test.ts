import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiPaths } from "../../src/http/api-paths.ts";
import { BrokenRequests } from "../../src/http/broken-requests.ts";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";
import { startGateway } from "../support/gateway.ts";
import { connectTo, postText, readAll } from "../support/raw-client.ts";

let gateway: RunningServer;
beforeAll(async () => {
  gateway = await startGateway({
    backends: { demo: { kind: "demo", pace: "0ms" } },
    default_model: "demo",
    limits: { body: "64kb", tool_output: "1kb" },
  });
});
afterAll(() => gateway.close());

interface Answer {
  status: number;
  error: JsonObject | undefined;
}

/** Sends what `fetch` would not, and reads until the gateway hangs up. */
async function send(text: string): Promise<Answer> {
  const socket = connectTo(gateway);
  const answer = readAll(socket);
  socket.write(text);
  return read(await answer);
}

function read(raw: string): Answer {
  const json = parseJson(raw.slice(raw.indexOf("{")));
  const error = isObject(json) && isObject(json.error) ? json.error : undefined;
  return { status: Number(raw.slice(9, 12)), error };
}

function post(path: string, body: JsonObject): Promise<Answer> {
  return send(postText(path, body, ["connection: close"]));
}

describe("headers", () => {
  const get = (path: string, ...headers: string[]) =>
    send(`${[`GET ${path} HTTP/1.1`, "host: localhost", "connection: close", ...headers].join("\r\n")}\r\n\r\n`);
  const manyHeaders = Array.from({ length: 1_800 }, (_, at) => `x-header-${at}: ${at}`);

  it("of an ordinary size are taken", async () => {
    expect((await get("/health", `x-long: ${"y".repeat(8_000)}`)).status).toBe(200);
    expect((await get(`/health?${"q".repeat(8_000)}`)).status).toBe(200);
    expect((await get("/health", ...manyHeaders.slice(0, 300))).status).toBe(200);
  });

  it.each<[string, () => Promise<Answer>]>([
    ["one that is too long", () => get("/health", `x-long: ${"y".repeat(20_000)}`)],
    ["too many", () => get("/health", ...manyHeaders)],
    ["an address that is too long", () => get(`/health?${"q".repeat(20_000)}`)],
    ["a path that is too long", () => get(`/v1/models/${"m".repeat(20_000)}`)],
  ])("are answered with 431: %s", async (_case, ask) => {
    expect(await ask()).toEqual({
      status: 431,
      error: {
        message: "The request's headers are too large.",
        type: "invalid_request_error",
        param: null,
        code: "headers_too_large",
      },
    });
  });

  it("that are too large do not hold a connection, though the client does not hang up", async () => {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).resume();
    client.on("error", () => {});
    const [socket] = (await once(server, "connection")) as [Socket];
    new BrokenRequests(new ApiPaths([])).answer(new Error("not HTTP"), socket);
    await once(socket, "close");
    client.destroy();
    server.close();
  });

  it("of a web page's own id are replaced when they are too long", async () => {
    const response = await fetch(`${gateway.url}/health`, { headers: { "x-request-id": "r".repeat(129) } });
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
  });
});

describe("a body", () => {
  it.each(["/v1/chat/completions", "/v1/responses"])("over limits.body is 413 (%s)", async (path) => {
    const { status, error } = await post(path, { input: "x".repeat(70_000) });
    expect(status).toBe(413);
    expect(error).toMatchObject({ code: "body_too_large", message: expect.stringContaining("65536 bytes") });
  });

  it("over limits.body is 413 though its length is not told", async () => {
    const head = postText("/v1/responses", "", ["connection: close"]).replace(
      "content-length: 0",
      "transfer-encoding: chunked",
    );
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    const { status, error } = await send(`${head}${chunk.repeat(5)}0\r\n\r\n`);
    expect(status).toBe(413);
    expect(error?.code).toBe("body_too_large");
  });
});

describe("a field", () => {
  it.each([
    [
      "/v1/chat/completions",
      { messages: [{ role: "user", content: "hi", name: "n".repeat(2_000) }] },
      "messages[0].name",
    ],
    ["/v1/responses", { input: [{ role: "user", content: "hi" }], user: "u".repeat(5_000) }, "user"],
    ["/v1/responses", { input: "hi", model: "m".repeat(3_000) }, "model"],
  ])("that is too long is a 400 that names it (%s)", async (path, body, param) => {
    const { status, error } = await post(path, body);
    expect(status).toBe(400);
    expect(error).toMatchObject({ param, code: "string_above_max_length", type: "invalid_request_error" });
  });
});

describe("a tool's output", () => {
  const chat = (content: string) => ({
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c", content },
    ],
  });
  const responses = (output: string) => ({
    input: [
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output },
    ],
  });

  it.each<[string, (output: string) => JsonObject, string]>([
    ["/v1/chat/completions", chat, "messages[2].content"],
    ["/v1/responses", responses, "input[1].output"],
  ])("over limits.tool_output is 400 tool_output_too_large (%s)", async (path, body, param) => {
    expect((await post(path, body("x".repeat(1_024)))).status).toBe(200);
    const { status, error } = await post(path, body("x".repeat(1_025)));
    expect(status).toBe(400);
    expect(error).toMatchObject({ param, code: "tool_output_too_large", type: "invalid_request_error" });
    expect(error?.message).toContain("1025 bytes of text; a tool output may have 1024");
  });

  it("may be a megabyte, unless said otherwise", async () => {
    const usual = await startGateway({ backends: { demo: { kind: "demo", pace: "0ms" } }, default_model: "demo" });
    const status = async (output: string) => {
      const response = await fetch(`${usual.url}/v1/responses`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(responses(output)),
      });
      await response.text();
      return response.status;
    };
    expect(await status("x".repeat(1024 * 1024))).toBe(200);
    expect(await status("x".repeat(1024 * 1024 + 1))).toBe(400);
    await usual.close();
  });
});
