import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import type { Log } from "../../src/turn/index.ts";
import { run } from "./program.ts";
import { withStore } from "./stored.ts";

const nothing = () => {};
const silent: Log = { isLevelEnabled: () => false, debug: nothing, info: nothing, warn: nothing, error: nothing };
const keyForm = /^tw_[A-Za-z0-9_-]{43}\n$/;

describe("toolwire keys create", () => {
  it("prints the key alone on standard output, and keeps only its hash", async () => {
    const stored = withStore();
    const { code, stdout, stderr } = await stored.run("keys", "create", "ci");
    expect(code).toBe(0);
    expect(stdout).toMatch(keyForm);
    const [created, first] = stderr.split("\n");
    expect(created).toMatch(
      /^Created the key ci in .*\. It is shown only now: Toolwire keeps its hash\. Gateways of this store accept it within 3 s\.$/,
    );
    expect(first).toBe(
      "It is the first key: from now on every request needs one. No key can read what was stored without a key.",
    );
    const key = stdout.trim();
    const exported = await stored.run("store", "export");
    expect(exported.stdout).not.toContain(key);
    expect(exported.stdout).toContain(createHash("sha256").update(key).digest("hex"));
    expect(readFileSync(stored.file).includes(key)).toBe(false);
  });

  it("refuses a name that is in use, until its key is revoked", async () => {
    const stored = withStore("keys: [{ name: laptop, key: k }]");
    const first = await stored.run("keys", "create", "ci");
    expect(first.stderr).not.toContain("first key");
    expect(await stored.run("keys", "create", "ci")).toEqual({
      code: 1,
      stdout: "",
      stderr: "toolwire: there is a key named ci already; revoke it first, or choose another name\n",
    });
    expect((await stored.run("keys", "create", "laptop")).stderr).toBe(
      "toolwire: the configuration has a key named laptop\n",
    );
    await stored.run("keys", "revoke", "ci");
    const second = await stored.run("keys", "create", "ci");
    expect(second.stdout).toMatch(keyForm);
    expect(second.stdout).not.toBe(first.stdout);
  });

  it.each([
    [["keys", "create"], "NAME is missing"],
    [["keys", "create", "a b"], "NAME must have 1 to 64 visible characters without spaces"],
    [["keys", "create", "x".repeat(65)], "NAME must have 1 to 64 visible characters without spaces"],
    [["keys", "create", "a\u200bb"], "NAME must have 1 to 64 visible characters without spaces"],
    [["keys", "create", "a", "b"], "unexpected argument b; write the command first, then its flags"],
    [["keys", "create", "a", "--model", "m"], "there is no flag --model; did you mean --models?"],
    [["keys", "create", "a", "--models", "m,,n"], /^--models must be names of models/],
    [["keys", "create", "a", "--rate", "60"], "--rate must be a number of requests in a time, such as 60/1m"],
    [["keys", "create", "a", "--rate", "0/1m"], "--rate must be a number of requests in a time, such as 60/1m"],
    [["keys", "create", "a", "--rate", "1/0"], "--rate must be a number of requests in a time, such as 60/1m"],
    [["keys", "create", "a", "--expires", "soon"], /^--expires must be a date such as 2030-01-31, or a time from now/],
    [["keys", "create", "a", "--expires", "2030-02-30"], /^--expires must be a date/],
    [["keys", "create", "a", "--expires", "2020-01-31"], "--expires must be in the future, found 2020-01-31"],
    [["keys"], "keys needs a command; there are create, list and revoke"],
    [["keys", "--json"], "keys needs a command; there are create, list and revoke"],
    [["keys", "creat"], "there is no command keys creat; did you mean create?"],
    [["keys", "constructor"], "there is no command keys constructor; there are create, list and revoke"],
    [["keys", "list", "--json=yes"], "--json takes no value"],
  ])("answers %j with one sentence", async (args, sentence) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const [, said = "", rest] = /^toolwire: (.*)\n(.*)$/s.exec(stderr) ?? [];
    expect(rest).toBe("");
    if (typeof sentence === "string") expect(said).toBe(sentence);
    else expect(said).toMatch(sentence);
  });

  it.each([["create", "ci"], ["list"], ["revoke", "ci"]])(
    "keys %s refuses a store that no other process can read",
    async (...args) => {
      const files = { "toolwire.yaml": 'store: { url: "memory:" }' };
      expect(await run(["keys", ...args], { files })).toEqual({
        code: 1,
        stdout: "",
        stderr:
          "toolwire: store.url is memory:, which no other process can read; set it to sqlite:PATH or postgres://…\n",
      });
    },
  );
});

describe("toolwire keys list", () => {
  it("shows the keys of the file and of the store, with their states", async () => {
    const stored = withStore("keys: [{ name: laptop, key: k, models: [fast] }]");
    await stored.run(
      "keys",
      "create",
      "ci",
      "--models",
      "fast, openai/*",
      "--rate",
      "60/1m",
      "--expires",
      "2099-01-31",
    );
    await stored.run("keys", "create", "old");
    await stored.run("keys", "revoke", "old");
    const { code, stdout, stderr } = await stored.run("keys", "list");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const today = new Date().toISOString().slice(0, 10);
    const lines = stdout.split("\n").map((line) => line.trim().split(/ {3,}/));
    expect(lines).toEqual([
      ["keys"],
      ["name", "models", "rate", "created", "expires", "state", "requests in 30 days", "tokens in 30 days"],
      ["laptop", "fast", "default", "in the file", "never", "active", "0", "0"],
      ["ci", "fast,openai/*", "60/1m", today, "2099-01-31", "active", "0", "0"],
      ["old", "all", "default", today, "never", `revoked ${today}`, "0", "0"],
      [""],
    ]);
  });

  it("is JSON if asked, without hashes", async () => {
    const stored = withStore();
    await stored.run("keys", "create", "ci", "--rate", "60/1m", "--expires", "30d");
    const { stdout } = await stored.run("keys", "list", "--json");
    const [key, ...others]: unknown[] = JSON.parse(stdout);
    expect(others).toEqual([]);
    expect(key).toEqual({
      ...{ name: "ci", source: "store", models: null, rate: { requests: 60, per: "1m" } },
      ...{ created_at: expect.any(String), expires_at: expect.any(String), revoked_at: null, state: "active" },
      last_30_days: { requests: 0, input_tokens: 0, cached_tokens: 0, output_tokens: 0 },
    });
  });

  it("shows what each key used in the last 30 days", async () => {
    const stored = withStore("keys: [{ name: laptop, key: k }]");
    await stored.run("keys", "create", "ci");
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const store = await openStore({ url: `sqlite:${stored.file}`, keep: null, log: silent });
    const [{ id } = { id: "" }] = await store.keys();
    const used = { requests: 2, inputTokens: 1_000, cachedTokens: 500, outputTokens: 34 };
    const owner = createHash("sha256").update("k").digest("hex");
    await store.addUsage([
      { owner: id, key: "ci", model: "fast", day: daysAgo(0), ...used },
      { owner: id, key: "ci", model: "slow\x1b[2J", day: daysAgo(29), ...used },
      { owner: id, key: "ci", model: "fast", day: daysAgo(31), ...used },
      { owner, key: "laptop", model: "fast", day: daysAgo(1), ...used },
      { owner: "anonymous", key: "", model: "fast", day: daysAgo(1), ...used, requests: 9 },
    ]);
    await store.close();
    const { stdout } = await stored.run("keys", "list");
    expect(stdout).toMatch(/^ {2}laptop .* 2 +1,034$/m);
    expect(stdout).toMatch(/^ {2}ci .* 4 +2,068$/m);
    const stats = await stored.run("store", "stats");
    const lines = stats.stdout.split("\n").map((line) => line.trim().split(/ {3,}/));
    expect(lines.slice(-6)).toEqual([
      ["key", "model", "requests", "input tokens", "of them cached", "output tokens"],
      ["(no key)", "fast", "9", "1,000", "500", "34"],
      ["ci", "fast", "2", "1,000", "500", "34"],
      expect.arrayContaining(["2"]),
      expect.arrayContaining(["2"]),
      [""],
    ]);
    expect(stats.stdout).toContain("slow\\x1b[2J");
  });

  it("creates no store", async () => {
    const stored = withStore();
    expect(await stored.run("keys", "list")).toEqual({
      code: 0,
      stdout: "There are no keys. toolwire keys create NAME creates one.\n",
      stderr: "",
    });
    expect((await stored.run("keys", "list", "--json")).stdout).toBe("[]\n");
    expect(existsSync(stored.file)).toBe(false);
  });
});

describe("toolwire keys revoke", () => {
  it("says what it did, and refuses what it cannot do", async () => {
    const stored = withStore("keys: [{ name: laptop, key: k }]");
    expect((await stored.run("keys", "revoke", "ci")).stderr).toBe("toolwire: there is no key named ci\n");
    expect(existsSync(stored.file)).toBe(false);
    await stored.run("keys", "create", "pipeline");
    expect((await stored.run("keys", "revoke", "pipelin")).stderr).toBe(
      "toolwire: there is no key named pipelin; did you mean pipeline?\n",
    );
    expect((await stored.run("keys", "revoke", "laptop")).stderr).toBe(
      "toolwire: the key laptop is in the configuration; remove it there, and restart the gateway\n",
    );
    expect(await stored.run("keys", "revoke", "pipeline")).toEqual({
      code: 0,
      stdout: "Revoked the key pipeline. Running gateways refuse it within 10 s.\n",
      stderr: "",
    });
    expect(await stored.run("keys", "revoke", "pipeline")).toEqual({
      code: 1,
      stdout: "",
      stderr: "toolwire: the key pipeline is revoked already\n",
    });
  });
});

describe("an address that other machines can reach", () => {
  const sentence =
    'listen.host: "0.0.0.0" can be reached from other machines, so a key is needed; set keys in the configuration, or run toolwire keys create NAME';
  const open = "listen: { host: 0.0.0.0, port: 0 }";

  it.each(["serve", "check"])("is refused by %s without keys, and no store is created for that", async (command) => {
    const stored = withStore(open);
    expect(await stored.run(command)).toEqual({ code: 1, stdout: "", stderr: `toolwire.yaml: ${sentence}\n` });
    expect(existsSync(stored.file)).toBe(false);
  });

  it("is accepted with a key in the store that is not revoked", async () => {
    const stored = withStore(open);
    await stored.run("keys", "create", "ci");
    const { code, stdout } = await stored.run("check");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}keys +in the store: ci$/m);
    const server = stored.start("serve");
    await server.line(/^toolwire listening on /);
    server.child.kill("SIGTERM");
    expect((await server.finished).code).toBe(0);
    await stored.run("keys", "revoke", "ci");
    for (const command of ["serve", "check"]) {
      expect(await stored.run(command)).toEqual({ code: 1, stdout: "", stderr: `toolwire.yaml: ${sentence}\n` });
    }
  });
});

describe("a store that is away", () => {
  const url = "postgres://me:hunter2@127.0.0.1:1/toolwire";
  const files = (host: string) => ({ "toolwire.yaml": `listen: { host: ${host} }\nstore: { url: "${url}" }` });

  it("is a note of check, which shows no password", async () => {
    const { code, stdout, stderr } = await run(["check"], { files: files("127.0.0.1") });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^ {2}keys +those of the store are not known: .+ cannot be reached/m);
    expect(stdout).toMatch(/^ {2}store +postgres:\/\/me:\*{8}@127\.0\.0\.1:1\/toolwire, kept for 30d$/m);
    expect(stdout).not.toContain("hunter2");
  });

  it.each([["check"], ["serve"], ["keys", "list"], ["keys", "create", "ci"], ["store", "stats"], ["store", "export"]])(
    "is one sentence of %s %s",
    async (...args) => {
      const { code, stdout, stderr } = await run(args, { files: files("0.0.0.0") });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^[^\n]+ cannot be reached [^\n]+\n$/);
      expect(stderr).not.toContain("hunter2");
    },
  );
});

describe("help", () => {
  it.each([
    [["--help"], ["keys", "store"]],
    [
      ["keys", "--help"],
      ["toolwire keys", "create", "list", "revoke"],
    ],
    [
      ["keys", "create", "--help"],
      ["toolwire keys create", "NAME", "--models", "--rate", "--expires", "--config"],
    ],
    [
      ["keys", "list", "-h"],
      ["toolwire keys list", "--json"],
    ],
    [
      ["store", "--help"],
      ["toolwire store", "stats", "export", "import", "vacuum"],
    ],
    [
      ["store", "import", "--help"],
      ["toolwire store import", "FILE"],
    ],
  ])("%j shows what there is", async (args, words) => {
    const { code, stdout } = await run(args);
    expect(code).toBe(0);
    for (const word of words) expect(stdout).toContain(word);
  });
});
