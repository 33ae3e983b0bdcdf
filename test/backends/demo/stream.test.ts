import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDemoBackend } from "../../../src/backends/demo/index.ts";
import { type BackendEvent, Cancellation, TurnError } from "../../../src/turn/index.ts";
import { ask, getTime, getWeather, heard, play, search, turnOf } from "./turns.ts";

const tools = [getWeather, getTime];

describe("a stream", () => {
  it("says the same as an answer at once, in pieces", async () => {
    for (const question of ["hello", "weather in Köln and 東京"]) {
      const whole = await ask(question, { tools });
      const pieces = await ask(question, { tools, stream: true });
      expect([pieces.text, pieces.calls, pieces.finish]).toEqual([whole.text, whole.calls, whole.finish]);
      expect(pieces.events.length).toBeGreaterThan(whole.events.length);
    }
  });

  it("gives words whole and flushes after each piece", async () => {
    const batches: BackendEvent[][] = [[]];
    await createDemoBackend({ name: "demo", pace: 0 }).run(turnOf("hello", { stream: true }), {
      emit: (event) => batches.at(-1)?.push(event),
      flush: () => {
        batches.push([]);
        return undefined;
      },
      cancellation: new Cancellation(),
    });
    const texts = batches.map((batch) =>
      batch.map((event) => (event.type === "text.delta" ? event.text : "")).join(""),
    );
    expect(texts.slice(0, 3)).toEqual(["I", " am", " Toolwire's"]);
    expect(batches.at(-2)?.map((event) => event.type)).toEqual(["usage.reported", "round.finished"]);
  });

  it("waits while the reader is full", async () => {
    const seen: BackendEvent[] = [];
    let drain = (): void => {};
    const full = new Promise<void>((resolve) => {
      drain = resolve;
    });
    const running = createDemoBackend({ name: "demo", pace: 0 }).run(turnOf("hello", { stream: true }), {
      emit: (event) => seen.push(event),
      flush: () => (seen.length === 1 ? full : undefined),
      cancellation: new Cancellation(),
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toHaveLength(1);
    drain();
    await running;
    expect(heard(seen).finish).toBe("stop");
  });
});

describe("the pace", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is kept between pieces", async () => {
    const seen: BackendEvent[] = [];
    const running = createDemoBackend({ name: "demo", pace: 20 }).run(turnOf("hello", { stream: true }), {
      emit: (event) => seen.push(event),
      flush: () => undefined,
      cancellation: new Cancellation(),
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(seen).toHaveLength(6);
    await vi.runAllTimersAsync();
    await running;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not hold up an answer that is not streamed", async () => {
    expect(heard(await play(turnOf("hello"), 1_000)).finish).toBe("stop");
  });

  it("ends at once when the client leaves, and leaves no timer", async () => {
    const seen: BackendEvent[] = [];
    const leaving = new Cancellation();
    const reason = new TurnError("client_closed", "the client has left");
    const running = createDemoBackend({ name: "demo", pace: 20 }).run(turnOf("hello", { stream: true }), {
      emit: (event) => seen.push(event),
      flush: () => undefined,
      cancellation: leaving,
    });
    const ended = expect(running).rejects.toBe(reason);
    await vi.advanceTimersByTimeAsync(50);
    leaving.cancel(reason);
    await ended;
    expect(vi.getTimerCount()).toBe(0);
    const count = seen.length;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen).toHaveLength(count);
    expect(heard(seen).finish).toBeUndefined();
  });

  it("ends at once also while the reader is full, or before the start", async () => {
    const leaving = new Cancellation();
    const backend = createDemoBackend({ name: "demo", pace: 20 });
    const round = { emit: () => {}, flush: () => new Promise<void>(() => {}), cancellation: leaving };
    const running = backend.run(turnOf("hello", { stream: true }), round);
    const ended = expect(running).rejects.toThrow("gone");
    leaving.cancel(new TurnError("client_closed", "gone"));
    await ended;
    await expect(backend.run(turnOf("hello"), round)).rejects.toThrow("gone");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the token limit", () => {
  it("cuts text and finishes with length", async () => {
    for (const stream of [true, false]) {
      const { text, finish } = await ask("hello", { stream, settings: { maxOutputTokens: 5 } });
      expect(text).toBe("I am Toolwire's demo");
      expect(finish).toBe("length");
    }
  });

  it("leaves a call that does not fit unfinished", async () => {
    const question = 'Search for "a long story about a very long river in a very long country"';
    const { calls, started, finish } = await ask(question, { tools: [search], settings: { maxOutputTokens: 12 } });
    expect([calls.length, started, finish]).toEqual([0, 1, "length"]);
  });

  it("lets the first of two calls through", async () => {
    const { calls, finish } = await ask("weather in Paris and Rome", { tools, settings: { maxOutputTokens: 12 } });
    expect(calls.map((call) => call.arguments)).toEqual(['{"location":"Paris"}']);
    expect(finish).toBe("length");
  });

  it("is never passed by the usage", async () => {
    const { events } = await ask("hello", { settings: { maxOutputTokens: 7, effort: "high" } });
    const usage = events.find((event) => event.type === "usage.reported")?.usage;
    expect(usage?.outputTokens).toBe(7);
    expect(usage?.totalTokens).toBe((usage?.inputTokens ?? 0) + 7);
  });
});

describe("the backend", () => {
  const backend = createDemoBackend({ name: "demo", pace: 0 });

  it("answers to native, demo and no name, and to nothing else", async () => {
    for (const model of ["native", "demo", ""]) {
      expect((await ask("hello", { model })).finish).toBe("stop");
    }
    await expect(play(turnOf("hello", { model: "gpt-5" }))).rejects.toMatchObject({
      code: "model_not_found",
      message: expect.stringContaining("demo/native"),
    });
  });

  it("carries what it can call", async () => {
    expect(backend.capabilities.carries(getWeather)).toBe(true);
    expect(backend.capabilities.carries({ type: "custom", name: "x" })).toBe(true);
    expect(
      backend.capabilities.carries({ type: "hosted", format: "responses", definition: { type: "web_search" } }),
    ).toBe(false);
  });

  it("gives the same answer to the same turn", async () => {
    const turn = turnOf("weather in Paris and Rome", { tools, stream: true, settings: { effort: "high" } });
    expect(await play(turn)).toEqual(await play(turn));
  });
});
