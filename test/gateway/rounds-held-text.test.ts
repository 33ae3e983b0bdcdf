import { afterEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { sseFrames } from "../support/provider.ts";
import {
  closeRounds,
  LiveStream,
  outputsFor,
  pairs,
  type Rounds,
  runTools,
  secondRound,
  send,
  startRounds,
} from "../support/rounds.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

const delta = (fields: JsonObject, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason }],
});
const made = { id: "call_1", type: "function", function: { name: "lookup", arguments: "{}" } };
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "lookup", arguments: "{}" };
const item = { type: "message", id: "msg_1", role: "assistant", content: [] };
const said = { ...item, content: [{ type: "output_text", text: "Meanwhile.", annotations: [] }] };

/** A call of the gateway's, then text; a while later the end of the round. */
const payloads: Record<Api, { words: JsonObject[]; end: JsonObject[] }> = {
  chat: {
    words: [delta({ tool_calls: [{ index: 0, ...made }] }), delta({ content: "Meanwhile." })],
    end: [delta({}, "tool_calls")],
  },
  responses: {
    words: [
      { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: call },
      { type: "response.output_item.done", output_index: 0, item: call },
      { type: "response.output_item.added", output_index: 1, item },
      { type: "response.output_text.delta", output_index: 1, item_id: "msg_1", content_index: 0, delta: "Meanwhile." },
    ],
    end: [
      { type: "response.output_item.done", output_index: 1, item: said },
      { type: "response.completed", response: { id: "resp_1", status: "completed", output: [call, said] } },
    ],
  },
};

it.each(pairs)(
  "text behind a call of the gateway's is streamed as it comes ($client client, $backend backend)",
  async (pair) => {
    const { client, backend } = pair;
    let isOver = false;
    const { words, end } = payloads[backend];
    const bytes = [...sseFrames(backend, words, false), { wait: 300 }, ...sseFrames(backend, end)];
    rounds = await startRounds(({ count }) => (count === 1 ? { bytes } : secondRound), {
      seams: {
        ...runTools,
        nextRound: async (result) => {
          isOver = true;
          return outputsFor(result);
        },
      },
    });
    const stream = new LiveStream(await send(rounds, client, { model: `${backend}/m`, stream: true }));
    await stream.until(/Meanwhile\./);
    expect(isOver).toBe(false);
  },
);
