import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { Api } from "../support/api.ts";
import { type Answer, ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, startProvider } from "../support/provider.ts";
import { type Exchange, exchanges } from "./cells.ts";
import type { Content, Pieces } from "./fault.ts";
import { runAll } from "./run-all.ts";
import { event, framesOf, rome, tools, upTo } from "./wire.ts";

const silence = { wait: 350 };
const words = "The machine is on fire.";
const headers = { "content-type": "text/event-stream" };

interface Scene {
  /** What comes after a long silence, or around one. */
  reply: (api: Api) => Reply;
  ended: Answer["ended"];
  /** What the client has in the end. */
  content?: Content;
  /** Of the failure, where the client waits for a whole answer. */
  status?: number;
}

function late(frames: Pieces): Reply {
  return { bytes: [silence, ...frames], headers };
}

const scenes: Record<string, Scene> = {
  "then answers": {
    reply: (api) => late(framesOf(api, { think: "Hm.", say: "At last." })),
    ended: "completed",
    content: { reasoning: "Hm.", text: "At last." },
  },
  "then makes a call": {
    reply: (api) => late(framesOf(api, { calls: [rome] })),
    ended: "completed",
    content: { calls: [rome] },
  },
  "then answers in one piece": {
    reply: (api) => late([framesOf(api, { say: "At last." }).join("")]),
    ended: "completed",
    content: { text: "At last." },
  },
  "then has nothing to say": { reply: (api) => late(framesOf(api, {})), ended: "completed" },
  "then stops for its filter": {
    reply: (api) => late(framesOf(api, { finish: "content_filter" })),
    ended: "content_filter",
  },
  "then ends": { reply: () => late([]), ended: "failed", status: 502 },
  "then resets the connection": { reply: () => late(["cut"]), ended: "failed", status: 502 },
  "then sends garbage": { reply: () => late(["data: {oops\n\n"]), ended: "failed", status: 502 },
  "then says that it failed": {
    reply: (api) => late([event(api, { ...(api === "responses" && { type: "error" }), error: { message: words } })]),
    ended: "failed",
    status: 502,
  },
  "never answers": { reply: () => late(["hang"]), ended: "failed", status: 504 },
  "speaks, and is silent in the middle of its text": {
    reply: (api) => {
      const frames = framesOf(api, { say: "Half a sentence." });
      const half = upTo(frames, "Half a");
      return { bytes: [...half, silence, ...frames.slice(half.length)], headers };
    },
    ended: "completed",
    content: { text: "Half a sentence." },
  },
};

const refusals: Record<string, Scene> = {
  "then refuses": { reply: () => ({ status: 400, body: { error: { message: words } } }), ended: "failed", status: 400 },
  "then fails": { reply: () => ({ status: 500, body: { error: { message: words } } }), ended: "failed", status: 502 },
};

const table = { ...scenes, ...refusals };
const names = Object.keys(table);

let provider: Provider;
let gateway: RunningServer;
let ran = 0;
beforeAll(async () => {
  provider = await startProvider(async ({ api, model }) => {
    const name = names[Number(model.split(".")[0])] ?? "";
    if (name in refusals) await new Promise((resolve) => setTimeout(resolve, silence.wait));
    return table[name]?.reply(api) ?? { say: "Fine." };
  });
  gateway = await startGateway({
    ...bothBackends(provider, { timeouts: { first_content: "2s", total: "3s" } }),
    turn: { keep_alive: "100ms" },
  });
});
afterAll(async () => {
  console.log(`fault matrix, clients that wait: ${ran} cells`);
  await gateway.close();
  await provider.close();
});

async function wait(name: string, { client, backend, stream, title }: Exchange): Promise<void> {
  const {
    ended,
    content: { text = "", reasoning = "", calls = [] } = {},
    status = 200,
  } = table[name] ?? { ended: "none" };
  const model = `${backend}/${names.indexOf(name)}.${title.replaceAll(/\W+/g, "-")}`;
  const answer = await ask(gateway, client, requestFor(client, { model, tools, stream }));
  expect({ ended: answer.ended, status: answer.status, streamed: answer.streamed }).toEqual({
    ended,
    status: stream ? 200 : status,
    streamed: stream,
  });
  expect({ text: answer.text, reasoning: answer.reasoning }).toEqual({ text, reasoning });
  expect(answer.calls).toMatchObject(calls);
  expect(answer.calls).toHaveLength(calls.length);
  if (stream) expect(signsOfLife(answer)).toBeGreaterThan(0);
  const next = await ask(gateway, client, requestFor(client, { model: `${backend}/fine`, stream }));
  expect(next).toMatchObject({ ended: "completed", text: "Fine." });
}

/** Beside the event with which every Responses stream begins. */
function signsOfLife({ api, raw, events }: Answer): number {
  if (api === "chat") return raw.match(/^: keep-alive$/gm)?.length ?? 0;
  return events.filter((each) => each.type === "response.in_progress").length - 1;
}

describe("a stream is opened and kept alive, and ends as it should, when a provider is silent and", () => {
  it.concurrent.each(names)("%s", async (name) => {
    ran += exchanges.length;
    await runAll(exchanges, (exchange) => wait(name, exchange));
  });

  it("in every cell", () => {
    expect(ran).toBe(names.length * exchanges.length);
    expect(ran).toBeGreaterThanOrEqual(100);
  });
});
