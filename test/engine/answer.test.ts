import { beforeEach, describe, expect, it } from "vitest";
import type { Answer, AnswerParts } from "../../src/engine/answer.ts";
import { Ids, type TurnEnding, TurnError, type TurnEvent } from "../../src/turn/index.ts";
import { answerOf, give } from "./answer-of.ts";
import { call, message, typesOf } from "./events.ts";
import { FakeClient } from "./fake-client.ts";

const clock = { at: 0, now: () => clock.at };
let client: FakeClient;

beforeEach(() => {
  clock.at = 0;
  client = new FakeClient();
});

const answerTo = (more: Partial<AnswerParts> = {}) => answerOf(client, clock, more);

/** Hears when a round begins and is committed. */
function watched(answer: Answer): string[] {
  const heard: string[] = [];
  answer.watch({ onBegin: () => heard.push("begun"), onCommit: () => heard.push("committed") });
  return heard;
}

const begin: TurnEvent = { type: "message.started", id: "msg_1" };
const text = (words: string): TurnEvent => ({ type: "text.delta", text: words });
const end: TurnEvent = { type: "message.done", status: "completed", isCommentary: false };
const finished: TurnEnding = { type: "turn.finished", reason: "stop" };
const failed: TurnEnding = { type: "turn.failed", error: new TurnError("upstream_error", "it is broken") };
const hidden = call("call_1", "{}", { owner: "gateway" });
const thinking: TurnEvent[] = [{ type: "reasoning.started", id: "rs_1" }, { type: "reasoning.done" }];

describe("until a round has content", () => {
  it("nothing of it reaches the client: the beginnings and ends of empty items wait", () => {
    const answer = answerTo();
    const heard = watched(answer);
    give(answer, [...thinking, begin]);
    answer.flush();
    expect(client.ids).toEqual([]);
    expect(client.wire).toEqual([]);
    expect(answer.isCommitted).toBe(false);
    expect(heard).toEqual([]);
  });

  it("what waits goes out before the first content, in its order", () => {
    const answer = answerTo();
    const heard = watched(answer);
    give(answer, [...thinking, begin, text("Yes"), end]);
    answer.flush();
    expect(typesOf(client.events)).toEqual([
      ...["reasoning.started", "reasoning.done"],
      ...["message.started", "text.delta", "message.done"],
    ]);
    expect(client.wire).toEqual([
      "open",
      "write open reasoning.started reasoning.done message.started text.delta message.done",
    ]);
    expect(answer.isCommitted).toBe(true);
    expect(heard).toEqual(["begun", "committed"]);
  });

  it("what waits belongs to the answer where the round ends without content", () => {
    const answer = answerTo();
    give(answer, thinking);
    answer.finishRound();
    expect(typesOf(client.events)).toEqual(["reasoning.started", "reasoning.done"]);
    expect(answer.transcript.items).toMatchObject([{ id: "rs_1" }]);
  });

  it("the moment of its first content is not known", () => {
    const answer = answerTo();
    clock.at = 5;
    give(answer, [begin]);
    expect(answer.firstContentAt).toBeUndefined();
    clock.at = 7;
    give(answer, [text("Yes")]);
    clock.at = 9;
    give(answer, [text("!")]);
    expect(answer.firstContentAt).toBe(7);
  });
});

describe("a round that is rolled back", () => {
  it("leaves nothing, and its ids can be given again", () => {
    const ids = new Ids();
    const answer = answerTo({ ids });
    ids.claim("msg", "msg_1");
    give(answer, [begin]);
    answer.rollBack();
    expect(ids.claim("msg", "msg_1")).toBe("msg_1");
    give(answer, message("msg_1", "Yes"));
    expect(typesOf(client.events)).toEqual(["message.started", "text.delta", "message.done"]);
  });

  it("leaves the round before it, which was sent, and keeps its ids taken", () => {
    const ids = new Ids();
    const answer = answerTo({ ids });
    ids.claim("msg", "msg_1");
    give(answer, message("msg_1", "I look."));
    answer.finishRound();
    answer.beginRound();
    expect(answer.isCommitted).toBe(false);
    expect(answer.roundStart).toBe(1);
    give(answer, [{ type: "message.started", id: "msg_2" }]);
    answer.rollBack();
    give(answer, message("msg_3", "There."));
    expect(client.events).toEqual([...message("msg_1", "I look."), ...message("msg_3", "There.")]);
    expect(answer.transcript.items).toMatchObject([{ id: "msg_1" }, { id: "msg_3" }]);
    expect(ids.claim("msg", "msg_1")).not.toBe("msg_1");
  });

  it("is no longer heard by whoever watched it", () => {
    const answer = answerTo();
    const heard = watched(answer);
    answer.rollBack();
    give(answer, message("msg_1", "Yes"));
    expect(heard).toEqual([]);
  });

  it("can have been long, where the answer is not streamed", () => {
    const answer = answerTo({ streams: false });
    const heard = watched(answer);
    give(answer, message("msg_1", "No"));
    expect(heard).toEqual(["begun"]);
    expect(answer.isCommitted).toBe(false);
    answer.rollBack();
    give(answer, message("msg_2", "Yes"));
    answer.end(finished);
    expect(client.answer?.items).toMatchObject([{ id: "msg_2" }]);
  });
});

describe("a call that the gateway runs itself", () => {
  it("does not commit its round", () => {
    const answer = answerTo();
    give(answer, [...hidden, { type: "output.done", kind: "function", callId: "call_1", output: "blue" }]);
    expect(answer.isCommitted).toBe(false);
    expect(client.wire).toEqual([]);
    answer.rollBack();
    expect(answer.transcript.items).toEqual([]);
  });

  it("becomes part of the answer when its round ends well, and opens no stream", () => {
    const answer = answerTo();
    give(answer, hidden);
    answer.finishRound();
    expect(answer.isOpened).toBe(false);
    expect(answer.transcript.items).toMatchObject([{ type: "call", owner: "gateway" }]);
  });

  it("brings an output between two rounds, which opens no stream either", () => {
    const answer = answerTo();
    give(answer, [{ type: "output.done", kind: "function", callId: "call_1", output: "blue" }]);
    answer.finishRound();
    expect(answer.isCommitted).toBe(false);
    expect(client.wire).toEqual([]);
    expect(answer.transcript.items).toMatchObject([{ type: "output", output: "blue" }]);
  });

  it("is told to an encoder that writes already, which knows what to leave out", () => {
    const answer = answerTo();
    give(answer, [...message("msg_1", "I look."), ...hidden]);
    expect(typesOf(client.events.slice(3))).toEqual(typesOf(hidden));
  });

  it("waits with the rest until a call of the client's follows", () => {
    const answer = answerTo();
    const heard = watched(answer);
    give(answer, hidden);
    expect(heard).toEqual([]);
    give(answer, call("call_2"));
    expect(heard).toEqual(["begun", "committed"]);
    expect(client.events).toEqual([...hidden, ...call("call_2")]);
  });
});

describe("the answer's id", () => {
  it("is made when the answer is opened", () => {
    const answer = answerTo();
    expect(answer.id).toBeUndefined();
    give(answer, message("msg_1", "Yes"));
    expect(client.ids).toEqual([expect.stringMatching(/^answer_[0-9a-f]{32}$/)]);
    expect(answer.id).toBe(client.ids[0]);
  });
});

describe("an item that is open when a turn has something else to say", () => {
  it("is ended where that can be done: a message or reasoning, but not a call", () => {
    const answer = answerTo();
    give(answer, [begin, text("So")]);
    expect(answer.closeItem()).toBe(true);
    give(answer, [
      { type: "reasoning.started", id: "rs_1" },
      { type: "reasoning.delta", text: "Hm", part: 0 },
    ]);
    expect(answer.closeItem()).toBe(true);
    expect(answer.closeItem()).toBe(true);
    give(answer, call("call_1").slice(0, 2));
    expect(answer.closeItem()).toBe(false);
    expect(typesOf(client.events)).toEqual([
      ...["message.started", "text.delta", "message.done"],
      ...["reasoning.started", "reasoning.delta", "reasoning.done"],
      ...["call.started", "call.arguments"],
    ]);
  });
});

it("a transcript that neither the encoder nor anybody else reads keeps nothing", () => {
  client.readsAnswer = false;
  const answer = answerTo({ isRead: false });
  give(answer, message("msg_1", "Yes"));
  expect(answer.transcript.items).toEqual([]);
  client.readsAnswer = true;
  const read = answerTo({ isRead: false });
  give(read, message("msg_1", "Yes"));
  expect(read.transcript.items).toHaveLength(1);
});

it("what several rounds cost is counted together, and told in the end", () => {
  const answer = answerTo();
  const usage = {
    ...{ inputTokens: 1, outputTokens: 2, totalTokens: 3 },
    ...{ cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 1 },
  };
  answer.addUsage(usage);
  answer.beginRound();
  answer.addUsage(usage);
  answer.end(finished);
  const sum = { ...usage, inputTokens: 2, outputTokens: 4, totalTokens: 6, reasoningTokens: 2 };
  expect(client.endings).toEqual([{ ...finished, usage: sum }]);
  expect(failed.usage).toBeUndefined();
});
