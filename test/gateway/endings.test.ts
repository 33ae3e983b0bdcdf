import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { Api } from "../support/api.ts";
import { ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, startProvider } from "../support/provider.ts";

/** What the provider does, and how the turn must end for every client. */
const scenes: Record<string, { reply: Reply; ended: string; text?: string; calls?: number }> = {
  "the model stopped": { reply: { say: "Done." }, ended: "completed", text: "Done." },
  "the model stopped with a call": {
    reply: { calls: [{ name: "f", arguments: '{"a":1}' }] },
    ended: "completed",
    calls: 1,
  },
  "the token limit was reached in text": {
    reply: { say: "Half a", finish: "length" },
    ended: "length",
    text: "Half a",
  },
  "the token limit was reached in a call": {
    reply: { say: "Now:", calls: [{ name: "f", arguments: '{"a":[1,' }], finish: "length" },
    ended: "length",
    text: "Now:",
    calls: 0,
  },
  "arguments stop in the middle, though the provider says that all is well": {
    reply: { calls: [{ name: "f", arguments: '{"a":"x' }] },
    ended: "length",
    calls: 0,
  },
  "one call is whole and the next is cut": {
    reply: {
      calls: [
        { name: "f", arguments: "{}" },
        { name: "f", arguments: '{"a":' },
      ],
    },
    ended: "length",
    calls: 1,
  },
  "the content filter struck": { reply: { say: "I", finish: "content_filter" }, ended: "content_filter", text: "I" },
  "nothing was said": { reply: {}, ended: "completed", text: "", calls: 0 },
};

let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(({ model }) => scenes[decodeURIComponent(model)]?.reply ?? { status: 500 });
  gateway = await startGateway(bothBackends(provider));
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const cells = (["chat", "responses"] as const).flatMap((client) =>
  (["chat", "responses"] as const).flatMap((backend) =>
    [true, false].map((stream): [Api, Api, boolean] => [client, backend, stream]),
  ),
);

describe.each(cells)(
  "a turn of a %s client before a %s backend (stream: %s) ends as it should when",
  (client, backend, stream) => {
    it.each(Object.entries(scenes))("%s", async (name, { ended, text, calls }) => {
      const tools = [{ name: "f" }];
      const model = `${backend}/${encodeURIComponent(name)}`;
      const answer = await ask(gateway, client, requestFor(client, { model, tools, stream }));
      expect(answer.ended).toBe(ended);
      if (text !== undefined) expect(answer.text).toBe(text);
      if (calls !== undefined) expect(answer.calls).toHaveLength(calls);
    });
  },
);
