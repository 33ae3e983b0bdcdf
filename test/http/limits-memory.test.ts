import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";
import { connectTo } from "../support/raw-client.ts";

const path = "/v1/chat/completions";
const kb = 1024;
const clients = 60;
let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(() => ({ say: "Hello." }));
  gateway = await startGateway({
    backends: { chat: { kind: "chat", base_url: provider.url, retries: 0 }, demo: { kind: "demo", pace: "0ms" } },
    limits: { memory: "4mb", body: "1mb" },
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
}

async function until(name: string, isRight: (value: number) => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !isRight(await metric(name)); tries++) await sleep(25);
  expect(isRight(await metric(name))).toBe(true);
}

const held = "toolwire_memory_held_bytes";

/** A client that has sent most of a body of 512 KB and now waits. */
class Holder {
  readonly socket: Socket;
  answer = "";

  constructor(model = "demo", size = 512 * kb) {
    this.socket = connectTo(gateway);
    this.socket.on("data", (piece) => {
      this.answer += piece;
    });
    const start = `{"model":"${model}","messages":[{"role":"user","content":"`;
    const end = '"}]}';
    const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n`;
    this.socket.write(head + start + "x".repeat(size - start.length - end.length));
    this.finish = () => this.socket.write(end);
  }

  readonly finish: () => void;

  get status(): string {
    return this.answer.slice(9, 12);
  }
}

function small(): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"model":"demo","messages":[{"role":"user","content":"hi"}]}',
  });
}

describe("clients that hold large bodies", () => {
  it("are refused beyond limits.memory; small requests pass, and everything is given back", async () => {
    expect(await metric("toolwire_memory_limit_bytes")).toBe(4 * kb * kb);
    const holders = Array.from({ length: clients }, () => new Holder());
    await until("toolwire_memory_refusals_total", (count) => count >= clients - 12);
    await until(held, (bytes) => bytes > 3 * kb * kb);
    expect(await metric(held)).toBeLessThanOrEqual(4 * kb * kb);
    const refused = () => holders.filter(({ status }) => status === "503");
    for (let tries = 0; tries < 200 && refused().length < clients - 12; tries++) await sleep(25);
    const waiting = holders.filter(({ status }) => status === "");
    // 4 MB hold nine bodies of which 448 KB count each.
    expect(waiting.length).toBeGreaterThanOrEqual(8);
    expect(waiting.length + refused().length).toBe(clients);
    const [{ answer = "" } = {}] = refused();
    expect(answer).toMatch(/^retry-after: 1\r$/m);
    expect(answer).toMatch(/^connection: close\r$/m);
    expect(answer).toMatch(/"message":"[^"]*\(limits\.memory\)[^"]*".*"code":"overloaded"/);
    expect((await small()).status).toBe(200);

    for (const { finish } of waiting) finish();
    for (const { answer: own, socket } of waiting) if (own === "") await once(socket, "data");
    expect(waiting.map(({ status }) => status)).toEqual(waiting.map(() => "200"));
    await until(held, (bytes) => bytes === 0);
    for (const { socket } of holders) socket.destroy();
  });

  it("give it back when they leave in the middle", async () => {
    const holders = Array.from({ length: 5 }, () => new Holder());
    await until(held, (bytes) => bytes > 2 * kb * kb);
    for (const { socket } of holders) socket.destroy();
    await until(held, (bytes) => bytes === 0);
  });

  it.each([
    ["a body that is not JSON", path, `{"a":"${"x".repeat(200 * kb)}"`],
    ["a body that no API takes", path, `{"a":"${"x".repeat(200 * kb)}"}`],
    ["a path that takes none", "/v1/models", `{"a":"${"x".repeat(200 * kb)}"}`],
    ["a path that does not exist", "/nothing", `{"a":"${"x".repeat(200 * kb)}"}`],
    [
      "tools that are none",
      path,
      `{"model":"demo","tools":7,"messages":[{"role":"user","content":"${"x".repeat(200 * kb)}"}]}`,
    ],
  ])("give it back after %s", async (_case, where, body) => {
    const response = await fetch(`${gateway.url}${where}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await metric(held)).toBe(0);
  });

  it("hold more if their bodies have many small values", async () => {
    const body = `{"model":"demo","messages":[{"role":"user","content":"hi"}],"x":[${"[],".repeat(50_000)}1]}`;
    const response = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    // 150 KB of text are 6 MB of lists, and no retry would help.
    expect(response.status).toBe(413);
    expect(await response.text()).toContain("limits.memory");
  });

  it("hold it until the turn is over", async () => {
    const holder = new Holder("chat/m");
    holder.finish();
    await once(holder.socket, "data");
    expect(holder.status).toBe("200");
    await until(held, (bytes) => bytes === 0);
    holder.socket.destroy();
  });
});
