import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { Api } from "../support/api.ts";
import { type Firehose, mark, startFirehose } from "../support/firehose.ts";
import { paths, requestFor, startGateway } from "../support/gateway.ts";
import { connectTo, postText } from "../support/raw-client.ts";

/** 200 MB could come. */
const pieces = 25_000;
const length = 8_000;
/** What two connections may hold on their way through the system, in pieces: 64 MB. On Linux it is 10 to 20 MB. */
const underway = (64 * 1024 * 1024) / length;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close();
});

async function setUp(): Promise<{ gateway: RunningServer; firehose: Firehose }> {
  const firehose = await startFirehose({ pieces, length });
  const backend = (kind: Api) => ({ kind, base_url: firehose.url });
  const gateway = await startGateway({ backends: { chat: backend("chat"), responses: backend("responses") } });
  opened.push(firehose, gateway);
  return { gateway, firehose };
}

/** Asks for a stream, of which nothing is read yet. */
function ask(gateway: RunningServer, client: Api, backend: Api): Socket {
  const socket = connectTo(gateway);
  const body = requestFor(client, { model: `${backend}/endless`, stream: true });
  socket.write(postText(paths[client], body, ["connection: close"]));
  return socket;
}

/** Resolves when the provider can send no more for now. */
async function untilPaused(firehose: Firehose): Promise<void> {
  for (let before = -1; before !== firehose.sent || before === 0; await wait(300)) before = firehose.sent;
}

function marksIn(bytes: Buffer): number {
  let marks = 0;
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) marks += 1;
  return marks;
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** What cannot be collected. */
function memoryInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("a client that does not read", () => {
  it.each<[Api, Api]>([
    ["chat", "chat"],
    ["chat", "responses"],
    ["responses", "chat"],
    ["responses", "responses"],
  ])("makes the backend wait, and memory does not grow (%s client, %s backend)", async (client, backend) => {
    const { gateway, firehose } = await setUp();
    const socket = ask(gateway, client, backend);
    await untilPaused(firehose);
    expect(firehose.sent).toBeGreaterThan(0);
    expect(firehose.sent).toBeLessThan(underway);
    socket.destroy();
  });
});

describe("a client that reads slowly", () => {
  it("gets all of 200 MB, while little of it is on its way at any moment, and none is kept", async () => {
    const { gateway, firehose } = await setUp();
    const socket = ask(gateway, "chat", "chat");
    await untilPaused(firehose);
    const before = memoryInUse();
    let received = 0;
    let sinceRest = 0;
    let most = 0;
    let grown = 0;
    let end = "";
    socket.on("data", (bytes) => {
      received += marksIn(bytes);
      most = Math.max(most, firehose.sent - received);
      end = bytes.toString("latin1").slice(-100);
      sinceRest += bytes.length;
      if (sinceRest < 8_000_000) return;
      sinceRest = 0;
      grown = Math.max(grown, memoryInUse() - before);
      socket.pause();
      setTimeout(() => socket.resume(), 20);
    });
    await new Promise((resolve) => socket.once("close", resolve));
    expect(received).toBe(pieces);
    expect(end).toContain("data: [DONE]");
    expect(most).toBeLessThan(underway);
    // The sockets' own buffers come and go.
    expect(grown).toBeLessThan(24 * 1024 * 1024);
  }, 60_000);
});
