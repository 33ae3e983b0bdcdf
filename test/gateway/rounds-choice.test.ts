import { afterEach, expect, it } from "vitest";
import type { TurnSeams } from "../../src/engine/index.ts";
import type { JsonObject, ToolChoice } from "../../src/turn/index.ts";
import { ask, requestFor } from "../support/gateway.ts";
import { offeredTools } from "../support/provider.ts";
import {
  closeRounds,
  inOrder,
  lookup,
  outputsFor,
  type Rounds,
  runTools,
  startRounds,
  tools,
} from "../support/rounds.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

const note = { kind: "custom", name: "note" } as const;
const written = { type: "custom", name: "note" };
/** Each as a seam says it, and as a client does. */
const choices: [string, ToolChoice, JsonObject][] = [
  ["demands", { mode: "forced", tool: note }, written],
  [
    "allows nothing but",
    { mode: "allowed", required: false, tools: [note], others: [] },
    { type: "allowed_tools", mode: "auto", tools: [written] },
  ],
];

it.each(choices)(
  "a next round that %s a tool with free text asks a chat backend as a request does",
  async (_name, choice, tool_choice) => {
    const seams: TurnSeams = {
      ...runTools,
      nextRound: async (result) => {
        const next = result.calls.some(({ name }) => name === "lookup") ? outputsFor(result) : undefined;
        return next && { ...next, choice };
      },
    };
    const noted = { calls: [{ id: "call_2", name: "note", arguments: '{"input":"Rome"}' }] };
    rounds = await startRounds(inOrder({ calls: [lookup] }, noted), { seams });
    await ask(rounds.gateway, "responses", requestFor("responses", { model: "chat/m", tools }));
    await ask(rounds.gateway, "responses", requestFor("responses", { model: "chat/m", tools, more: { tool_choice } }));
    const [, second = {}, asked = {}] = rounds.provider.requests.map(({ body }) => body);
    expect(second.tool_choice).toEqual(asked.tool_choice);
    expect(offeredTools(second)).toEqual(offeredTools(asked));
  },
);
