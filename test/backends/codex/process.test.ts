import { afterEach, describe, expect, it } from "vitest";
import type { SceneOptions, Step } from "../../support/app-server/index.ts";
import { paths, requestFor } from "../../support/gateway.ts";
import { type CodexGateway, forms, patient, startCodex } from "./codex-gateway.ts";

const fine: SceneOptions["turns"] = [[{ say: "Fine." }, { usage: true }]];
/** Said when something happens in the middle of a turn. */
const half: Step[] = [{ say: ["Half ", "an "], open: true }, { wait: 50 }];
const plain = { play: "a-plain" } as const;

let codex: CodexGateway;
afterEach(() => codex.close());

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.each(forms)("for a %s client (stream: %s)", (api, stream) => {
  it("a turn ends in one legal way when the program exits in it, and the next turn works", async () => {
    codex = await startCodex({ turns: { exits: [...half, { exit: 0 }], plain } });
    const answer = await codex.turn(api, { prompt: "[[exits]]", stream });
    expect(answer).toMatchObject({ status: stream ? 200 : 502, ended: "failed", text: stream ? "Half an " : "" });
    expect(answer.error?.code).toMatch(/^upstream_/);
    expect(await codex.turn(api, { prompt: "[[plain]]", stream })).toMatchObject({ text: "Hello world." });
    // Another process has done that.
    expect(new Set((await codex.scene.requests("turn/start")).map(({ pid }) => pid)).size).toBe(2);
  });

  it("a turn ends in one legal way when the program writes what is no message, and the next turn works", async () => {
    codex = await startCodex({
      turns: { garbage: [{ line: "thread 'main' panicked at" }, { line: "[1,2]" }, { say: "Fine." }], plain },
    });
    const answer = await codex.turn(api, { prompt: "[[garbage]]", stream });
    expect([["completed", "Fine."] as const, ["failed", ""] as const]).toContainEqual([answer.ended, answer.text]);
    expect(await codex.turn(api, { prompt: "[[plain]]", stream })).toMatchObject({ text: "Hello world." });
  });

  it("nothing is lost by what the program writes beside its messages", async () => {
    codex = await startCodex({
      turns: [
        [
          { stderr: "WARN something\n" },
          { line: "" },
          { notify: { method: "notification/of/tomorrow", params: { deep: { x: [1] } } } },
          { huge: 300_000 },
          { say: ["Fi", "ne."] },
          { usage: true },
        ],
      ],
    });
    expect(await codex.turn(api, { stream })).toMatchObject({ status: 200, ended: "completed", text: "Fine." });
  });
});

describe("the program", () => {
  it("is started again when it could not be started at once", async () => {
    codex = await startCodex({ turns: fine, failStarts: 1 }, { retries: 2 });
    expect(await codex.turn("chat", {})).toMatchObject({ status: 200, text: "Fine." });
    expect((await codex.scene.entries("start")).length).toBeGreaterThan(1);
  });

  it.each<[string, Step[]]>([
    ["exits before its model has said anything", [{ exit: 3 }]],
    ["is killed", [...half, { kill: "SIGKILL" }]],
  ])("is started again when it %s", async (_, steps) => {
    codex = await startCodex({ turns: { dies: steps, plain } });
    const answer = await codex.turn("responses", { prompt: "[[dies]]" });
    expect(answer).toMatchObject({ status: 502, ended: "failed" });
    expect(answer.error?.code).toMatch(/^upstream_/);
    expect(await codex.turn("responses", { prompt: "[[plain]]" })).toMatchObject({ text: "Hello world." });
  });

  it("is an error that names the backend where it can never be started", async () => {
    codex = await startCodex({ turns: fine, failStarts: 1_000 });
    const answer = await codex.turn("responses", { stream: true });
    expect(answer.status).toBeGreaterThanOrEqual(502);
    expect(answer.error?.message).toContain("codex");
    expect((await codex.ready()).status).toBe(503);
  });

  it("is an error where it is stuck before it has said hello", async () => {
    codex = await startCodex({ turns: fine, startDelay: 60_000 }, { timeouts: { connect: "300ms" } });
    expect((await codex.turn("chat", {}, { signal: AbortSignal.timeout(5_000) })).status).toBeGreaterThanOrEqual(502);
  });

  it("is given up where a turn hears nothing from it", async () => {
    codex = await startCodex({ turns: { stuck: [{ freeze: true }], plain } }, { timeouts: { first_content: "500ms" } });
    expect(await codex.turn("chat", { prompt: "[[stuck]]" })).toMatchObject({
      status: 504,
      error: { code: "upstream_timeout" },
    });
  });

  it("stops its model when the client leaves", async () => {
    codex = await startCodex({ turns: [[{ say: "Half an", open: true }, { hang: true }]] });
    const leaving = new AbortController();
    const gone = fetch(`${codex.url}${paths.chat}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(requestFor("chat", { model: "codex/fake-model", stream: true })),
      signal: leaving.signal,
    }).then((response) => response.text());
    await codex.scene.until("turn/start");
    setTimeout(() => leaving.abort(), 100);
    await expect(gone).rejects.toThrow();
    await codex.scene.until("turn/interrupt");
    await codex.scene.until("thread/unsubscribe");
  });

  it.each([
    ["when it is asked to", {}],
    ["when it does not want to", { stubborn: true }],
  ])("ends with the gateway, %s", async (_, more) => {
    codex = await startCodex({ turns: fine, ...more });
    await codex.turn("chat", {});
    const running = async () => (await codex.scene.entries("start")).filter(({ pid }) => isRunning(pid));
    expect(await running()).not.toEqual([]);
    await codex.stop();
    await expect.poll(running, patient).toEqual([]);
  });
});
