import { expect, it } from "vitest";
import { Answer } from "../../src/engine/answer.ts";
import { Ids } from "../../src/turn/index.ts";
import { call, message, wordsOf } from "./events.ts";
import { FakeClient } from "./fake-client.ts";

/** A call that the gateway runs does not commit its round. Text behind it does. */
function answered() {
  const client = new FakeClient();
  const { createEncoder, sink, reply } = client;
  const idForm = { prefix: "answer", separator: "_" };
  const clock = { now: () => 7 };
  const answer = new Answer({
    ...{ createEncoder, sink, reply, idForm, clock, ids: new Ids(), streams: true, isRead: true },
  });
  answer.beginRound();
  for (const event of [...call("call_1", "{}", { owner: "gateway" }), ...message("msg_1", "I look.")]) {
    answer.receive(event);
  }
  answer.flush();
  return { answer, client };
}

it("text behind a call that the gateway runs is streamed as it comes", () => {
  const { client } = answered();
  expect(wordsOf(client.events)).toBe("I look.");
});

it("text behind a call that the gateway runs commits the round, and is its first content", () => {
  const { answer } = answered();
  expect(answer.isCommitted).toBe(true);
  expect(answer.firstContentAt).toBe(7);
});
