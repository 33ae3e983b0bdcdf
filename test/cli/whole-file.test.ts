import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { writeWholeFile } from "../../src/cli/whole-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolwire-file-"));
  path = join(folder, "out");
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a file that is written whole", () => {
  it("replaces the one before, and only its owner can read it", async () => {
    const listeners = process.listenerCount("SIGINT");
    writeFileSync(path, "old", { mode: 0o644 });
    await writeWholeFile(Readable.from(["one ", "two"]), path);
    expect(readFileSync(path, "utf8")).toBe("one two");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["out"]);
    expect(process.listenerCount("SIGINT")).toBe(listeners);
  });

  it("leaves nothing of itself, and the one before, if its text fails", async () => {
    writeFileSync(path, "old");
    const text = async function* () {
      yield "one";
      throw new Error("no more");
    };
    await expect(writeWholeFile(Readable.from(text()), path)).rejects.toThrow("no more");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["out"]);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "leaves nothing of itself if %s ends the process",
    async (signal) => {
      const program = fileURLToPath(new URL("./endless-file.mjs", import.meta.url));
      const child = spawn(process.execPath, [program, path], { stdio: "inherit" });
      onTestFinished(() => void child.kill("SIGKILL"));
      const ended = once(child, "exit");
      await vi.waitFor(() => expect(statSync(join(folder, readdirSync(folder)[0] ?? "none")).size).toBe(9), 20_000);
      child.kill(signal);
      expect(await ended).toEqual([null, signal]);
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});
