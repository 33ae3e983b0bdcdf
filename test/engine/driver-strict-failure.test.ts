import { expect, it } from "vitest";
import { runTurn } from "../../src/engine/index.ts";
import type { BackendEvent, Turn } from "../../src/turn/index.ts";
import { typesOf, wholeCall } from "./events.ts";
import { FakeClient } from "./fake-client.ts";
import { askingTurn, candidateOf, planOf, ScriptedBackend } from "./scripted-backend.ts";
import { slipsIn } from "./slips.ts";

/** A Responses provider begins a message before it has text. With `strict_failure: message` another message may follow it. */
it.each([true, false])(
  "a failure that the assistant tells of follows no message that is left open (stream: %s)",
  async (stream) => {
    const turn: Turn = {
      ...askingTurn,
      stream,
      tools: [{ type: "function", name: "look", strict: true, parameters: { type: "object" } }],
    };
    const script: BackendEvent[] = [
      { type: "message.started", item: 0, id: "msg_1" },
      ...wholeCall(1, "{}", { name: "nowhere" }),
    ];
    const client = new FakeClient();
    const candidate = candidateOf(new ScriptedBackend("house", [script]), turn, { strictFailure: "message" });
    const ending = await runTurn(planOf(client, [candidate], { turn }), client.reply);
    expect(ending.status).toBe("completed");
    expect(slipsIn(client.events)).toEqual([]);
    expect(typesOf(client.answer?.items ?? [])).toEqual(["message"]);
  },
);

it.each([true, false])(
  "a failure that the assistant tells of follows the reasoning that was done before it (stream: %s)",
  async (stream) => {
    const turn: Turn = {
      ...askingTurn,
      stream,
      tools: [{ type: "function", name: "look", strict: true, parameters: { type: "object" } }],
    };
    const script: BackendEvent[] = [
      { type: "reasoning.started", item: 0, id: "rs_1" },
      { type: "reasoning.done", item: 0, encrypted: "sealed" },
      { type: "message.started", item: 1, id: "msg_1" },
      ...wholeCall(2, "{}", { name: "nowhere" }),
    ];
    const client = new FakeClient();
    const candidate = candidateOf(new ScriptedBackend("house", [script]), turn, { strictFailure: "message" });
    await runTurn(planOf(client, [candidate], { turn }), client.reply);
    expect(slipsIn(client.events)).toEqual([]);
    expect(client.answer?.items).toMatchObject([{ type: "reasoning", encrypted: "sealed" }, { type: "message" }]);
  },
);
