import { spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { lockFolder } from "../../../src/backends/codex/folder-lock.ts";
import { folderPrefix, sweepFolders } from "../../../src/backends/codex/sweep.ts";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "toolwire-sweep-"));
});
afterEach(() => rmSync(parent, { recursive: true }));

const failures: unknown[] = [];
const sweep = () => sweepFolders(parent, (error) => failures.push(error));

function folder(name: string): string {
  const path = join(parent, name);
  mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(path, "file"), "");
  return path;
}

/** Locks the folder in another process, which is then stopped, or killed. */
async function lockedByAnother(path: string, signal: "SIGSTOP" | "SIGKILL"): Promise<void> {
  const lock = await lockFolder(path);
  const [name = ""] = readdirSync(path).filter((entry) => entry.startsWith("owner-"));
  lock.release();
  const program = `require("node:net").createServer().listen(${JSON.stringify(join(path, name))}, () => console.log("ready"))`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  if (signal === "SIGKILL") await exited;
}

describe.skipIf(process.platform === "win32")("the sweep of Codex folders", () => {
  it("removes the folder of a process that was killed", async () => {
    const path = folder(`${folderPrefix}killed`);
    await lockedByAnother(path, "SIGKILL");
    expect(await sweep()).toBe(1);
    expect(existsSync(path)).toBe(false);
  });

  it("leaves the folder of a process that lives, here or elsewhere, and even if it is stopped", async () => {
    const here = folder(`${folderPrefix}here`);
    const lock = await lockFolder(here);
    const elsewhere = folder(`${folderPrefix}elsewhere`);
    await lockedByAnother(elsewhere, "SIGSTOP");
    expect(await sweep()).toBe(0);
    expect([here, elsewhere].map((path) => existsSync(join(path, "file")))).toEqual([true, true]);
    lock.release();
  });

  it("leaves what is not certainly ours: without a lock, of another name, a link, a file", async () => {
    folder(`${folderPrefix}unlocked`);
    await lockedByAnother(folder("other-killed"), "SIGKILL");
    symlinkSync(join(parent, "other-killed"), join(parent, `${folderPrefix}link`));
    writeFileSync(join(parent, `${folderPrefix}file`), "");
    expect(await sweep()).toBe(0);
    expect(readdirSync(parent)).toHaveLength(4);
  });

  it.skipIf(process.getuid?.() !== 0)("leaves the folder of another user", async () => {
    const path = folder(`${folderPrefix}theirs`);
    await lockedByAnother(path, "SIGKILL");
    chownSync(path, 12_345, 12_345);
    expect(await sweep()).toBe(0);
    expect(existsSync(path)).toBe(true);
  });

  it("removes links, and not what they lead to", async () => {
    const home = folder("home");
    const path = folder(`${folderPrefix}links`);
    symlinkSync(home, join(path, "home"));
    await lockedByAnother(path, "SIGKILL");
    expect(await sweep()).toBe(1);
    expect(lstatSync(join(home, "file")).isFile()).toBe(true);
  });
});
