import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CodexGateway, forms, patient, startCodex } from "./codex-gateway.ts";

const pieces = ["Gr", "üße, ", "世", "界 👋🏽", "\n", " ", "."];

let codex: CodexGateway;
beforeAll(async () => {
  codex = await startCodex({
    turns: {
      plain: { play: "a-plain" },
      pieces: [{ say: pieces }, { usage: { input: 5, output: 8 } }],
      two: [{ say: "First." }, { say: "Second." }, { usage: true }],
      nothing: [{ usage: true }],
      uncounted: [{ say: "Fine." }],
    },
  });
});
afterAll(() => codex.close());

describe.each(forms)("a %s client of Codex (stream: %s)", (api, stream) => {
  it("gets what the model says, what it thought and what it cost", async () => {
    const answer = await codex.turn(api, { prompt: "[[plain]] hello", stream });
    expect(answer).toMatchObject({
      status: 200,
      ended: "completed",
      text: "Hello world.",
      reasoning: "Thinking about it briefly",
      calls: [],
      usage: { input: 100, output: 20, total: 120, cached: 7, reasoning: 3 },
    });
    if (api === "chat") expect(answer.finish).toBe("stop");
  });

  it("gets every character, in whatever pieces it came", async () => {
    const answer = await codex.turn(api, { prompt: "[[pieces]]", stream });
    expect(answer).toMatchObject({ text: pieces.join(""), usage: { input: 5, output: 8, total: 13 } });
  });

  it("gets both of two messages", async () => {
    const { text } = await codex.turn(api, { prompt: "[[two]]", stream });
    expect(text).toMatch(/^First\.\s*Second\.$/);
  });

  it("gets an answer without words where the model said none", async () => {
    expect(await codex.turn(api, { prompt: "[[nothing]]", stream })).toMatchObject({ ended: "completed", text: "" });
  });

  it("gets an answer also where Codex does not say what it cost", async () => {
    expect(await codex.turn(api, { prompt: "[[uncounted]]", stream })).toMatchObject({
      ended: "completed",
      text: "Fine.",
    });
  });
});

describe("what Codex is asked", () => {
  it("is a thread of its own, which may touch nothing, and which is given up behind the turn", async () => {
    const before = (await codex.scene.requests("thread/start")).length;
    await codex.turn("chat", { prompt: "[[plain]] hello" });
    const started = (await codex.scene.requests("thread/start")).slice(before);
    expect(started).toHaveLength(1);
    expect(started[0]?.params).toMatchObject({
      model: "fake-model",
      ephemeral: true,
      approvalPolicy: "never",
      sandbox: "read-only",
    });
    const injected = await codex.scene.last("thread/inject_items");
    const threadId = injected.params?.threadId;
    const turn = await codex.scene.last("turn/start");
    expect(turn.params).toMatchObject({ threadId, input: [] });
    const given = async () => (await codex.scene.requests("thread/unsubscribe")).map(({ params }) => params?.threadId);
    await expect.poll(given, patient).toContain(threadId);
  });

  it("has the client's instructions once, and not as a system message, which Codex drops", async () => {
    await codex.turn("chat", { prompt: "[[plain]] hello", system: "Be brief." });
    const started = await codex.scene.last("thread/start");
    const injected = await codex.scene.last("thread/inject_items");
    const told = JSON.stringify([started.params, injected.params]);
    expect(told.split("Be brief.")).toHaveLength(2);
    expect(told).not.toContain('"role":"system"');
  });

  it("is the whole conversation, in its order", async () => {
    const before = [
      { role: "user", content: "One?" },
      { role: "assistant", content: "One." },
    ];
    await codex.turn("chat", { before, prompt: "[[plain]] two?" });
    const injected = await codex.scene.last("thread/inject_items");
    expect(injected.params?.items).toMatchObject([
      { role: "user", content: [{ type: "input_text", text: "One?" }] },
      { role: "assistant", content: [{ type: "output_text", text: "One." }] },
      { role: "user", content: [{ type: "input_text", text: "[[plain]] two?" }] },
    ]);
  });

  it("is asked of one program, whose home is the configured one, however many turns there are", async () => {
    const starts = await codex.scene.entries("start");
    await Promise.all(forms.map(([api, stream]) => codex.turn(api, { prompt: "[[plain]]", stream })));
    expect(await codex.scene.entries("start")).toEqual(starts);
    expect(starts.map(({ env }) => env.CODEX_HOME)).toEqual(starts.map(() => codex.scene.home));
    expect(new Set((await codex.scene.requests("turn/start")).map(({ pid }) => pid)).size).toBe(1);
    expect(await codex.scene.entries("garbage")).toEqual([]);
  });
});
