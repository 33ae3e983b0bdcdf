import { describe, expect, it } from "vitest";
import { runTurn } from "../../src/engine/index.ts";
import type { BackendEvent, Turn } from "../../src/turn/index.ts";
import { typesOf, wholeCall } from "./events.ts";
import { FakeClient } from "./fake-client.ts";
import { askingTurn, candidateOf, planOf, ScriptedBackend } from "./scripted-backend.ts";
import { slipsIn } from "./slips.ts";

/** Runs a turn whose last call is of a tool that is not declared, beside a strict one. */
async function fail(stream: boolean, before: readonly BackendEvent[]): Promise<FakeClient> {
  const turn: Turn = {
    ...askingTurn,
    stream,
    tools: [{ type: "function", name: "look", strict: true, parameters: { type: "object" } }],
  };
  const script = [...before, ...wholeCall(9, "{}", { name: "nowhere" })];
  const client = new FakeClient();
  const candidate = candidateOf(new ScriptedBackend("house", [script]), turn, { strictFailure: "message" });
  const ending = await runTurn(planOf(client, [candidate], { turn }), client.reply);
  expect(ending.status).toBe("completed");
  expect(slipsIn(client.events)).toEqual([]);
  return client;
}

describe.each([true, false])("a failure that the assistant tells of (stream: %s)", (stream) => {
  /** A Responses provider begins a message before it has text. */
  const begun: BackendEvent = { type: "message.started", item: 0, id: "msg_1" };

  it("follows no message that is left open", async () => {
    const { answer } = await fail(stream, [begun]);
    expect(typesOf(answer?.items ?? [])).toEqual(["message"]);
  });

  it("follows the reasoning that was done before it", async () => {
    const reasoning: BackendEvent[] = [
      { type: "reasoning.started", item: 1, id: "rs_1" },
      { type: "reasoning.done", item: 1, encrypted: "sealed" },
    ];
    const { answer } = await fail(stream, [...reasoning, begun]);
    expect(answer?.items).toMatchObject([{ type: "reasoning", encrypted: "sealed" }, { type: "message" }]);
  });
});
