import { describe, expect, it } from "vitest";
import { TurnReader } from "../../../src/backends/codex/reader.ts";
import { ToolNames } from "../../../src/backends/codex/tool-names.ts";
import type { BackendEvent, JsonObject } from "../../../src/turn/index.ts";

type Line = [method: string, params: JsonObject];

const turn = "turn_1";
const message = (text: string, id = "msg_1") => ({ type: "agentMessage", id, text, phase: null });
const raw = (item: JsonObject): Line => ["rawResponseItem/completed", { item }];
const said = (text: string, id = "msg_1"): Line =>
  raw({ type: "message", role: "assistant", id, content: [{ type: "output_text", text }] });
const started = (id = "msg_1"): Line => ["item/started", { item: message("", id) }];
const piece = (delta: string, id = "msg_1"): Line => ["item/agentMessage/delta", { itemId: id, delta }];
const shown = (text: string, id = "msg_1"): Line => ["item/completed", { item: message(text, id) }];

/** What comes out of a turn in which this is heard. */
function read(lines: Line[], isRaw = true): BackendEvent[] {
  const events: BackendEvent[] = [];
  const emit = (event: BackendEvent) => void events.push(event);
  const reader = new TurnReader({ backend: "codex", redact: String, names: new ToolNames([], []), isRaw, emit });
  reader.hear("turn/started", { turn: { id: turn } });
  for (const [method, params] of lines) reader.hear(method, { turnId: turn, ...params });
  reader.hear("turn/completed", { turn: { id: turn, status: "completed" } });
  return events;
}

/** The texts of its messages, each to its end. */
function messagesOf(events: BackendEvent[]): string[] {
  const texts = new Map<number | undefined, string>();
  for (const event of events) {
    if (event.type === "message.started") texts.set(event.item, "");
    if (event.type === "text.delta") texts.set(event.item, `${texts.get(event.item) ?? ""}${event.text}`);
  }
  return [...texts.values()];
}

const whole = "see <oai-mem-citation> and </oai-mem-citation> tags";

describe("a message out of which Codex takes words", () => {
  it.each<[string, Line[], string]>([
    ["in pieces", [started(), piece("see "), piece(" tags"), shown("see  tags"), said(whole)], "see  tags"],
    ["at its end", [started(), piece("see "), shown("see "), said("see <oai-mem-citation> and")], "see "],
    [
      "and tells all of it only then",
      [started(), piece("see "), piece(" tags"), shown(whole), said(whole)],
      "see  tags",
    ],
    ["and tells only then", [started(), shown("see  tags"), said(whole)], "see  tags"],
  ])("has no piece twice or out of place: %s", (_, lines, text) => {
    expect(messagesOf(read(lines))).toEqual([text]);
  });

  it("is told as it is where Codex shows nothing of it", () => {
    expect(messagesOf(read([said("Fine.")]))).toEqual(["Fine."]);
    expect(messagesOf(read([started(), said("Fine.")]))).toEqual(["Fine."]);
  });

  it("has the rest of what came in pieces", () => {
    expect(messagesOf(read([started(), piece("Fi"), shown("Fine."), said("Fine.")]))).toEqual(["Fine."]);
    expect(messagesOf(read([started(), piece("Fi"), shown("Fine.")], false))).toEqual(["Fine."]);
  });
});

describe("two messages of one id", () => {
  const first = [started(), piece("First."), shown("First."), said("First.")];

  it.each<[string, Line[], string]>([
    ["in pieces", [started(), piece("Second."), shown("Second."), said("Second.")], "Second."],
    ["at once", [started(), shown("Second."), said("Second.")], "Second."],
    ["that are the same", first, "First."],
  ])("are both told: %s", (_, second, text) => {
    expect(messagesOf(read([...first, ...second]))).toEqual(["First.", text]);
  });

  it("are not made of one whose end is told twice", () => {
    expect(messagesOf(read([...first, said("First.")]))).toEqual(["First."]);
    expect(messagesOf(read([...first, shown("First."), piece("First.")]))).toEqual(["First."]);
  });
});

describe("reasoning that comes at once", () => {
  const thought = { type: "reasoning", id: "rs_1" };
  const summary = [{ type: "summary_text", text: "Hm." }];
  const content = [{ type: "reasoning_text", text: "Hm, Rome." }];
  const begun: Line = ["item/started", { item: { ...thought, summary: [], content: [] } }];

  it.each<[string, JsonObject, string]>([
    ["its summary", { summary }, "Hm."],
    ["its text", { summary: [], content }, "Hm, Rome."],
    ["its summary and not its text too", { summary, content }, "Hm."],
  ])("is told: %s", (_, parts, text) => {
    const events = read([begun, raw({ ...thought, ...parts, encrypted_content: "U0VDUkVU" })]);
    expect(events.flatMap((event) => (event.type === "reasoning.delta" ? [event.text] : []))).toEqual([text]);
    expect(events).toContainEqual({ type: "reasoning.done", item: 0, encrypted: "U0VDUkVU" });
  });

  it("is not told again where it came in pieces", () => {
    const delta: Line = ["item/reasoning/summaryTextDelta", { itemId: "rs_1", delta: "Hm.", summaryIndex: 0 }];
    const events = read([begun, delta, raw({ ...thought, summary, content })]);
    expect(events.filter(({ type }) => type === "reasoning.delta")).toHaveLength(1);
  });
});

describe("a message that Codex begins and never ends", () => {
  it("is a refusal where nothing is in it, and only then", () => {
    const refusals = (lines: Line[]) => read(lines).filter(({ type }) => type === "refusal.delta");
    expect(refusals([started()])).toMatchObject([{ text: expect.stringMatching(/refused/) }]);
    expect(refusals([started(), piece("Fine.")])).toEqual([]);
    expect(refusals([started(), shown(""), said("")])).toEqual([]);
  });
});
