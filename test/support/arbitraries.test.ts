import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  anyChunking,
  anyInterleaving,
  anyPieces,
  anyRendering,
  anyText,
  anyTurn,
  bytesOf,
  expected,
  payloadsOf,
} from "./arbitraries.ts";
import { checkChatStream } from "./chat-stream.ts";
import { sseFrames } from "./provider.ts";
import { checkResponsesStream } from "./responses-stream.ts";
import { inSequence, piecesOf } from "./scripted-turn.ts";
import { checkChatWhole, checkResponsesWhole } from "./whole.ts";

const request = { model: "m", stream: true, stream_options: { include_usage: true } };

describe("the arbitraries", () => {
  it("cut text and bytes without losing anything", () => {
    fc.assert(
      fc.property(anyText(), anyPieces(), anyChunking(), (text, pieces, chunking) => {
        expect(pieces(text).join("")).toBe(text);
        expect(Buffer.concat(chunking(Buffer.from(text))).toString()).toBe(text);
      }),
    );
  });

  it("cut inside multi-byte characters", () => {
    const cuts = fc.sample(anyChunking(), 100).flatMap((chunking) => chunking(Buffer.from("日本 😀")));
    expect(cuts.some((piece) => piece.toString().includes("\ufffd"))).toBe(true);
  });

  it("mix lanes, keep each lane's order, and begin the lanes in order", () => {
    const lanes = ["a", "b", "c"].map((lane) => [1, 2, 3].map((step) => `${lane}${step}`));
    fc.assert(
      fc.property(anyInterleaving(), (weave) => {
        const woven = weave(lanes);
        for (const lane of lanes) expect(woven.filter((each) => each[0] === lane[0]?.[0])).toEqual(lane);
        expect(woven.filter((each) => each.endsWith("1"))).toEqual(["a1", "b1", "c1"]);
      }),
    );
    const orders = new Set(fc.sample(anyInterleaving(), 50).map((weave) => weave(lanes).join()));
    expect(orders.size).toBeGreaterThan(10);
  });

  it("cover turns of every kind", () => {
    const turns = fc.sample(anyTurn(), 300).map((turn) => turn.items.map((item) => item.kind));
    expect(turns.some((kinds) => kinds.filter((kind) => kind === "call").length === 4)).toBe(true);
    expect(turns.some((kinds) => !kinds.includes("call"))).toBe(true);
    expect(turns.some((kinds) => kinds.includes("reasoning"))).toBe(true);
    expect(turns.some((kinds) => kinds.join().includes("call,message"))).toBe(true);
  });
});

describe("a rendered turn", () => {
  it("is a correct Chat stream with the turn's content", () => {
    fc.assert(
      fc.property(anyTurn(), anyPieces(), (turn, pieces) => {
        const silent = turn.items.some((item) => item.kind === "call" && item.arguments === "");
        const frames = sseFrames("chat", payloadsOf("chat", turn, request, { pieces, weave: inSequence }));
        const { text, reasoning, usage, ended, faults } = checkChatStream(frames.join(""), { includeUsage: true });
        expect(faults).toEqual(silent ? ["a call whose arguments are not whole JSON"] : []);
        expect(expected(turn, "chat", "chat")).toMatchObject({ text, reasoning, usage, ended });
      }),
    );
  });

  it("is a correct Responses stream with the turn's content", () => {
    fc.assert(
      fc.property(anyTurn(), anyPieces(), (turn, pieces) => {
        const frames = sseFrames("responses", payloadsOf("responses", turn, request, { pieces, weave: inSequence }));
        const { text, reasoning, usage, ended, faults } = checkResponsesStream(frames.join(""), { rawArguments: true });
        expect(faults).toEqual([]);
        expect(expected(turn, "responses", "responses")).toMatchObject({ text, reasoning, usage, ended });
      }),
    );
  });

  it("has the same calls however they are mixed", () => {
    fc.assert(
      fc.property(anyTurn(), anyRendering(), anyChunking(), (turn, rendering, chunking) => {
        const bytes = Buffer.concat(bytesOf("chat", turn, request, rendering, chunking));
        const { calls } = checkChatStream(bytes.toString(), { includeUsage: true });
        const silenced = calls.map((call) => ({ ...call, arguments: call.arguments || "{}" }));
        expect(silenced).toEqual(expected(turn, "chat", "chat").calls);
      }),
    );
  });

  it("is the same when it comes whole", () => {
    const rendering = { pieces: piecesOf(1), weave: inSequence };
    fc.assert(
      fc.property(anyTurn(), anyChunking(), (turn, chunking) => {
        const read = (api: "chat" | "responses"): unknown =>
          JSON.parse(Buffer.concat(bytesOf(api, turn, { model: "m" }, rendering, chunking)).toString());
        const chat = checkChatWhole(read("chat"), { rawArguments: true });
        const responses = checkResponsesWhole(read("responses"), { rawArguments: true });
        expect([...chat.faults, ...responses.faults]).toEqual([]);
        expect(chat.calls).toEqual(responses.calls);
        expect(chat.text).toBe(expected(turn, "chat", "chat").text);
        expect(responses.text).toBe(chat.text);
      }),
    );
  });
});
