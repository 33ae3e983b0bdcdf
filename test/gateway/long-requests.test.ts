import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toConfig } from "../../src/config/index.ts";
import { createGateway, type Gateway } from "../../src/gateway/index.ts";
import { parts } from "../../src/gateway/parts.ts";
import { Cancellation, type JsonObject, type ReplyStream } from "../../src/turn/index.ts";

/** A provider that notes when a request begins to arrive, not when all of it is there. */
class EarlyProvider {
  readonly #server = createServer((request, response) => {
    this.hasBegun = true;
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      this.sent = JSON.parse(Buffer.concat(pieces).toString()) as JsonObject;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(request.url?.endsWith("/responses") ? wholeResponse : wholeChat));
    });
  });
  hasBegun = false;
  sent: JsonObject = {};

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const wholeChat = { choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }] };
const wholeResponse = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [{ type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hello." }] }],
};

const provider = new EarlyProvider();
let gateway: Gateway;
beforeAll(async () => {
  const backend = { base_url: await provider.start(), retries: 0 };
  const config = {
    log: { level: "silent" },
    store: { url: "memory:" },
    backends: {
      chat: { kind: "chat", ...backend },
      responses: { kind: "responses", ...backend },
      prompted: { kind: "chat", tools: "prompted", ...backend },
    },
  };
  gateway = await createGateway(toConfig(config, { ...parts, environment: {}, directory: "/" }));
});
afterAll(async () => {
  await gateway.close();
  provider.close();
});

const nobody: ReplyStream = { open() {}, write: () => undefined, end() {} };

/** Runs a turn, and counts how often the event loop came round before the provider began to get the request. */
async function loopTurns(api: "chat" | "responses", body: JsonObject): Promise<number> {
  provider.hasBegun = false;
  let turns = 0;
  const count = () => {
    if (provider.hasBegun) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  const prepared = await gateway.prepare(api, body, { requestId: "r", key: null, receivedAt: performance.now() });
  const ending = await prepared.run(nobody, new Cancellation());
  expect(ending.error).toBeUndefined();
  return turns;
}

const list = <Entry>(length: number, entry: (at: number) => Entry) => Array.from({ length }, (_, at) => entry(at));
const user = { role: "user", content: "hello there" };
const call = (at: number) => ({ id: `call_${at}`, type: "function", function: { name: "f", arguments: '{"a": 1}' } });
const item = (at: number) => ({ type: "function_call", call_id: `call_${at}`, name: "f", arguments: "{}" });
const output = (at: number) => ({ type: "function_call_output", call_id: `call_${at}`, output: "ok" });

describe("a long request gives the event loop back while it is prepared and written", () => {
  it.each<[string, "chat" | "responses", string, JsonObject, number]>([
    ["many messages", "chat", "chat", { messages: list(100_000, () => user) }, 100_000],
    ["many messages for the other API", "chat", "responses", { messages: list(100_000, () => user) }, 100_000],
    ["many messages for a prompted model", "chat", "prompted", { messages: list(100_000, () => user) }, 100_000],
    [
      "many calls",
      "chat",
      "chat",
      {
        messages: [
          user,
          ...list(3, (at) => ({ role: "assistant", tool_calls: list(8_000, (own) => call(at * 10_000 + own)) })),
        ],
      },
      // One after the other, they are one message for a provider.
      2,
    ],
    [
      "many calls and outputs",
      "responses",
      "responses",
      { input: [user, ...list(12_000, item), ...list(12_000, output)] },
      24_001,
    ],
    [
      "numbered calls",
      "responses",
      "chat",
      {
        input: [
          user,
          ...list(4_000, (at) => [
            { ...item(at), call_id: `fc_${1000 + at}` },
            { ...output(at), call_id: `fc_${1000 + at}` },
          ]).flat(),
        ],
      },
      8_001,
    ],
    ["one long text", "chat", "chat", { messages: [{ role: "user", content: "é".repeat(20_000_000) }] }, 1],
  ])("%s", async (_case, api, backend, body, entries) => {
    await loopTurns(api, { model: `${backend}/m`, messages: [user], input: [user] });
    const short = await loopTurns(api, { model: `${backend}/m`, messages: [user], input: [user] });
    const long = await loopTurns(api, { model: `${backend}/m`, ...body });
    expect(provider.sent[backend === "responses" ? "input" : "messages"]).toHaveLength(entries);
    expect(long).toBeGreaterThan(short + 1);
  });
});
