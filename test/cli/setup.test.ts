import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const execute = promisify(execFile);
const lock = new URL("../../scripts/lock.mjs", import.meta.url).href;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolwire-setup-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A start that takes a while and notes when it had the lock. */
function work(name: string): Promise<unknown> {
  const program = `
    import { appendFileSync } from "node:fs";
    import { setTimeout } from "node:timers/promises";
    import { withLock } from ${JSON.stringify(lock)};
    await withLock("lock", () => {}, async () => {
      appendFileSync("log", "${name} in\\n");
      await setTimeout(150);
      appendFileSync("log", "${name} out\\n");
    });
  `;
  return execute(process.execPath, ["--input-type=module", "-e", program], { cwd: folder });
}

function log(): string[] {
  return readFileSync(join(folder, "log"), "utf8").trimEnd().split("\n");
}

function leaveLock(owner: object): void {
  mkdirSync(join(folder, "lock"));
  writeFileSync(join(folder, "lock", "owner"), JSON.stringify(owner));
}

describe("several starts in one checkout", () => {
  it("take turns", async () => {
    await Promise.all(["a", "b", "c", "d"].map(work));
    const lines = log();
    expect(lines).toHaveLength(8);
    for (let at = 0; at < lines.length; at += 2) {
      expect(lines[at + 1]).toBe(lines[at]?.replace(" in", " out"));
    }
  });

  it("do not wait for one that was killed", async () => {
    leaveLock({ host: hostname(), pid: 2 ** 30, id: "gone" });
    await Promise.all([work("a"), work("b")]);
    expect(log()).toHaveLength(4);
  });

  it("do not wait for one on another machine that has not been heard of", async () => {
    leaveLock({ host: "elsewhere", pid: 1, id: "gone" });
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(join(folder, "lock"), longAgo, longAgo);
    await work("a");
    expect(log()).toEqual(["a in", "a out"]);
  });
});
