import { execFileSync } from "node:child_process";
import { constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Running, type Surroundings, start } from "./program.ts";

// Each test starts a program, which takes a while on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const config = "backends: { demo: { kind: demo, pace: 0ms } }\nlog: { level: debug }\n";
// A long request id makes long lines.
const headers = { "content-type": "application/json", "x-request-id": "r".repeat(120) };
const body = JSON.stringify({ model: "demo", messages: [{ role: "user", content: "Hello" }] });
/** More lines than a pipe or a socket holds. */
const many = 320;
/** A clean end may take the drain of the log and of the events. */
const soon = 9_000;

function startWith(more = "", surroundings: Surroundings = {}): Running {
  return start(["--port", "0"], { files: { "toolwire.yaml": config + more }, ...surroundings });
}

async function addressOf(running: Running): Promise<string> {
  return (await running.line(/^toolwire listening on /)).replace("toolwire listening on ", "");
}

async function turns(address: string, count: number): Promise<number> {
  let answered = 0;
  const one = async () => {
    const response = await fetch(`${address}/v1/chat/completions`, { method: "POST", headers, body });
    await response.text();
    if (response.ok) answered++;
  };
  for (let left = count; left > 0; left -= 50) await Promise.all(Array.from({ length: Math.min(50, left) }, one));
  return answered;
}

/** The exit code, and whether it came in time. */
async function ended(running: Running, signal: NodeJS.Signals): Promise<{ code: number | null; isSoon: boolean }> {
  const asked = performance.now();
  const code = await new Promise<number | null>((resolve) => {
    running.child.once("exit", resolve);
    running.child.kill(signal);
  });
  return { code, isSoon: performance.now() - asked < soon };
}

function pipe(): number {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-pipe-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  return openSync(join(folder, "pipe"), constants.O_RDWR | constants.O_NONBLOCK);
}

/** Throws an error that nothing catches when SIGUSR2 arrives. */
const bomb = `data:text/javascript;base64,${btoa('process.on("SIGUSR2", () => { throw new Error("boom"); });')}`;

describe.skipIf(process.platform === "win32")("a log whose reader has stopped", () => {
  it.each(["socket", "pipe"])("holds up neither requests nor the end (%s)", async (kind) => {
    const running = startWith("", kind === "pipe" ? { stderr: pipe() } : {});
    running.child.stderr?.pause();
    const address = await addressOf(running);
    expect(await turns(address, many)).toBe(many);
    expect(await ended(running, "SIGTERM")).toEqual({ code: 0, isSoon: true });
  });

  it("and events that nobody reads either, together", async () => {
    const running = startWith("telemetry: { events: stdout }\n");
    const address = await addressOf(running);
    running.child.stderr?.pause();
    running.child.stdout?.pause();
    expect(await turns(address, many)).toBe(many);
    expect(await ended(running, "SIGTERM")).toEqual({ code: 0, isSoon: true });
  });

  it("does not keep a gateway that has failed alive", async () => {
    const running = startWith("", { environment: { NODE_OPTIONS: `--import=${bomb}` } });
    const address = await addressOf(running);
    running.child.stderr?.pause();
    await turns(address, many);
    expect(await ended(running, "SIGUSR2")).toEqual({ code: 1, isSoon: true });
  });

  it("gets everything when it reads again", async () => {
    const running = startWith();
    const address = await addressOf(running);
    running.child.stderr?.pause();
    await turns(address, many);
    running.child.stderr?.resume();
    running.child.kill("SIGTERM");
    const { stderr } = await running.finished;
    expect(turnLines(stderr)).toHaveLength(many);
  });

  it("that is gone is no reason to end", async () => {
    const running = startWith();
    const address = await addressOf(running);
    running.child.stderr?.destroy();
    expect(await turns(address, 60)).toBe(60);
    const metrics = await (await fetch(`${address}/metrics`)).text();
    expect(metrics).toMatch(/^toolwire_log_lines_dropped_total [1-9]/m);
    expect(await ended(running, "SIGTERM")).toEqual({ code: 0, isSoon: true });
  });
});

describe("the last lines of the log", () => {
  it("are written when the gateway is stopped", async () => {
    const running = startWith();
    await turns(await addressOf(running), 120);
    running.child.kill("SIGTERM");
    const { code, stderr } = await running.finished;
    expect(code).toBe(0);
    expect(turnLines(stderr)).toHaveLength(120);
    for (const line of stderr.trimEnd().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
  });

  it.skipIf(process.platform === "win32")("have the error that ended it, behind all others", async () => {
    const running = startWith("", { environment: { NODE_OPTIONS: `--import=${bomb}` } });
    await turns(await addressOf(running), 20);
    running.child.kill("SIGUSR2");
    const { code, stderr } = await running.finished;
    expect(code).toBe(1);
    expect(turnLines(stderr)).toHaveLength(20);
    expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      level: "fatal",
      msg: "uncaught error; Toolwire ends",
      err: { message: "boom", stack: expect.stringContaining("boom") },
    });
  });
});

function turnLines(log: string): string[] {
  return log.split("\n").filter((line) => line.includes("turn of demo finished"));
}
