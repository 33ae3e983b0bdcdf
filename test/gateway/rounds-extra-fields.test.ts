import { afterEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { ask, requestFor } from "../support/gateway.ts";
import {
  closeRounds,
  inOrder,
  lookup,
  modes,
  type Rounds,
  secondRound,
  startRounds,
  tools,
} from "../support/rounds.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

const details = [{ type: "reasoning.text", text: "Where?", signature: "sealed" }];
const { id, name, arguments: text } = lookup;
const call = { id, type: "function", function: { name, arguments: text } };
const delta = (fields: JsonObject, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason }],
});
const streamed = [
  delta({ role: "assistant", content: "", reasoning_details: details }),
  delta({ content: "Let me look." }),
  delta({ tool_calls: [{ index: 0, ...call }] }),
  delta({}, "tool_calls"),
];
const message = { role: "assistant", content: "Let me look.", reasoning_details: details, tool_calls: [call] };
const whole = { id: "chatcmpl-1", choices: [{ index: 0, message, finish_reason: "tool_calls" }] };

const onChat = modes.filter(({ backend }) => backend === "chat");

it.each(onChat)(
  "fields that a chat provider wants back stand in the message that they came with ($client client, $mode)",
  async (mode) => {
    const { client, stream } = mode;
    const foreign = { usageUnknown: true, foreignKeys: ["reasoning_details"] };
    rounds = await startRounds(inOrder(stream ? { chunks: streamed } : { whole }, secondRound));
    await ask(rounds.gateway, client, requestFor(client, { model: "chat/m", tools, stream }), {}, foreign);
    expect(rounds.provider.requests[1]?.body.messages).toMatchObject([{ role: "user" }, message, { role: "tool" }]);
  },
);
