import { afterEach, expect, it } from "vitest";
import { ask, requestFor } from "../support/gateway.ts";
import { closeRounds, firstRound, inOrder, type Rounds, startRounds, tools, weather } from "../support/rounds.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

it.each([true, false])(
  "the metric of calls that clients were given counts none of the gateway's own (stream: %s)",
  async (stream) => {
    rounds = await startRounds(inOrder(firstRound, { calls: [weather] }));
    const answer = await ask(rounds.gateway, "chat", requestFor("chat", { model: "chat/m", tools, stream }));
    expect(answer.calls).toHaveLength(1);
    const metrics = await (await fetch(`${rounds.gateway.url}/metrics`)).text();
    expect(metrics.match(/^toolwire_tool_calls_total.*$/gm)).toEqual(['toolwire_tool_calls_total{backend="chat"} 1']);
  },
);
