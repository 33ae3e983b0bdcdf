import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { Api } from "../support/api.ts";
import {
  type Answer,
  ask,
  bothBackends,
  followUp,
  requestFor,
  startGateway,
  type TurnWish,
} from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";

const tools = [{ name: "get_weather" }, { name: "get_time" }];
const weather = { id: "call_up", name: "get_weather", arguments: '{"city":"Rome"}' };
const time = { id: "call_up_2", name: "get_time", arguments: "{}" };

const replies = {
  weather: { calls: [weather] },
  time: { calls: [time] },
  both: { calls: [weather, time], interleave: true },
  talk: { say: "I would rather talk." },
  refuse: { refuse: "I will not." },
  stranger: { calls: [{ id: "call_s", name: "launch_rocket", arguments: "{}" }] },
  nameless: { calls: [{ name: "get_time", arguments: "" }] },
};

let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(({ model }) => replies[model as keyof typeof replies]);
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
  "what a %s client said about tools holds, whatever a %s backend does (stream: %s)",
  (client, backend, stream) => {
    const play = (scene: keyof typeof replies, wish: Partial<TurnWish> = {}): Promise<Answer> =>
      ask(gateway, client, requestFor(client, { model: `${backend}/${scene}`, tools, stream, ...wish }));
    const names = (answer: Answer) => answer.calls.map(({ name }) => name);

    it("none: no call comes through", async () => {
      const answer = await play("weather", { choice: "none" });
      expect(answer.calls).toEqual([]);
      expect(answer.ended).toBe("completed");
    });

    it("a forced tool lets its own calls through and no others", async () => {
      expect(names(await play("both", { choice: { name: "get_time" } }))).toEqual(["get_time"]);
      const other = await play("time", { choice: { name: "get_weather" } });
      expect(other.calls).toEqual([]);
      expect(other.error?.code).toBe("tool_call_invalid");
    });

    it("allowed tools let only theirs through", async () => {
      expect(names(await play("both", { choice: { allowed: ["get_weather"] } }))).toEqual(["get_weather"]);
      const other = await play("time", { choice: { allowed: ["get_weather"] } });
      expect(other.calls).toEqual([]);
      expect(other.ended).toBe("completed");
    });

    it("a demanded call that does not come is a failure, not an empty success", async () => {
      const answer = await play("talk", { choice: "required" });
      expect(answer.calls).toEqual([]);
      expect(answer.error?.code).toBe("tool_call_invalid");
    });

    it("a refusal stands, also where a call was demanded", async () => {
      const answer = await play("refuse", { choice: "required" });
      expect(answer.refusal).toBe("I will not.");
      expect(answer.ended).toBe("completed");
    });

    it("without parallel calls, one comes through whole", async () => {
      const answer = await play("both", { parallel: false });
      expect(answer.calls).toMatchObject([{ name: "get_weather", arguments: weather.arguments }]);
      expect(provider.requestsOf("both").at(-1)?.body.parallel_tool_calls).toBe(false);
    });

    it("a name that nobody declared is passed on, except where strict tools make it a failure", async () => {
      expect(names(await play("stranger"))).toEqual(["launch_rocket"]);
      const strict = await play("stranger", { tools: [{ name: "get_time", strict: true }] });
      expect(strict.calls).toEqual([]);
      expect(strict.error?.code).toBe("tool_call_invalid");
    });

    it("ids are there, and new in the conversation, though the backend repeats its own", async () => {
      const first = await play("weather");
      const second = await play("weather", { after: followUp(client, first, ["sunny"]) });
      const third = await play("nameless");
      expect(first.calls[0]?.id).toBe("call_up");
      expect(second.calls[0]?.id).toMatch(/^call_/);
      expect(second.calls[0]?.id).not.toBe("call_up");
      expect(third.calls[0]?.id).toMatch(/^call_/);
      if (client === "responses") {
        for (const answer of [first, second, third]) expect(answer.items[0]?.id).toMatch(/^fc_/);
        expect(first.items[0]?.id).not.toBe(second.items[0]?.id);
      }
    });

    it("a call without arguments has an empty object", async () => {
      expect((await play("nameless")).calls[0]?.arguments).toBe("{}");
    });
  },
);
