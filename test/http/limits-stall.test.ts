import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { startFirehose } from "../support/firehose.ts";
import { ask, bothBackends, paths, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, startProvider } from "../support/provider.ts";
import { connectTo, postText, readAll } from "../support/raw-client.ts";

const apis = ["chat", "responses"] as const;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close();
});

/** One place, so that the next turn tells when the place is free again. */
function startWith(backends: JsonObject, stall: string): Promise<RunningServer> {
  return startGateway({ ...backends, limits: { stall, concurrent: 1 } }).then((gateway) => {
    opened.push(gateway);
    return gateway;
  });
}

/** An image of so many characters, from a provider of either API. The text of an answer is never that long. */
function image(characters: number): Record<Api, Reply> {
  const result = "A".repeat(characters);
  const images = [{ type: "image_url", image_url: { url: `data:image/png;base64,${result}` } }];
  const message = { role: "assistant", content: "", images };
  const output = [{ type: "image_generation_call", id: "ig_1", status: "completed", result }];
  return {
    chat: { whole: { choices: [{ index: 0, message, finish_reason: "stop" }] } },
    responses: { whole: { id: "resp_1", status: "completed", output } },
  };
}

async function startScripted(reply: Reply, stall: string): Promise<{ gateway: RunningServer; provider: Provider }> {
  const provider = await startProvider(({ model }) => (model === "short" ? { say: "hi" } : reply));
  opened.push(provider);
  return { gateway: await startWith(bothBackends(provider), stall), provider };
}

/** Asks, and reads nothing. */
function askWithoutReading(gateway: RunningServer, api: Api, stream: boolean): Socket {
  const socket = connectTo(gateway);
  const body = requestFor(api, { model: `${api}/long`, stream });
  socket.write(postText(paths[api], body, ["connection: close"]));
  return socket;
}

/** The turn that nobody reads has begun, and its place is free again. */
async function untilLetGo(gateway: RunningServer, provider: Provider): Promise<void> {
  while (provider.requestsOf("long").length === 0) await wait(5);
  const turn = () => ask(gateway, "chat", requestFor("chat", { model: "chat/short" }));
  for (const until = Date.now() + 10_000; (await turn()).status !== 200; await wait(50)) {
    if (Date.now() > until) throw new Error("the place was not given back");
  }
}

/** Takes a megabyte at a time, with a rest after each. */
async function readSlowly(socket: Socket, rest: number): Promise<number> {
  let length = 0;
  let sinceRest = 0;
  socket.on("data", (piece) => {
    length += piece.length;
    sinceRest += piece.length;
    if (sinceRest < 1024 * 1024) return;
    sinceRest = 0;
    socket.pause();
    setTimeout(() => socket.resume(), rest);
  });
  await new Promise((resolve) => socket.once("close", resolve));
  return length;
}

describe("a client that stops reading is let go after limits.stall", () => {
  it("in the middle of a stream, and the backend with it", async () => {
    const firehose = await startFirehose({ pieces: 25_000, length: 8_000 });
    opened.push(firehose);
    const gateway = await startWith({ backends: { chat: { kind: "chat", base_url: firehose.url } } }, "300ms");
    const socket = askWithoutReading(gateway, "chat", true);
    for (const until = Date.now() + 10_000; firehose.brokenOff === 0; await wait(20)) {
      if (Date.now() > until) throw new Error("the backend's connection was not closed");
    }
    expect(firehose.sent).toBeLessThan(25_000);
    expect(await readAll(socket)).not.toContain("[DONE]");
  });

  it.each(apis)("before a large whole answer (%s)", async (api) => {
    const { gateway, provider } = await startScripted(image(24_000_000)[api], "300ms");
    const socket = askWithoutReading(gateway, api, false);
    await untilLetGo(gateway, provider);
    expect((await readAll(socket)).length).toBeLessThan(24_000_000);
  });

  it("before the last bytes of a stream whose backend is done", async () => {
    // What was said fits the connection; the end of a Responses stream repeats it several times.
    const { gateway, provider } = await startScripted({ say: "x".repeat(3_000_000), chunk: 20_000 }, "300ms");
    const socket = askWithoutReading(gateway, "responses", true);
    await untilLetGo(gateway, provider);
    expect(await readAll(socket)).not.toContain("[DONE]");
  });
});

describe("a client that moves is not let go", () => {
  it.each(apis)("when it reads a large whole answer for longer than limits.stall (%s)", async (api) => {
    const { gateway } = await startScripted(image(30_000_000)[api], "1s");
    const began = performance.now();
    const length = await readSlowly(askWithoutReading(gateway, api, false), 90);
    expect(length).toBeGreaterThan(30_000_000);
    expect(performance.now() - began).toBeGreaterThan(2_000);
  });

  it("when it reads a stream for longer than limits.stall", async () => {
    const firehose = await startFirehose({ pieces: 5_000, length: 8_000 });
    opened.push(firehose);
    const gateway = await startWith({ backends: { chat: { kind: "chat", base_url: firehose.url } } }, "1s");
    const began = performance.now();
    const length = await readSlowly(askWithoutReading(gateway, "chat", true), 60);
    expect(length).toBeGreaterThan(40_000_000);
    expect(performance.now() - began).toBeGreaterThan(2_000);
    expect(firehose.brokenOff).toBe(0);
  });

  it.each(apis)("when there is nothing to read: the model is silent (%s)", async (api) => {
    const { gateway } = await startScripted({ say: "one two", chunk: 4, pieceDelay: 300 }, "100ms");
    for (const stream of [true, false]) {
      const answer = await ask(gateway, api, requestFor(api, { model: `${api}/slow`, stream }));
      expect(answer.text).toBe("one two");
    }
  });

  it("when its request takes longer than limits.stall", async () => {
    const { gateway } = await startScripted({ say: "hi" }, "500ms");
    const text = postText(paths.chat, requestFor("chat", { model: "chat/x" }), ["connection: close"]);
    const socket = connectTo(gateway);
    const answer = readAll(socket);
    socket.write(text.slice(0, -15));
    for (const piece of text.slice(-15)) {
      await wait(100);
      socket.write(piece);
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("when it keeps its connection for a later request", async () => {
    const { gateway } = await startScripted({ say: "hi" }, "100ms");
    const text = postText(paths.chat, requestFor("chat", { model: "chat/x" }));
    const socket = connectTo(gateway);
    const answers = readAll(socket);
    socket.write(text);
    await wait(400);
    socket.write(text.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"));
    expect((await answers).match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  });
});

describe("a client that stops in the middle of its request", () => {
  it("is let go, and its place is free again", async () => {
    const { gateway } = await startScripted({ say: "hi" }, "300ms");
    const request = requestFor("chat", { model: "chat/x" });
    const socket = connectTo(gateway);
    const answer = readAll(socket);
    socket.write(postText(paths.chat, request).slice(0, -10));
    await answer;
    expect((await ask(gateway, "chat", request)).status).toBe(200);
  });
});
