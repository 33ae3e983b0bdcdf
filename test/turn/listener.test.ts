import { describe, expect, it } from "vitest";
import {
  type BackendCallStarted,
  type CallStarted,
  listenWith,
  type Turn,
  TurnError,
  type TurnListener,
  type TurnSummary,
} from "../../src/turn/index.ts";

const turn: Turn = {
  ...{ api: "any", model: "m", stream: false, input: [], tools: [], settings: {}, parameters: {} },
  choice: { mode: "auto" },
};
const error = new TurnError("upstream_cut", "The provider broke off.");
const next = { action: "retry", waitMs: 250 } as const;
const begun: BackendCallStarted = { type: "call.started", kind: "function", call: 1, name: "f" };
const given: CallStarted = { type: "call.started", kind: "function", owner: "client", callId: "c", id: "i", name: "f" };
const dropped = { bytes: 3 };
const summary: TurnSummary = {
  ...{ status: "completed", error: undefined, usage: undefined },
  ...{ firstContentMs: null, overheadMs: 0, totalMs: 1 },
};

/** How each thing that a listener may hear is told. */
const tellings: { [Heard in keyof TurnListener]-?: Parameters<Required<TurnListener>[Heard]> } = {
  turnStarted: [turn],
  attemptStarted: ["chutes"],
  attemptFailed: ["chutes", error, next],
  roundCommitted: [],
  callStarted: [given],
  callBuffered: [begun],
  callReplayed: [begun, 4],
  callDone: [given, "{}"],
  callRepaired: ["missing_id", given],
  argumentsBroken: [given],
  schemaMismatch: [given, "/city"],
  callSuppressed: ["f"],
  unknownTool: ["f"],
  strictFailed: ["f", null],
  textKept: ["hermes-json", "not JSON", null],
  callLeftOut: ["the answer has more than 10000 calls"],
  cutOff: [dropped],
  answerCut: [4_194_305],
  beforeEndFailed: [error],
  storeFailed: ["lost"],
  turnStored: [3],
  turnFinished: [summary],
};
const names = Object.keys(tellings) as (keyof TurnListener)[];

type Heard = [who: string, name: string, ...args: unknown[]];

/** A listener that notes everything. */
function noting(who: string, heard: Heard[]): TurnListener {
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void heard.push([who, name, ...args]);
  return Object.fromEntries(names.map((name) => [name, note(name)]));
}

function tell<Name extends keyof TurnListener>(listener: TurnListener, name: Name): void {
  const hears: ((...args: never[]) => void) | undefined = listener[name];
  if (hears) Reflect.apply(hears, listener, tellings[name]);
}

describe("several listeners of a turn", () => {
  it.each(names)("all hear %s, in their order, with all that is told", (name) => {
    const heard: Heard[] = [];
    tell(listenWith(["log", "metrics", "events"].map((who) => noting(who, heard))), name);
    expect(heard).toEqual(["log", "metrics", "events"].map((who) => [who, name, ...tellings[name]]));
    for (const [index, each] of tellings[name].entries()) expect(heard[2]?.[index + 2]).toBe(each);
  });

  it("need not hear everything", () => {
    const heard: Heard[] = [];
    const { callDone = () => {} } = noting("calls", heard);
    const all = listenWith([{}, { callDone }, noting("all", heard)]);
    for (const name of names) tell(all, name);
    expect(heard.filter(([who]) => who === "calls").map(([, name]) => name)).toEqual(["callDone"]);
    expect(heard.filter(([who]) => who === "all").map(([, name]) => name)).toEqual(names);
  });

  it("are called on themselves, so that they may keep what they heard", () => {
    class Counting implements TurnListener {
      #count = 0;
      callSuppressed(): void {
        this.#count++;
      }
      get count(): number {
        return this.#count;
      }
    }
    const both = [new Counting(), new Counting()];
    listenWith(both).callSuppressed?.("f");
    expect(both.map(({ count }) => count)).toEqual([1, 1]);
  });
});

describe("one listener of a turn", () => {
  it("is given back as it is", () => {
    const only = noting("only", []);
    expect(listenWith([only])).toBe(only);
  });
});

describe("a turn to which nobody listens", () => {
  it("computes nothing of what would be told", () => {
    const nobody = listenWith([]);
    const compute = (): string => {
      throw new Error("this was computed for nobody");
    };
    nobody.attemptStarted?.(compute());
    nobody.textKept?.(compute(), compute(), compute());
    nobody.callLeftOut?.(compute());
    for (const name of names) expect(nobody[name]).toBeUndefined();
  });
});
