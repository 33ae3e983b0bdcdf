import { describe, expect, it } from "vitest";
import { Logprobs } from "../../src/engine/recovery/logprobs.ts";
import { type ItemEvent, orderItems, Settle } from "../../src/engine/settle/index.ts";
import { keepChoice } from "../../src/engine/stages/choice.ts";
import { holdWords } from "../../src/engine/stages/hold.ts";
import { recoverCalls } from "../../src/engine/stages/recover.ts";
import { line } from "../../src/engine/stages/stage.ts";
import { ArgumentChecks } from "../../src/tools/index.ts";
import { type BackendEvent, type FunctionTool, Ids, type Turn, type TurnEvent } from "../../src/turn/index.ts";
import { mostGrowth, timeGrowth } from "../support/time-growth.ts";
import { finished, started, text, wholeCall } from "./events.ts";

const tools = (count: number): FunctionTool[] =>
  Array.from({ length: count }, (_, at) => ({ type: "function", name: `tool_${at}` }));
const turn: Turn = {
  ...{ api: "chat", model: "m", stream: true, input: [], tools: tools(1), choice: { mode: "auto" } },
  ...{ settings: {}, parameters: {} },
};

function settled(events: Iterable<ItemEvent>) {
  const out: TurnEvent[] = [];
  const repairs: string[] = [];
  const listener = { callRepaired: (repair: string) => void repairs.push(repair) };
  const settle = new Settle({ ids: new Ids(), checks: new ArgumentChecks([]), listener }, (event) => out.push(event));
  for (const event of events) settle.push(event);
  return { calls: out.filter(({ type }) => type === "call.done").length, repairs };
}

describe("the time for many of them grows no faster than their number", () => {
  it("calls that came as calls, and calls that came as text", () => {
    const work = (size: number) => {
      const native = Array.from({ length: size }, (_, at) => wholeCall(at, `{"at": ${at}}`));
      const written = Array.from({ length: size }, (_, at) =>
        wholeCall(-at - 1, `{"at":-${at + 1}}`, { dialect: "d" }),
      );
      expect(settled([...native, ...written].flat()).calls).toBe(2 * size);
    };
    expect(timeGrowth(work, 100)).toBeLessThan(mostGrowth);
  });

  it("log probabilities of text that is held back", () => {
    const atOnce = (size: number) => {
      const logprobs = new Logprobs();
      for (let at = 0; at < size; at++) logprobs.add([{ at }], at, at + 1);
      for (let at = 0; at < size; at++) logprobs.reach(at + 1, true);
      expect(logprobs.take()).toHaveLength(size);
    };
    expect(timeGrowth(atOnce, 1_500)).toBeLessThan(mostGrowth);
  });

  it("messages that are open at the same time", () => {
    const work = (size: number) => {
      const recover = recoverCalls(turn, { dialects: "auto", repair: true, prompted: false }, {});
      const emit = line(recover ? [recover] : [], () => {});
      for (let item = 0; item < size; item++) emit({ type: "message.started", item });
      emit(finished);
    };
    expect(timeGrowth(work, 2_000)).toBeLessThan(mostGrowth);
  });

  it("texts that are no calls of many tools", () => {
    const work = (size: number) => {
      const many = { ...turn, tools: tools(10 * size) };
      const recover = recoverCalls(many, { dialects: ["hermes-json"], repair: true, prompted: true }, {});
      const emit = line(recover ? [recover] : [], () => {});
      for (let at = 0; at < size; at++) emit(text(`<tool_call>{"name":"no_${at}","arguments":{}}</tool_call>\n`));
    };
    expect(timeGrowth(work, 400)).toBeLessThan(mostGrowth);
  });

  it("calls of unknown tools, and many known ones", () => {
    const work = (size: number) => {
      const choice = keepChoice({ ...turn, tools: tools(size) }, {});
      for (let call = 0; call < size; call++) choice(started(call, { name: "other" }), () => {});
    };
    expect(timeGrowth(work, 1_500)).toBeLessThan(mostGrowth);
  });
});

describe("calls that came twice", () => {
  it("are found among many, once each, however their arguments are written", () => {
    const native = Array.from({ length: 300 }, (_, at) => wholeCall(at, `{"at": ${at}}`));
    const written = Array.from({ length: 300 }, (_, at) => wholeCall(-at - 1, `{"at":${at + 150}}`, { dialect: "d" }));
    const { calls, repairs } = settled([...native, ...written].flat());
    expect(calls).toBe(450);
    expect(repairs.filter((repair) => repair === "duplicate")).toHaveLength(150);
  });

  it("are found also where the arguments are so long that they are not kept", () => {
    const long = (at: number) => JSON.stringify({ at, text: "x".repeat(200_000) });
    const native = Array.from({ length: 6 }, (_, at) => wholeCall(at, long(at)));
    const written = Array.from({ length: 6 }, (_, at) => wholeCall(-at - 1, ` ${long(at)}`, { dialect: "d" }));
    expect(settled([...native, ...written].flat()).calls).toBe(6);
  });
});

describe("pieces that wait", () => {
  const piece = (at: number): BackendEvent => text(String(at % 10));
  const words = Array.from({ length: 5_000 }, (_, at) => String(at % 10)).join("");
  const wordsOf = (events: readonly BackendEvent[]) =>
    events.map((event) => (event.type === "text.delta" ? event.text : "")).join("");

  it("for the end of a call are given whole, in fewer pieces if they are many", () => {
    const order = orderItems({});
    const out: BackendEvent[] = [];
    order(started(0), (event) => out.push(event));
    for (let at = 0; at < 5_000; at++) order(piece(at), (event) => out.push(event));
    order({ type: "call.done", call: 0 }, (event) => out.push(event));
    expect(wordsOf(out)).toBe(words);
    expect(out.length).toBeLessThan(100);
  });

  it("for the call that must come are given whole, too", () => {
    const hold = holdWords();
    const out: BackendEvent[] = [];
    for (let at = 0; at < 5_000; at++) hold(piece(at), (event) => out.push(event));
    hold(finished, (event) => out.push(event));
    expect(wordsOf(out)).toBe(words);
    expect(out.length).toBeLessThan(100);
  });
});
