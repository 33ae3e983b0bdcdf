import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { LogLines } from "./scripted-database.ts";

const script = fileURLToPath(new URL("./store-process.mjs", import.meta.url));
const hasFileLimits = spawnSync("prlimit", ["--version"]).status === 0;
let folder: string;
let path: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolwire-store-"));
  path = join(folder, "toolwire.db");
});

afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function start(task: string, ...before: string[]) {
  const [command = process.execPath, ...rest] = [...before, process.execPath, script, task, `sqlite:${path}`];
  const started = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
  child = started;
  return { process: started, lines: createInterface({ input: started.stdout })[Symbol.asyncIterator]() };
}

async function read(...keys: string[]) {
  const store = await openStore({ url: `sqlite:${path}`, keep: null, log: new LogLines() });
  try {
    return await store.read("ann", keys);
  } finally {
    await store.close();
  }
}

describe("a process with a SQLite store", () => {
  it.each(["once", "onceAndClose"])("ends by itself when it has nothing to do (%s)", async (task) => {
    const { process } = start(task);
    const [code] = await once(process, "exit");
    expect(code).toBe(0);
    expect(await read("once")).toEqual([true]);
  });

  it("that is killed has lost nothing that was reported as written", async () => {
    const { process, lines } = start("endless");
    let last = -1;
    while (last < 50) {
      const { value } = await lines.next();
      last = JSON.parse(value).written;
    }
    const ended = once(process, "exit");
    process.kill("SIGKILL");
    await ended;
    const numbers = Array.from({ length: last + 1 }, (_, index) => index);
    expect(await read(...numbers.map((number) => `k${number}`))).toEqual(numbers);
  });

  it.skipIf(!hasFileLimits)("says when nothing more can be written, and goes on when it can", async () => {
    const { process, lines } = start("untilFull", "prlimit", "--fsize=2000000:unlimited");
    const full = JSON.parse((await lines.next()).value);
    expect(full.message).toMatch(/^The database .*\.$/);
    expect(full.written).toBeGreaterThan(10);
    expect(full.kept).toBe(full.written);
    expect(spawnSync("prlimit", ["--pid", String(process.pid), "--fsize=unlimited:unlimited"]).status).toBe(0);
    process.stdin.write("again\n");
    expect(JSON.parse((await lines.next()).value)).toEqual({ trouble: null });
    const [code] = await once(process, "exit");
    expect(code).toBe(0);
    expect(await read(`k${full.written}`)).toEqual(["x".repeat(20_000)]);
  });
});
