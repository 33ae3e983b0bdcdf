import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { SceneOptions } from "../../support/app-server/index.ts";
import { type CodexGateway, startCodex } from "./codex-gateway.ts";

const plain = { play: "a-plain" } as const;
const fine: SceneOptions["turns"] = [[{ say: "Fine." }, { usage: true }]];

let codex: CodexGateway;
afterEach(() => codex.close());

const pids = async () => new Set((await codex.scene.requests("turn/start")).map(({ pid }) => pid));

describe("the program of a Codex backend", () => {
  it("is replaced when it does not answer any more", { timeout: 60_000 }, async () => {
    const timeouts = { first_content: "500ms" };
    codex = await startCodex({ turns: { stuck: [{ freeze: true }], plain } }, { timeouts });
    expect(await codex.turn("chat", { prompt: "[[stuck]]" })).toMatchObject({ status: 504 });
    const works = async () => (await codex.turn("chat", { prompt: "[[plain]]" })).text;
    await expect.poll(works, { timeout: 45_000, interval: 1_000 }).toBe("Hello world.");
    expect((await pids()).size).toBe(2);
  });

  it("may crash under many turns without being left alone for it", async () => {
    codex = await startCodex(
      { turns: { dies: [{ say: "Half", open: true }, { wait: 300 }, { exit: 1 }], plain } },
      { breaker: { failures: 3 } },
    );
    const dying = Array.from({ length: 6 }, () => codex.turn("chat", { prompt: "[[dies]]", stream: true }));
    for (const answer of await Promise.all(dying)) expect(answer).toMatchObject({ ended: "failed" });
    expect(await codex.turn("chat", { prompt: "[[plain]]" })).toMatchObject({ status: 200, text: "Hello world." });
  });

  it("that keeps crashing lets nobody wait long", { timeout: 60_000 }, async () => {
    codex = await startCodex({ turns: [[{ exit: 1 }]] });
    for (let times = 0; times < 8; times++) {
      const asked = performance.now();
      expect((await codex.turn("chat", {})).status).toBeGreaterThanOrEqual(502);
      expect(performance.now() - asked).toBeLessThan(9_000);
    }
  });

  it("is relieved when its home changes, and ends only when its turns have", { timeout: 30_000 }, async () => {
    codex = await startCodex({
      turns: { slow: [{ say: "Slow ", open: true }, { wait: 3_000 }, { say: "but whole." }], plain },
    });
    const slow = codex.turn("chat", { prompt: "[[slow]]", stream: true });
    await codex.scene.until("turn/start");
    writeFileSync(join(codex.scene.home, "config.toml"), 'model = "another"\n');
    expect(await codex.turn("chat", { prompt: "[[plain]]" })).toMatchObject({ text: "Hello world." });
    expect(await slow).toMatchObject({ ended: "completed" });
    expect((await slow).text).toContain("but whole.");
    expect((await pids()).size).toBe(2);
  });

  it("is not relieved where nothing has changed", async () => {
    codex = await startCodex({ turns: fine });
    await codex.turn("chat", {});
    await sleep(1_200);
    await codex.turn("chat", {});
    expect((await pids()).size).toBe(1);
  });

  it("never sees an AGENTS.md that is written while it runs", { timeout: 30_000 }, async () => {
    codex = await startCodex({ turns: fine, env: ["CODEX_HOME"] });
    await codex.turn("chat", {});
    const file = join(codex.scene.home, "AGENTS.md");
    writeFileSync(file, "Speak like a pirate.");
    utimesSync(file, new Date(), new Date());
    await codex.turn("chat", {});
    expect((await pids()).size).toBe(2);
    const starts = await codex.scene.entries("start");
    expect(JSON.stringify(starts.at(0))).toContain(codex.scene.home);
    expect(JSON.stringify(starts.at(-1)?.env ?? {})).not.toContain(codex.scene.home);
  });

  it("does not keep the list of models waiting", async () => {
    codex = await startCodex({ turns: fine, replies: { "model/list": "silence" } });
    const asked = performance.now();
    expect((await fetch(`${codex.url}/v1/models`)).status).toBe(200);
    expect(performance.now() - asked).toBeLessThan(8_000);
  });

  it("may write what is no message between its messages", async () => {
    const odd = ['{"level":"WARN"}', '{"id":null,"error":{"message":"?"}}', '{"id":"7","result":{}}', "null", "[1]"];
    codex = await startCodex({ turns: [[...odd.map((line) => ({ line })), { say: "Fine." }]] });
    expect(await codex.turn("chat", {})).toMatchObject({ status: 200, text: "Fine." });
  });

  it("may think longer than it may fall silent later", async () => {
    codex = await startCodex({ turns: [[{ wait: 1_500 }, { say: "Fine." }]] }, { timeouts: { idle: "500ms" } });
    expect(await codex.turn("chat", {})).toMatchObject({ status: 200, text: "Fine." });
  });

  it("is not waited for when the gateway stops while it starts", async () => {
    codex = await startCodex({ turns: fine, startDelay: 30_000 }, { timeouts: { connect: "25s" } });
    await sleep(300);
    const asked = performance.now();
    await codex.stop();
    expect(performance.now() - asked).toBeLessThan(6_000);
  });
});
