import { Answer, type AnswerParts } from "../../src/engine/answer.ts";
import { type Clock, Ids, type TurnEvent } from "../../src/turn/index.ts";
import type { FakeClient } from "./fake-client.ts";

/** A streamed answer whose first round has begun. */
export function answerOf({ createEncoder, sink, reply }: FakeClient, clock: Clock, more: Partial<AnswerParts>): Answer {
  const idForm = { prefix: "answer", separator: "_" };
  const answer = new Answer({
    ...{ createEncoder, sink, reply, clock, idForm, ids: new Ids(), streams: true, isRead: true },
    ...more,
  });
  answer.beginRound();
  return answer;
}

export function give(answer: Answer, events: readonly TurnEvent[]): void {
  for (const event of events) answer.receive(event);
}
