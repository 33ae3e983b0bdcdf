import { beforeEach, describe, expect, it } from "vitest";
import type { AnswerParts } from "../../src/engine/answer.ts";
import { type TurnEnding, TurnError } from "../../src/turn/index.ts";
import { answerOf, give } from "./answer-of.ts";
import { message } from "./events.ts";
import { FakeClient } from "./fake-client.ts";

const clock = { at: 0, now: () => clock.at };
let client: FakeClient;

beforeEach(() => {
  clock.at = 0;
  client = new FakeClient();
});

const answerTo = (more: Partial<AnswerParts> = {}) => answerOf(client, clock, more);

/** A client that is full until it is told to go on. */
function fill(): () => Promise<void> {
  let resolve = () => {};
  const promise = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  client.full = promise;
  return async () => {
    client.full = undefined;
    resolve();
    await promise;
  };
}

const error = new TurnError("upstream_error", "it is broken");
const finished: TurnEnding = { type: "turn.finished", reason: "stop" };
const failed: TurnEnding = { type: "turn.failed", error };
const yes = message("msg_1", "Yes");

describe("keep-alive", () => {
  it("opens a stream that waited, and rounds can still be rolled back behind it", () => {
    const answer = answerTo();
    give(answer, yes.slice(0, 1));
    answer.keepAlive();
    expect(client.wire).toEqual(["open", "write open"]);
    expect(answer.isCommitted).toBe(false);
    answer.rollBack();
    give(answer, message("msg_2", "There."));
    expect(client.events).toEqual(message("msg_2", "There."));
    expect(client.ids).toHaveLength(1);
  });

  it("says that the turn goes on only where nothing was written since the last one", () => {
    const answer = answerTo();
    answer.keepAlive();
    answer.keepAlive();
    give(answer, yes.slice(0, 2));
    answer.flush();
    answer.keepAlive();
    answer.keepAlive();
    expect(client.wire.slice(2)).toEqual(["write alive", "write message.started text.delta", "write alive"]);
  });

  it("says so at once where the API has no event for the beginning of a stream", () => {
    const { createEncoder } = client;
    const answer = answerTo({
      createEncoder: (id, view) => ({ ...createEncoder(id, view), open() {} }),
    });
    answer.keepAlive();
    expect(client.wire).toEqual(["open", "write alive"]);
  });

  it("leaves a client alone that is full, and one whose answer has ended", async () => {
    const answer = answerTo();
    const goOn = fill();
    give(answer, yes);
    answer.flush();
    answer.keepAlive();
    answer.keepAlive();
    expect(client.wire).toHaveLength(2);
    await goOn();
    answer.end(finished);
    answer.keepAlive();
    expect(client.wire.slice(2)).toEqual(["end turn.finished"]);
  });

  it("throws what the encoder throws, so that the driver can cancel the turn; the answer can still be ended", () => {
    client.breaksAt = "open";
    const answer = answerTo();
    expect(() => answer.keepAlive()).toThrow("the encoder broke at open");
    expect(answer.ending).toBeUndefined();
    expect(client.wire).toEqual([]);
  });

  it("leaves an open stream that can be ended when the encoder throws", () => {
    const answer = answerTo();
    answer.keepAlive();
    client.breaksAt = "keepAlive";
    expect(() => answer.keepAlive()).toThrow("the encoder broke at keepAlive");
    answer.end({ type: "turn.failed", error: new TurnError("internal_error", "The encoder is broken.") });
    expect(client.wire).toEqual(["open", "write open", "end turn.failed"]);
  });
});

describe("a client that reads slowly", () => {
  it("makes a flush wait, and the time that it costs is counted", async () => {
    const answer = answerTo();
    const goOn = fill();
    give(answer, yes.slice(0, 2));
    const full = answer.flush();
    expect(full).toBeInstanceOf(Promise);
    clock.at = 30;
    expect(answer.waited).toBe(30);
    await goOn();
    await full;
    clock.at = 100;
    expect(answer.waited).toBe(30);
  });

  it("costs nothing twice: the time counts from the first write that it did not take", async () => {
    const answer = answerTo();
    const goOn = fill();
    give(answer, yes.slice(0, 2));
    answer.flush();
    clock.at = 10;
    give(answer, yes.slice(2));
    answer.flush();
    clock.at = 25;
    await goOn();
    expect(answer.waited).toBe(25);
    const again = fill();
    give(answer, message("msg_2", "So."));
    answer.flush();
    clock.at = 30;
    await again();
    expect(answer.waited).toBe(30);
  });

  it("is not written to where there is nothing new, or nothing opened yet", () => {
    const answer = answerTo();
    expect(answer.flush()).toBeUndefined();
    give(answer, yes);
    answer.flush();
    expect(answer.flush()).toBeUndefined();
    expect(client.wire).toHaveLength(2);
  });
});

describe("the end", () => {
  it("comes exactly once", () => {
    const answer = answerTo();
    give(answer, yes);
    clock.at = 3;
    answer.end(finished);
    clock.at = 4;
    answer.end(failed);
    answer.end(finished);
    expect(client.endings).toHaveLength(1);
    expect(client.wire).toEqual(["open", "end open message.started text.delta message.done turn.finished"]);
    expect(answer.ending).toMatchObject(finished);
    expect(answer.endedAt).toBe(3);
  });

  it("opens the stream of an answer that has nothing in it", () => {
    answerTo().end(finished);
    expect(client.wire).toEqual(["open", "end open turn.finished"]);
  });

  it("writes nothing where a turn fails before its stream was opened", () => {
    const answer = answerTo();
    give(answer, yes.slice(0, 1));
    answer.end(failed);
    expect(client.wire).toEqual([]);
    expect(client.endings).toEqual([]);
    expect(answer.body).toBe("");
    expect(answer.ending).toMatchObject({ type: "turn.failed", error });
  });

  it("opens a stream for a failure that the client understands only there", () => {
    const answer = answerTo();
    answer.end(failed, true);
    expect(client.wire).toEqual(["open", "end open turn.failed"]);
  });

  it("opens none for that where the client did not ask for a stream", () => {
    const answer = answerTo({ streams: false });
    answer.end(failed, true);
    expect(client.wire).toEqual([]);
    expect(answer.isOpened).toBe(false);
  });

  it("tells a failure in the stream once that is open", () => {
    const answer = answerTo();
    give(answer, yes);
    answer.flush();
    answer.end(failed);
    expect(client.wire.at(-1)).toBe("end turn.failed");
  });

  it("of an answer that is not streamed makes its body, and opens nothing", () => {
    const answer = answerTo({ streams: false });
    give(answer, yes);
    answer.finishRound();
    expect(answer.flush()).toBeUndefined();
    answer.end(finished);
    expect(client.wire).toEqual([]);
    expect(answer.isOpened).toBe(false);
    expect(client.answer?.items).toMatchObject([{ id: "msg_1" }]);
    expect(answer.body).toBe("open turn.finished");
  });

  it("gives the answer its id before, where the client is going to see one", () => {
    const answer = answerTo();
    answer.name(failed);
    expect(client.ids).toEqual([]);
    answer.name(finished);
    expect(client.ids).toHaveLength(1);
    answer.end(finished);
    expect(client.ids).toHaveLength(1);
  });
});

describe("an encoder that throws", () => {
  it("at the end, still ends the reply: the turn has failed", () => {
    client.breaksAt = "end";
    const answer = answerTo();
    give(answer, yes);
    answer.flush();
    answer.end(finished);
    expect(client.wire.at(-1)).toBe("end ");
    expect(answer.ending).toMatchObject({ type: "turn.failed", error: { code: "internal_error" } });
  });

  it("at the end of an answer that is not streamed, makes it a failure", () => {
    client.breaksAt = "end";
    const answer = answerTo({ streams: false });
    give(answer, yes);
    answer.end(finished);
    expect(answer.ending).toMatchObject({ type: "turn.failed" });
  });

  it("at an event, lets the reply be ended as a failure", () => {
    client.breaksAt = "push";
    const answer = answerTo();
    expect(() => give(answer, yes)).toThrow("the encoder broke at push");
    answer.end(failed);
    expect(client.wire).toEqual(["open", "end open turn.failed"]);
  });

  it("at its beginning, leaves the failure to be told without a stream", () => {
    client.breaksAt = "open";
    const answer = answerTo();
    expect(() => give(answer, yes)).toThrow("the encoder broke at open");
    answer.end(failed);
    expect(client.wire).toEqual([]);
    expect(answer.isOpened).toBe(false);
  });
});
