import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";
import { startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";
import { connectTo, readAll } from "../support/raw-client.ts";

const path = "/v1/chat/completions";
const mb = 1024 * 1024;
let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(() => ({ say: "Hello." }));
  gateway = await startGateway({
    backends: { chat: { kind: "chat", base_url: provider.url, retries: 0 }, demo: { kind: "demo", pace: "0ms" } },
    limits: { memory: "64mb" },
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

function head(length: number | "chunked"): string {
  const size = length === "chunked" ? "transfer-encoding: chunked" : `content-length: ${length}`;
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${size}\r\n\r\n`;
}

interface Answer {
  status: number;
  error: JsonObject | undefined;
}

function answerIn(raw: string): Answer {
  const json = parseJson(raw.slice(raw.indexOf("\r\n\r\n") + 4));
  const error = isObject(json) && isObject(json.error) ? json.error : undefined;
  return { status: Number(raw.slice(9, 12)), error };
}

/** Writes the beginning of a body, and no more. The answer must come all the same. */
async function sendOnly(beginning: string, length = 31 * mb): Promise<Answer> {
  const socket = connectTo(gateway);
  let raw = "";
  socket.on("data", (piece) => {
    raw += piece;
  });
  socket.write(head(length));
  socket.write(beginning);
  while (!raw.includes("\r\n\r\n{")) await once(socket, "data");
  socket.destroy();
  return answerIn(raw);
}

async function post(body: string): Promise<{ status: number; json: JsonObject }> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const json = parseJson(await response.text());
  return { status: response.status, json: isObject(json) ? json : {} };
}

describe("a large body is refused before all of it has come", () => {
  const start = '{"model":"demo","messages":[{"role":"user","content":"hi"}],"x":';
  it.each([
    ["brackets", "[".repeat(mb), "nested too deeply"],
    ["brackets and braces", '[{"a":'.repeat(mb / 4), "nested too deeply"],
    ["empty lists", `[${"[],".repeat(mb)}`, "more than 500000 values"],
    ["empty objects", `[${"{},".repeat(mb)}`, "more than 500000 values"],
    ["numbers", `[${"1,".repeat(mb)}`, "more than 500000 values"],
    [
      "keys",
      `{${Array.from({ length: 30_000 }, (_, at) => `"key${at}":1`).join(",")},`,
      "An object in the body has more than 20000 keys",
    ],
  ])("%s", async (_case, bomb, message) => {
    const { status, error } = await sendOnly(start + bomb);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: "invalid_request", message: expect.stringContaining(message) });
  });

  it("what is not JSON", async () => {
    const { status, error } = await sendOnly(`${start}"${"x".repeat(mb)}" oops, ${"1,".repeat(100_000)}`);
    expect(status).toBe(400);
    expect(error?.code).toBe("invalid_json");
  });

  it("what is larger than limits.body, by its content-length", async () => {
    const { status, error } = await sendOnly("{", 33 * mb);
    expect(status).toBe(413);
    expect(error?.code).toBe("body_too_large");
  });
});

describe("a client whose body is refused", () => {
  it("can read the answer though it sends on, and its connection is closed", async () => {
    const socket = connectTo(gateway);
    const answer = readAll(socket);
    socket.write(head("chunked"));
    const closed = once(socket, "close");
    let isOpen = true;
    void closed.then(() => {
      isOpen = false;
    });
    const chunk = `10000\r\n${"[".repeat(0x10000)}\r\n`;
    // More than the sockets' buffers hold.
    for (let sent = 0; sent < 160 && isOpen; sent++) {
      if (!socket.write(chunk)) await Promise.race([once(socket, "drain"), closed]);
    }
    socket.end("0\r\n\r\n");
    const { status, error } = answerIn(await answer);
    expect(status).toBe(400);
    expect(error?.message).toContain("nested too deeply");
  });
});

describe("a large body is read as a small one is", () => {
  const long = 'line\\n\\u00e9漢😀\\ud83d\\ude00\\\\ \\"q\\" '.repeat(20_000);
  const many = Array.from({ length: 20_000 }, (_, at) => ({ role: "user", content: `message ${at}` }));

  it("the provider gets the same request", async () => {
    const rest = `{"role":"user","content":"${long}"},${JSON.stringify(many).slice(1)}`;
    const body = `\ufeff {"model":"chat/m", "temperature" : 0.5, "messages" : [ ${rest} , "other" : {"a":[1,2,{"b":null}]}}`;
    const { status } = await post(body);
    expect(status).toBe(200);
    const sent = provider.requests.at(-1)?.body;
    const meant = JSON.parse(body.slice(1)) as JsonObject;
    expect(sent).toMatchObject({ temperature: 0.5, other: { a: [1, 2, { b: null }] } });
    expect(JSON.stringify(sent?.messages)).toBe(JSON.stringify(meant.messages));
  });

  it("keys that could change a prototype are removed", async () => {
    const hostile = '"__proto__":{"x":1},"a":{"\\u005f_proto__":{"x":1},"b":1,"constructor":{"prototype":{"x":1}}}';
    const { status } = await post(
      `{"model":"chat/m","messages":[{"role":"user","content":"${long}"}],"other":{${hostile}}}`,
    );
    expect(status).toBe(200);
    expect(JSON.stringify(provider.requests.at(-1)?.body.other)).toBe('{"a":{"b":1}}');
  });

  it("one that breaks off does no harm", async () => {
    const socket = connectTo(gateway);
    socket.write(head(2 * mb));
    socket.write(`{"a":"${"x".repeat(mb)}`);
    await sleep(50);
    socket.destroy();
    expect((await post('{"model":"demo","messages":[{"role":"user","content":"hi"}]}')).status).toBe(200);
  });

  it("a chunked one is taken whatever its chunks are", async () => {
    const socket = connectTo(gateway);
    const answer = readAll(socket);
    socket.write(head("chunked").replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"));
    const body = Buffer.from(`{"model":"demo","messages":[{"role":"user","content":"${long.repeat(2)}"}]}`);
    for (let at = 0; at < body.length; at += 70_001) writeChunk(socket, body.subarray(at, at + 70_001));
    socket.write("0\r\n\r\n");
    expect((await answer).slice(9, 12)).toBe("200");
  });
});

function writeChunk(socket: Socket, bytes: Buffer): void {
  socket.write(`${bytes.length.toString(16)}\r\n`);
  socket.write(bytes);
  socket.write("\r\n");
}

describe("a conversation of very many calls", () => {
  it("gets an answer, or an error that says what is too much", async () => {
    const call = (at: string) => ({ id: `call_${at}`, type: "function", function: { name: "f", arguments: "{}" } });
    const message = (count: number, own: number) => ({
      role: "assistant",
      content: null,
      tool_calls: Array.from({ length: count }, (_, at) => call(`${own}_${at}`)),
    });
    const messages = (count: number) => Array.from({ length: 20 }, (_, own) => message(count, own));
    expect((await post(JSON.stringify({ model: "chat/m", messages: messages(1_000) }))).status).toBe(200);
    const { status, json } = await post(JSON.stringify({ model: "chat/m", messages: messages(10_000) }));
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: { code: "invalid_request", message: "The body holds more than 500000 values." },
    });
  });
});
