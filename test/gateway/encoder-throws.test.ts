import { afterEach, expect, it } from "vitest";
import { codecs } from "../../src/wire/index.ts";
import { bothBackends, startGateway } from "../support/gateway.ts";
import { startProvider } from "../support/provider.ts";
import { closeRounds, type Rounds } from "../support/rounds.ts";
import { talkCodec } from "../support/third-codec.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

const broken = {
  ...talkCodec,
  createEncoder: () => {
    throw new Error("no encoder for this");
  },
};

it.each([true, false])("a turn whose encoder cannot be made fails, and is over (stream: %s)", async (stream) => {
  const provider = await startProvider(() => ({ say: "Hello." }));
  const gateway = await startGateway(bothBackends(provider), { codecs: [...codecs, broken] });
  rounds = { provider, gateway };
  const answer = await fetch(`${gateway.url}/talk`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "chat/m", stream, said: [{ by: "human", text: "Hi." }] }),
  });
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ trouble: { why: "internal_error" } });
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics.match(/^toolwire_(?:turns_total|open_turns).*$/gm)).toEqual([
    'toolwire_turns_total{api="talk",backend="chat",status="failed"} 1',
    "toolwire_open_turns 0",
  ]);
});
