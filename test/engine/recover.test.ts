import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { orderItems } from "../../src/engine/settle/index.ts";
import { recoverCalls } from "../../src/engine/stages/recover.ts";
import { line } from "../../src/engine/stages/stage.ts";
import type { BackendEvent, Turn } from "../../src/turn/index.ts";
import { TurnError } from "../../src/turn/index.ts";

const listener = {};

const turn: Turn = {
  api: "responses",
  model: "m",
  stream: true,
  input: [],
  tools: [{ type: "function", name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } }],
  choice: { mode: "auto" },
  settings: {},
  parameters: {},
};

/** What goes on from the stage; in order, where a client would get it. */
function run(events: readonly BackendEvent[], ordered = true): BackendEvent[] {
  const out: BackendEvent[] = [];
  const recover = recoverCalls(turn, { dialects: "auto", repair: true, prompted: false }, listener);
  if (!recover) throw new Error("there is no stage");
  const emit = line(ordered ? [recover, orderItems(listener)] : [recover], (event) => out.push(event));
  for (const event of events) emit(event);
  return out;
}

const text = (value: string, item?: number): BackendEvent => ({ type: "text.delta", item, text: value });
const thought = (value: string, item?: number): BackendEvent => ({
  type: "reasoning.delta",
  item,
  text: value,
  part: 0,
});
const started = (item: number): BackendEvent => ({ type: "message.started", item, id: `msg_${item}` });
const done = (item: number): BackendEvent => ({ type: "message.done", item });
const finished: BackendEvent = { type: "round.finished", reason: "stop" };
const cut: BackendEvent = { type: "round.finished", reason: "length" };
const call = '<tool_call>{"name": "look", "arguments": {"at": "sea"}}</tool_call>';

/** One word an event: what a client sees of it. */
function seen(events: readonly BackendEvent[]): string[] {
  return events.map((event) => {
    switch (event.type) {
      case "text.delta":
        return `text ${event.text}`;
      case "reasoning.delta":
        return `thought ${event.text}`;
      case "call.started":
        return `call ${event.name}`;
      case "call.arguments":
        return event.delta;
      default:
        return event.type;
    }
  });
}

const theCall = ["call look", '{"at":"sea"}', "call.done"];

describe("plain text", () => {
  it("passes as the very same events", () => {
    const events = [started(0), text("1.", 0), text(" So it is,", 0), text(" and so on", 0), done(0), finished];
    const out = run(events, false);
    expect(out).toEqual(events);
    expect(out.every((event, at) => event === events[at])).toBe(true);
  });

  it("keeps the log probabilities of what had to wait", () => {
    const of = (token: string): BackendEvent => ({
      type: "text.delta",
      text: token,
      logprobs: [{ token, logprob: -1 }],
    });
    const out = run([of("a "), of("<"), of("b"), of(" c"), finished]);
    const kept = out.flatMap((event) => (event.type === "text.delta" ? (event.logprobs ?? []) : []));
    expect(kept.map(({ token }) => token)).toEqual(["a ", "<", "b", " c"]);
    const called = run([of("a "), of("<tool_call>"), of(call.slice(11)), of(" c"), finished]);
    const left = called.flatMap((event) => (event.type === "text.delta" ? (event.logprobs ?? []) : []));
    expect(left.map(({ token }) => token)).toEqual(["a ", " c"]);
  });

  it("of a message without any stays a message", () => {
    expect(seen(run([started(0), done(0), finished]))).toEqual(["message.started", "message.done", "round.finished"]);
  });
});

describe("a numbered message", () => {
  it("that is only a call leaves no empty one behind", () => {
    expect(seen(run([started(0), text(call, 0), done(0), finished]))).toEqual([...theCall, "round.finished"]);
  });

  it("ends before a call in its middle, and goes on as another", () => {
    expect(seen(run([started(0), text(`a ${call}`, 0), text("b", 0), done(0), finished]))).toEqual([
      "message.started",
      "text a ",
      "message.done",
      ...theCall,
      "text b",
      "round.finished",
    ]);
  });

  it("begins behind the call that it begins with", () => {
    expect(seen(run([started(0), text(call, 0), text("b", 0), done(0), finished]))).toEqual([
      ...theCall,
      "message.started",
      "text b",
      "message.done",
      "round.finished",
    ]);
  });

  it("that is done is whole where something follows, and where the turn stops", () => {
    const open = call.replace("</tool_call>", "");
    const whole = [...theCall, "message.started", "text b", "message.done", "round.finished"];
    const first = [started(0), text(open, 0), done(0)];
    expect(seen(run([...first, started(1), text("b", 1), done(1), finished]).filter(isShown))).toEqual(whole);
    expect(seen(run([...first, finished]).filter(isShown))).toEqual([...theCall, "round.finished"]);
  });

  it("that is done and then turns out to be cut gives no call", () => {
    const open = call.replace("</tool_call>", "");
    expect(seen(run([started(0), text(open, 0), done(0), cut]))).toEqual([
      "message.started",
      `text ${open}`,
      "message.done",
      "round.finished",
    ]);
  });

  it("has its reasoning before it", () => {
    expect(seen(run([started(0), text("<think>hm</think>so", 0), done(0), finished]))).toEqual([
      "thought hm",
      "message.started",
      "text so",
      "message.done",
      "round.finished",
    ]);
  });
});

function isShown({ type }: BackendEvent): boolean {
  return type !== "call.repaired";
}

describe("native calls", () => {
  it("come behind the text that stood before them, and never share a number with written ones", () => {
    const native: BackendEvent[] = [
      { type: "call.started", call: 0, kind: "function", name: "look", callId: "c" },
      { type: "call.arguments", call: 0, delta: "{}" },
      { type: "call.done", call: 0 },
    ];
    const out = run([text(`a <`), ...native, text(`b ${call}`), finished]);
    expect(seen(out)).toEqual([
      "text a ",
      "text <",
      "call look",
      "{}",
      "call.done",
      "text b ",
      ...theCall,
      "round.finished",
    ]);
    const numbers = out.flatMap((event) => (event.type === "call.started" ? [event.call] : []));
    expect(new Set(numbers).size).toBe(2);
  });
});

describe("reasoning of the backend", () => {
  it("streams as it comes, as the very same events", () => {
    const events = [thought("Look"), thought(" here"), thought(" now"), text("1."), finished];
    expect(run(events).every((event, at) => event === events[at])).toBe(true);
  });

  it("with items of its own is not read", () => {
    expect(run([thought(call, 3), finished], false)).toEqual([thought(call, 3), finished]);
  });

  it("stands before the answer, though both are white space", () => {
    expect(seen(run([thought("\n"), text(" "), finished]))).toEqual(["thought \n", "text  ", "round.finished"]);
    expect(seen(run([thought("\n"), text("\u2028"), finished]))).toEqual([
      "thought \n",
      "text \u2028",
      "round.finished",
    ]);
  });

  it("is not changed by white space that follows it", () => {
    expect(seen(run([thought(`Hm. ${call}`), text("\n"), finished]))).toContain("call look");
  });
});

describe("a failure", () => {
  const failed: BackendEvent = { type: "round.failed", error: new TurnError("upstream_cut", "Cut.") };

  it("tells nothing of what was held, where nothing else was told", () => {
    expect(seen(run([text("<tool_c"), failed]))).toEqual(["round.failed"]);
    expect(seen(run([text("a <tool_c"), failed]))).toEqual(["text a ", "text <tool_c", "round.failed"]);
  });
});

describe("there is no stage", () => {
  const recovery = { dialects: "auto", repair: true, prompted: false } as const;

  it("where no call can be meant", () => {
    expect(recoverCalls({ ...turn, tools: [] }, recovery, listener)).toBeUndefined();
    expect(recoverCalls({ ...turn, choice: { mode: "none" } }, recovery, listener)).toBeUndefined();
    expect(recoverCalls(turn, undefined, listener)).toBeUndefined();
    const custom = [{ type: "custom" as const, name: "look" }];
    expect(recoverCalls({ ...turn, tools: custom }, recovery, listener)).toBeUndefined();
  });
});

describe("whatever comes", () => {
  const pieces = fc.array(
    fc.constantFrom("a", " ", "\n", "<", "<tool_call>", call, "<think>", "</think>", "`", "{", "😀"),
    { maxLength: 12 },
  );

  it("each message keeps its own text, however the messages are mixed", () => {
    fc.assert(
      fc.property(pieces, pieces, fc.infiniteStream(fc.boolean()), (first, second, turns) => {
        const lanes = [first.map((piece) => text(piece, 0)), second.map((piece) => text(piece, 1))];
        const mixed: BackendEvent[] = [started(0), started(1)];
        while (lanes.some((lane) => lane.length > 0)) {
          const lane = lanes[turns.next().value ? 0 : 1];
          const next = lane?.shift();
          if (next) mixed.push(next);
        }
        const alone = (list: string[]) => totals(run([...list.map((piece) => text(piece)), finished], false));
        const together = totals(run([...mixed, done(0), done(1), finished], false));
        const [one, other] = [alone(first), alone(second)];
        expect(together.calls).toBe(one.calls + other.calls);
        expect([...together.text].sort()).toEqual([...one.text, ...other.text].sort());
      }),
    );
  });

  it("items do not overlap past the stages, and every one that began has ended", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 4 }), (messages) => {
        const events = messages.flatMap((list, item) => [
          started(item),
          ...list.map((piece) => text(piece, item)),
          done(item),
        ]);
        let open = 0;
        for (const event of run([...events, finished])) {
          if (event.type === "message.started" || event.type === "call.started") expect(++open).toBe(1);
          if (event.type === "message.done" || event.type === "call.done") expect(--open).toBe(0);
        }
        expect(open).toBe(0);
      }),
    );
  });
});

function totals(events: readonly BackendEvent[]): { text: string; calls: number } {
  const said = events.flatMap((event) => (event.type === "text.delta" ? [event.text] : []));
  return { text: said.join(""), calls: events.filter(({ type }) => type === "call.done").length };
}

describe("fields that belong to no item", () => {
  const extra: BackendEvent = { type: "message.extra", extensions: { format: "chat", fields: { audio: { id: "a" } } } };
  const failed: BackendEvent = {
    type: "round.failed",
    error: new TurnError("upstream_cut", "The provider broke off."),
  };

  it("are content: text that is held behind them is given when the round fails", () => {
    const half = '<tool_call>{"name": "lo';
    expect(seen(run([extra, text(half), failed]))).toEqual(["message.extra", `text ${half}`, "round.failed"]);
  });
});
