import { describe, expect, it, vi } from "vitest";
import { Requests } from "../../../src/backends/codex/requests.ts";
import type { JsonObject } from "../../../src/turn/index.ts";

function open() {
  const sent: JsonObject[] = [];
  const requests = new Requests((message) => sent.push(message));
  const answer = (at: number, result: JsonObject) => requests.answered(Number(sent[at]?.id), result, undefined);
  return { sent, requests, answer };
}

describe("requests to Codex", () => {
  it("go out at once, but not more of them than it takes", async () => {
    const { sent, requests, answer } = open();
    const all = Array.from({ length: 200 }, (_, number) => requests.make("thread/start", { number }));
    expect(sent).toHaveLength(64);
    for (let at = 0; at < 200; at++) answer(at, { at });
    expect(await Promise.all(all)).toEqual(Array.from({ length: 200 }, (_, at) => ({ at })));
    expect(sent.map(({ params }) => params)).toEqual(Array.from({ length: 200 }, (_, number) => ({ number })));
  });

  it("are made again where it has no time for one", async () => {
    vi.useFakeTimers();
    const { sent, requests, answer } = open();
    const made = requests.make("turn/interrupt", { threadId: "a" });
    requests.answered(Number(sent[0]?.id), undefined, { code: -32001, message: "Server overloaded; retry later." });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent.map(({ method, params }) => [method, params])).toEqual([
      ["turn/interrupt", { threadId: "a" }],
      ["turn/interrupt", { threadId: "a" }],
    ]);
    answer(1, { done: true });
    expect(await made).toEqual({ done: true });
    vi.useRealTimers();
  });

  it("that it could not read are not made", async () => {
    const { sent, requests } = open();
    let deep: JsonObject = {};
    for (let level = 0; level < 130; level++) deep = { deep };
    await expect(requests.make("thread/start", deep)).rejects.toThrow("nested too deeply");
    expect(sent).toEqual([]);
  });

  it("all end with it, those that wait in the queue too", async () => {
    const { requests, answer } = open();
    const all = Array.from({ length: 100 }, () =>
      requests.make("thread/start", {}).catch((error: Error) => error.message),
    );
    answer(0, {});
    requests.end(new Error("gone"));
    expect((await Promise.all(all)).slice(1)).toEqual(Array.from({ length: 99 }, () => "gone"));
    await expect(requests.make("thread/start", {})).rejects.toThrow("gone");
  });
});
