import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createScene } from "../support/app-server/index.ts";
import { start } from "./program.ts";

const patient = { timeout: 10_000 };

it.skipIf(process.platform === "win32")(
  "a gateway that was killed takes its Codex with it, and the next one removes its folder",
  { timeout: 40_000 },
  async () => {
    const temporary = mkdtempSync(join(tmpdir(), "toolwire-killed-"));
    const scene = await createScene({ turns: [[{ say: "Fine." }]] });
    onTestFinished(async () => {
      await scene.dispose();
      rmSync(temporary, { recursive: true });
    });
    const surroundings = {
      files: { "toolwire.yaml": JSON.stringify(scene.config()) },
      environment: { TMPDIR: temporary },
    };
    const first = start(["--port", "0"], surroundings);
    await first.line(/listening/);
    await scene.untilEntries("start", 2);
    const [folder = ""] = readdirSync(temporary);
    expect(folder).toMatch(/^toolwire-codex-/);
    first.child.kill("SIGKILL");
    await first.finished;
    await expect.poll(async () => (await scene.entries("exit")).length, patient).toBe(2);
    expect(existsSync(join(temporary, folder))).toBe(true);

    const second = start(["--port", "0"], surroundings);
    await second.line(/listening/);
    await expect.poll(() => existsSync(join(temporary, folder)), patient).toBe(false);
    await scene.untilEntries("start", 4);
    expect(readdirSync(temporary)).toHaveLength(1);
    second.child.kill("SIGTERM");
    const { code, stderr } = await second.finished;
    expect({ code, left: readdirSync(temporary) }).toEqual({ code: 0, left: [] });
    expect(stderr).toContain("removed Codex folders that killed gateways had left behind");
  },
);
