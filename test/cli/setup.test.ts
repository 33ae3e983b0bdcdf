import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
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

describe("the first start in a checkout whose node_modules is a link", () => {
  const scripts = ["setup.mjs", "lock.mjs", "run.mjs"];

  /** A checkout of its own, so that nothing of this one is installed anew. */
  function checkout(): { modules: string; setup: string } {
    const root = join(folder, "checkout");
    mkdirSync(join(root, "scripts"), { recursive: true });
    for (const name of scripts) {
      copyFileSync(new URL(`../../scripts/${name}`, import.meta.url), join(root, "scripts", name));
    }
    // A dependency that npm has at hand, so that nothing is fetched.
    mkdirSync(join(root, "near"));
    writeFileSync(join(root, "near", "package.json"), JSON.stringify({ name: "near", version: "1.0.0" }));
    const manifest = { name: "checkout", version: "1.0.0", dependencies: { near: "file:near" } };
    const packages = {
      "": manifest,
      near: { version: "1.0.0" },
      "node_modules/near": { resolved: "near", link: true },
    };
    const lockFile = { name: "checkout", version: "1.0.0", lockfileVersion: 3, requires: true, packages };
    writeFileSync(join(root, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(root, "package-lock.json"), JSON.stringify(lockFile));
    return { modules: join(root, "node_modules"), setup: join(root, "scripts", "setup.mjs") };
  }

  async function install(setup: string): Promise<void> {
    const program = `
      import { prepareDependencies, root } from ${JSON.stringify(pathToFileURL(setup).href)};
      await prepareDependencies(root.replace(/.$/, ""), "installing");
    `;
    await execute(process.execPath, ["--input-type=module", "-e", program], { cwd: folder });
  }

  it("leaves what is behind the link as it is", async () => {
    const { modules, setup } = checkout();
    const shared = join(folder, "shared");
    mkdirSync(join(shared, "kept"), { recursive: true });
    writeFileSync(join(shared, "kept", "index.js"), "");
    symlinkSync(shared, modules, "junction");
    await install(setup);
    expect(existsSync(join(shared, "kept", "index.js"))).toBe(true);
    expect(existsSync(join(shared, ".toolwire-lock-hash"))).toBe(false);
    expect(lstatSync(modules).isDirectory()).toBe(true);
    expect(existsSync(join(modules, ".toolwire-lock-hash"))).toBe(true);
  });

  it("works where the link leads nowhere", async () => {
    const { modules, setup } = checkout();
    symlinkSync(join(folder, "gone"), modules, "junction");
    await install(setup);
    expect(existsSync(join(modules, ".toolwire-lock-hash"))).toBe(true);
  });
});
