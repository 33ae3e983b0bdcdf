import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContentCollector, joinContents } from "../../src/store/contents.ts";
import { itemsOf } from "../../src/store/message-reader.ts";
import { messageRows } from "../../src/store/message-writer.ts";
import type { MessageRow } from "../../src/store/messages.ts";
import { isStorable } from "../../src/store/storable.ts";
import { finished, type Item } from "../../src/turn/index.ts";
import { anyItems } from "./any-items.ts";

function write(items: readonly Item[], { isAnswer = true, isLegacy = false } = {}) {
  const contents = new ContentCollector();
  return { rows: finished(messageRows(items, { isAnswer, isLegacy, contents })), contents: contents.rows };
}

function read({ rows, contents }: ReturnType<typeof write>): Item[] {
  return rows.flatMap((row) => finished(itemsOf(row, finished(joinContents(contents)))));
}

const textsOf = (row: MessageRow) => [row.content, row.contentJson, row.toolCalls, row.functionCall, row.toolCallId];

describe("items as rows", () => {
  it("come back as they were, whatever they are", () => {
    fc.assert(
      fc.property(anyItems(), fc.boolean(), fc.boolean(), (items, isAnswer, isLegacy) => {
        const written = write(items, { isAnswer, isLegacy });
        expect(read(written)).toEqual(items);
        for (const row of written.rows) for (const text of textsOf(row)) expect(isStorable(text ?? "")).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  const call = (number: number, text = `{"city":"Bern ${number}"}`): Item => ({
    type: "call",
    kind: "function",
    callId: `call_${number}`,
    name: "get_weather",
    arguments: text,
    id: `fc_${number}`,
  });
  const says = (text: string, id?: string): Item => ({
    type: "message",
    role: "assistant",
    content: [{ type: "text", text }],
    ...(id !== undefined && { id }),
  });
  const output = (number: number): Item => ({
    type: "output",
    kind: "function",
    callId: `call_${number}`,
    output: "12 °C",
  });

  it("are one message a round, as Chat Completions has it", () => {
    const items: Item[] = [
      { type: "reasoning", summary: ["Two cities."], id: "rs_1" },
      says("I look.", "msg_1"),
      call(1),
      call(2),
      output(1),
      output(2),
      says("Cold.", "msg_2"),
    ];
    const { rows, contents } = write(items);
    expect(rows.map(({ role, content, toolCallId }) => ({ role, content, toolCallId }))).toEqual([
      { role: "assistant", content: "I look.", toolCallId: null },
      { role: "tool", content: "12 °C", toolCallId: "call_1" },
      { role: "tool", content: "12 °C", toolCallId: "call_2" },
      { role: "assistant", content: "Cold.", toolCallId: null },
    ]);
    expect(JSON.parse(rows[0]?.toolCalls ?? "")).toEqual([
      { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Bern 1"}' } },
      { id: "call_2", type: "function", function: { name: "get_weather", arguments: '{"city":"Bern 2"}' } },
    ]);
    expect(rows[0]?.contentJson).not.toMatch(/I look|Bern|get_weather/);
    expect(rows[0]?.items).toEqual(["rs_1", "msg_1", "fc_1", "fc_2"]);
    expect(read({ rows, contents })).toEqual(items);
  });

  it("keep two messages of an assistant apart that a client sent", () => {
    expect(write([says("One."), says("Two."), call(1), output(1)], { isAnswer: false }).rows).toMatchObject([
      { content: "One.", toolCalls: null },
      { content: "Two.", toolCalls: expect.any(String) },
      { role: "tool" },
    ]);
  });

  it("need no JSON for plain text", () => {
    const user: Item = { type: "message", role: "user", content: [{ type: "text", text: "Hello" }] };
    expect(write([user, says("Hi."), output(1)]).rows.map(({ contentJson }) => contentJson)).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("have the call of a legacy client where it expects it", () => {
    const written = write([call(1)], { isLegacy: true });
    expect(written.rows).toMatchObject([
      { toolCalls: null, functionCall: '{"name":"get_weather","arguments":"{\\"city\\":\\"Bern 1\\"}"}' },
    ]);
    expect(read(written)).toEqual([call(1)]);
  });

  it("keep the call of a custom tool in its own form", () => {
    const custom: Item = {
      type: "call",
      kind: "custom",
      callId: "call_1",
      name: "apply_patch",
      arguments: "*** Begin",
    };
    expect(write([custom]).rows[0]?.toolCalls).toBe(
      '[{"id":"call_1","type":"custom","custom":{"name":"apply_patch","input":"*** Begin"}}]',
    );
  });

  it("keep an image once, whatever the number of messages that show it", () => {
    const url = `data:image/png;base64,${"A".repeat(700_000)}`;
    const shows: Item = { type: "message", role: "user", content: [{ type: "image", url }] };
    const written = write([shows, shows]);
    expect(written.contents.map(({ data }) => data).join("")).toBe(url);
    expect(written.rows.every(({ size, contentJson }) => size > 700_000 && (contentJson ?? "").length < 200)).toBe(
      true,
    );
    expect(read(written)).toEqual([shows, shows]);
  });

  it("keep many long texts of one message in pieces, and short ones beside them", () => {
    const texts = Array.from({ length: 12 }, (_, at) => `${at}`.padEnd(at % 3 === 0 ? 10 : 500_000, "é"));
    const parts = texts.map((text) => ({ type: "text", text }) as const);
    const long: Item[] = [
      { type: "message", role: "user", content: parts },
      { type: "message", role: "assistant", content: parts },
      ...texts.map((text) => says(text)),
    ];
    const written = write(long);
    for (const row of written.rows) {
      for (const text of textsOf(row)) expect((text ?? "").length).toBeLessThanOrEqual(1024 * 1024);
      expect(row.content).toMatch(/^0é+\n\n1é+/);
    }
    expect(read(written)).toEqual(long);
  });

  it("keep very long texts and arguments in pieces", () => {
    const long: Item[] = [
      call(1, JSON.stringify("y".repeat(1_100_000))),
      { type: "opaque", format: "responses", fields: { id: "x", result: "z".repeat(1_100_000) } },
      says("é".repeat(1_100_000)),
      { ...output(1), output: "x".repeat(1_100_000) } as Item,
    ];
    const written = write(long);
    expect(Math.max(...written.contents.map(({ data }) => data.length))).toBeLessThanOrEqual(256 * 1024);
    for (const row of written.rows) for (const text of textsOf(row)) expect((text ?? "").length).toBeLessThan(1_000);
    expect(read(written)).toEqual(long);
    const legacy = write(long, { isLegacy: true });
    expect(legacy.rows[0]?.functionCall?.length).toBeLessThan(100);
    expect(read(legacy)).toEqual(long);
  });
});
