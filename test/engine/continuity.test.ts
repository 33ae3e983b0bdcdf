import { describe, expect, it, vi } from "vitest";
import { Continuity } from "../../src/engine/continuity.ts";
import { ConversationDigest } from "../../src/engine/conversation-digest.ts";
import { restoreTurn } from "../../src/engine/restore.ts";
import { RememberedCalls } from "../../src/engine/stages/remember.ts";
import { InProcessMemory } from "../../src/store/index.ts";
import {
  type Backend,
  type CallItem,
  type HistoryQuirks,
  type Item,
  type JsonValue,
  type Memory,
  type MemoryRecord,
  noQuirks,
  type Turn,
  type TurnEvent,
} from "../../src/turn/index.ts";
import { turnsDuring } from "../support/time-growth.ts";

/** Memory that tells what is asked of it. */
class WatchedMemory implements Memory {
  readonly #inside = new InProcessMemory();
  readonly reads: (readonly string[])[] = [];
  readonly records: MemoryRecord[] = [];

  read(owner: string, keys: readonly string[]): Promise<(JsonValue | undefined)[]> {
    this.reads.push(keys);
    return this.#inside.read(owner, keys);
  }

  write(owner: string, records: readonly MemoryRecord[]): Promise<void> {
    this.records.push(...records);
    return this.#inside.write(owner, records);
  }
}

const backendWith = (quirks: Partial<HistoryQuirks>, name = "house"): Backend => ({
  name,
  capabilities: { carries: () => true, quirks: { ...noQuirks, ...quirks } },
  run: () => Promise.resolve(),
});
const wantsText = backendWith({ wantsReasoning: true });
const wantsSeals = backendWith({});

const turnOf = (input: Item[]): Turn => ({
  api: "responses",
  model: "m",
  stream: false,
  input,
  tools: [],
  choice: { mode: "auto" },
  settings: {},
  parameters: {},
});
const user = (text: string): Item => ({ type: "message", role: "user", content: [{ type: "text", text }] });
const call = (callId: string): CallItem => ({ type: "call", kind: "function", callId, name: "f", arguments: "{}" });
const output = (callId: string): Item => ({ type: "output", kind: "function", callId, output: "done" });

const callEvents = (callId: string): TurnEvent[] => [
  { type: "call.started", kind: "function", owner: "client", name: "f", callId, id: "fc_1" },
  { type: "call.done", arguments: "{}" },
];

/** Plays a round whose only call has this id. */
function play(memory: Memory, backend: Backend, input: Item[], events: TurnEvent[], callId = "c") {
  const remembered = new RememberedCalls(new Continuity(memory, "ann"), backend, turnOf(input), input);
  for (const event of [...events, ...callEvents(callId)]) remembered.hear(event);
  return remembered.pending;
}

const sealed = (id: string, text: string, encrypted: string | undefined): TurnEvent[] => [
  { type: "reasoning.started", id, upstreamId: id },
  { type: "reasoning.delta", text, part: 0 },
  { type: "reasoning.done", encrypted },
];

describe("what a turn costs the memory", () => {
  const input = [user("Go"), ...Array.from({ length: 200 }, (_, at) => [call(`c${at}`), output(`c${at}`)]).flat()];

  it("is one read for a conversation with 200 calls", async () => {
    const memory = new WatchedMemory();
    await restoreTurn(turnOf(input), wantsText, new Continuity(memory, "ann"), false);
    expect(memory.reads.map((keys) => keys.length)).toEqual([200]);
  });

  it("is one read where reasoning comes back with its calls", async () => {
    const memory = new WatchedMemory();
    const thoughts: Item[] = [{ type: "reasoning", id: "rs_1", summary: [], encrypted: "sealed" }];
    await restoreTurn(turnOf([...thoughts, ...input]), wantsSeals, new Continuity(memory, "ann"), false);
    expect(memory.reads).toHaveLength(1);
  });

  it("is nothing where nothing in the input is of interest, or nothing is to be known of it", async () => {
    const memory = new WatchedMemory();
    const continuity = new Continuity(memory, "ann");
    await restoreTurn(turnOf([user("Hi"), user("Go")]), wantsText, continuity, false);
    await restoreTurn(turnOf([output("c"), { type: "reasoning", summary: ["Hm."] }]), wantsText, continuity, false);
    expect(memory.reads).toEqual([]);
  });

  it("is no more than short keys, whatever ids a client or a provider makes up", async () => {
    const memory = new WatchedMemory();
    const long = "x".repeat(100_000);
    await play(memory, wantsSeals, [user(long)], sealed(long, "Hm.", "sealed"), long);
    const continuity = new Continuity(memory, "ann");
    const echo: Item = { type: "reasoning", id: long, summary: [], encrypted: "sealed" };
    await restoreTurn(turnOf([user(long), echo, call(long)]), wantsSeals, continuity, false);
    const keys = [...memory.reads.flat(), ...memory.records.map(({ key }) => key)];
    expect(keys).toHaveLength(4);
    expect(Math.max(...keys.map((key) => key.length))).toBeLessThan(128);
  });
});

describe("what is remembered of the reasoning before a call", () => {
  const kept = (memory: WatchedMemory) =>
    memory.records.filter(({ key }) => key.startsWith("call:")).map(({ value }) => value);

  it.each([
    ["that wants texts", wantsText, [{ text: "Three." }]],
    ["that wants seals", wantsSeals, []],
  ])("is its text and its seal, whichever backend made it: one %s", async (_name, backend, textAlone) => {
    const memory = new WatchedMemory();
    const events = [...sealed("rs_1", "One.", "sealed 1"), ...sealed("rs_2", "Two.", undefined)];
    await play(memory, backend, [user("Go")], [...events, { type: "reasoning.delta", text: "Three.", part: 0 }]);
    expect(kept(memory)).toMatchObject([
      {
        backend: "house",
        model: "m",
        reasoning: [{ id: "rs_1", text: "One.", encrypted: "sealed 1" }, { id: "rs_2", text: "Two." }, ...textAlone],
      },
    ]);
  });

  it("has the provider's own id of an item, not the one that the client knows", async () => {
    const memory = new WatchedMemory();
    const events: TurnEvent[] = [
      { type: "reasoning.started", id: "rs_1", upstreamId: "reasoning-77" },
      { type: "reasoning.done", encrypted: "sealed" },
      { type: "reasoning.started", id: "rs_2" },
      { type: "reasoning.delta", text: "Read out of text.", part: 0 },
      { type: "reasoning.done" },
    ];
    await play(memory, wantsSeals, [user("Go")], events);
    expect(kept(memory)).toMatchObject([{ reasoning: [{ id: "reasoning-77", encrypted: "sealed" }] }]);
    const makers = memory.records.filter(({ value }) => value === "house").map(({ key }) => key);
    expect(makers).toHaveLength(2);
  });

  it("is not copied into more calls of a round than fit a bound, and one of them is enough to bring it back", async () => {
    const memory = new WatchedMemory();
    const backend = wantsText;
    const remembered = new RememberedCalls(new Continuity(memory, "ann"), backend, turnOf([]), [user("Go")]);
    const long = "x".repeat(400_000);
    for (const event of sealed("rs_1", long, undefined)) remembered.hear(event);
    const ids = Array.from({ length: 300 }, (_, at) => `c${at}`);
    for (const id of ids) for (const event of callEvents(id)) remembered.hear(event);
    await remembered.pending;
    expect(JSON.stringify(memory.records).length).toBeLessThan(1_500_000);
    const history = [user("Go"), ...ids.map((id) => call(id)), ...ids.map((id) => output(id))];
    const { input } = await restoreTurn(turnOf(history), backend, new Continuity(memory, "ann"), false);
    expect(input[1]).toEqual({ type: "reasoning", summary: [long] });
  });

  it("is bounded also where it is many empty items", async () => {
    const memory = new WatchedMemory();
    const remembered = new RememberedCalls(new Continuity(memory, "ann"), wantsSeals, turnOf([]), [user("Go")]);
    const item = (at: number): TurnEvent[] => [
      { type: "reasoning.started", id: `rs_${at}`, upstreamId: `rs_${at}` },
      { type: "reasoning.done", encrypted: "seal" },
    ];
    for (let at = 0; at < 900; at++) for (const event of item(at)) remembered.hear(event);
    for (let at = 0; at < 300; at++) for (const event of callEvents(`c${at}`)) remembered.hear(event);
    for (let at = 900; at < 3_000; at++) for (const event of item(at)) remembered.hear(event);
    for (let at = 300; at < 600; at++) for (const event of callEvents(`c${at}`)) remembered.hear(event);
    await remembered.pending;
    const makers = memory.records.filter(({ value }) => typeof value === "string");
    expect(makers).toHaveLength(1_000);
    expect(JSON.stringify(memory.records).length).toBeLessThan(2_000_000);
  });

  it("is the seal alone where the texts are too long, and nothing where there is none", async () => {
    const memory = new WatchedMemory();
    const much = "x".repeat(300_000);
    const events = [...sealed("rs_1", much, "sealed 1"), ...sealed("rs_2", much, "sealed 2")];
    await play(memory, wantsSeals, [user("Go")], events);
    const [record] = kept(memory);
    expect(record).toMatchObject({ reasoning: [{ encrypted: "sealed 1" }, { id: "rs_2", encrypted: "sealed 2" }] });
    expect(JSON.stringify(record)).not.toContain("xxx");
    const thoughts: TurnEvent[] = [much, much].map((text) => ({ type: "reasoning.delta", text, part: 0 }));
    await play(memory, wantsText, [user("Go")], thoughts);
    expect(kept(memory)).toHaveLength(1);
  });

  it.each([
    ["as text", wantsText, [{ type: "reasoning", summary: ["One.Two."] }]],
    [
      "as sealed items",
      wantsSeals,
      [
        { type: "reasoning", id: "rs_1", summary: [], encrypted: "sealed 1" },
        { type: "reasoning", id: "rs_2", summary: [], encrypted: "sealed 2" },
      ],
    ],
  ])("comes back in the form that the backend wants: %s", async (_form, backend, expected) => {
    const memory = new WatchedMemory();
    const events = [...sealed("rs_1", "One.", "sealed 1"), ...sealed("rs_2", "Two.", "sealed 2")];
    await play(memory, backend, [user("Go")], events);
    const history = [user("Go"), call("c"), output("c")];
    const { input } = await restoreTurn(turnOf(history), backend, new Continuity(memory, "ann"), false);
    expect(input).toEqual([user("Go"), ...expected, call("c"), output("c")]);
    const others = await restoreTurn(turnOf(history), backend, new Continuity(memory, "bob"), false);
    expect(others.input).toEqual(history);
  });
});

describe("memory that fails", () => {
  const broken: Memory = {
    read: () => Promise.reject(new Error("cannot read")),
    write: () => Promise.reject(new Error("cannot write")),
  };

  it("fails no turn: the turn goes on without it, and the failure is told", async () => {
    const told: unknown[] = [];
    const continuity = new Continuity(broken, "ann", (error) => told.push(error));
    const history = [user("Go"), call("c"), output("c")];
    expect((await restoreTurn(turnOf(history), wantsText, continuity, false)).input).toEqual(history);
    await continuity.keepMaker(["rs_1"], "house");
    expect(told.map(String)).toEqual(["Error: cannot read", "Error: cannot write"]);
  });

  it("holds no turn up for more than two seconds when it does not answer", async () => {
    vi.useFakeTimers();
    try {
      const silent: Memory = { read: () => new Promise(() => {}), write: () => Promise.resolve() };
      const told: unknown[] = [];
      const history = [user("Go"), call("c"), output("c")];
      const continuity = new Continuity(silent, "ann", (error) => told.push(error));
      const restored = Promise.resolve(restoreTurn(turnOf(history), wantsText, continuity, false));
      await vi.advanceTimersByTimeAsync(2_000);
      expect((await restored).input).toEqual(history);
      expect(told.map(String)).toEqual(["Error: the memory did not answer in 2000 ms"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("leaves nothing to wait for that could reject", async () => {
    await play(broken, wantsText, [user("Go")], [{ type: "reasoning.delta", text: "Hm.", part: 0 }]);
  });
});

describe("who remembers calls", () => {
  it("has nothing to wait for where nothing was kept", () => {
    expect(play(new InProcessMemory(), wantsText, [user("Go")], [])).toBeUndefined();
  });

  it("waits for every write", async () => {
    let finish = () => {};
    const slow: Memory = {
      read: () => Promise.resolve([]),
      write: () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    };
    let isDone = false;
    const pending = play(slow, wantsText, [user("Go")], [{ type: "reasoning.delta", text: "Hm.", part: 0 }]);
    const waiting = pending?.then(() => {
      isDone = true;
    });
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    finish();
    await waiting;
    expect(isDone).toBe(true);
  });
});

describe("a long history", () => {
  it("is restored without holding the event loop", async () => {
    const ids = Array.from({ length: 4_000 }, (_, at) => `fc_${String(at + 1).padStart(3, "0")}`);
    const history = [user("Go"), ...ids.flatMap((id) => [call(id), output(id)])];
    const continuity = new Continuity(new InProcessMemory(), "ann");
    const restored = async () => restoreTurn(turnOf(history), wantsText, continuity, false);
    expect(await turnsDuring(restored)).toBeGreaterThan(400);
  });

  it("of numbered calls is the same before a call whether it is read in one go or in stretches", async () => {
    const outputs = Array.from({ length: 200 }, (_, at) => output(`fc_${at}`));
    const [inOneGo, inStretches] = [new ConversationDigest(), new ConversationDigest()];
    for (const item of [user("Go"), ...outputs]) {
      inOneGo.add(item);
      inStretches.add(item);
    }
    await inStretches.prepare("fc_001");
    expect(inStretches.candidates("fc_001")).toEqual(inOneGo.candidates("fc_001"));
    expect(inStretches.candidates("fc_001")).toHaveLength(16);
  });

  it("of numbered calls is read in stretches also after a short part of it", async () => {
    const digest = new ConversationDigest();
    for (let at = 0; at < 70; at++) digest.add(user(`message ${at}`));
    await digest.prepare("fc_001");
    for (let at = 0; at < 60_000; at++) digest.add(output(`fc_${at}`));
    expect(await turnsDuring(async () => digest.prepare("fc_002"))).toBeGreaterThan(1_000);
  });

  it("has records of its calls if the round's digest takes long", async () => {
    const memory = new InProcessMemory();
    const history = [user("Go"), ...Array.from({ length: 300 }, (_, at) => output(`x${at}`))];
    await play(memory, wantsText, history, sealed("rs_1", "I think.", undefined), "fc_001");
    const { input } = await restoreTurn(
      turnOf([...history, call("fc_001")]),
      wantsText,
      new Continuity(memory, "ann"),
      false,
    );
    expect(input.at(-2)).toEqual({ type: "reasoning", summary: ["I think."] });
  });
});
