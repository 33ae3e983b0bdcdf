import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "./program.ts";
import { withStore } from "./stored.ts";

describe("toolwire store stats", () => {
  it("shows what the store holds", async () => {
    const stored = withStore();
    await stored.run("keys", "create", "ci");
    const { code, stdout, stderr } = await stored.run("store", "stats");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^ {2}kind +sqlite$/m);
    expect(stdout).toMatch(/^ {2}place +\/.*kept\.db$/m);
    expect(stdout).toMatch(/^ {2}schema +\d+$/m);
    expect(stdout).toMatch(/^ {2}size +[\d.]+ (?:bytes|KB|MB)$/m);
    expect(stdout).toMatch(/^ {2}keys +1$/m);
    expect(stdout).toMatch(/^usage of the last 30 days\n {2}none$/m);
  });

  it("is JSON if asked", async () => {
    const stored = withStore();
    await stored.run("keys", "create", "ci");
    const { stdout } = await stored.run("store", "stats", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ kind: "sqlite", place: stored.file, schema: expect.any(Number), bytes: expect.any(Number) },
      ...{ oldest_at: null, rows: { keys: 1 }, last_30_days: [] },
    });
  });

  it.each(["stats", "export", "vacuum"])("%s does not create a store", async (command) => {
    const stored = withStore();
    expect(await stored.run("store", command)).toEqual({
      code: 1,
      stdout: "",
      stderr: `toolwire: there is no store yet: ${stored.file} does not exist\n`,
    });
    expect(existsSync(stored.file)).toBe(false);
  });

  it.each([["stats"], ["export"], ["import", "x"], ["vacuum"]])(
    "%s refuses a store that no other process can read",
    async (...args) => {
      const files = { "toolwire.yaml": 'store: { url: "memory:" }' };
      const { code, stderr } = await run(["store", ...args], { files });
      expect(code).toBe(1);
      expect(stderr).toBe(
        "toolwire: store.url is memory:, which no other process can read; set it to sqlite:PATH or postgres://…\n",
      );
    },
  );
});

describe("an export", () => {
  it("moves everything to another store, and can be imported again", async () => {
    const [from, to] = [withStore(), withStore()];
    await from.run("keys", "create", "ci", "--models", "fast");
    await from.run("keys", "create", "phone");
    const file = join(from.folder, "out.ndjson");
    const exported = await from.run("store", "export", "--output", file);
    expect(exported).toEqual({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(
        /^Exported \d+ rows to .*out\.ndjson\. Prompts and answers are in it as plain text\.\n$/,
      ),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(from.folder).filter((name) => name.endsWith(".part"))).toEqual([]);
    const [header] = readFileSync(file, "utf8").split("\n");
    expect(JSON.parse(header ?? "")).toEqual({ toolwire: "export", schema: expect.any(Number) });

    const imported = await to.run("store", "import", file);
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect(imported.stdout).toMatch(/^Imported .*out\.ndjson: added 2 rows\.\n$/);
    const keysOf = async (programs: typeof to) => (await programs.run("keys", "list", "--json")).stdout;
    expect(await keysOf(to)).toBe(await keysOf(from));
    const again = await to.run("store", "import", file);
    expect(again.stdout).toMatch(/: added 0 rows; the store had 2 rows already\.\n$/);
    expect(await keysOf(to)).toBe(await keysOf(from));
  });

  it("goes to standard output if no file is named", async () => {
    const stored = withStore();
    await stored.run("keys", "create", "ci");
    const { code, stdout, stderr } = await stored.run("store", "export");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Exported 1 row\. /);
    const lines = stdout.trimEnd().split("\n");
    const rows = lines.length - 2;
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ toolwire: "end", rows });
  });

  it("to a place that cannot be written is refused", async () => {
    const stored = withStore();
    await stored.run("keys", "create", "ci");
    const { code, stderr } = await stored.run("store", "export", "--output", join(stored.folder, "none", "out"));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^toolwire: cannot write .*out: .*\n$/);
  });

  const header = '{"toolwire":"export","schema":1}\n';
  it.each([
    ["", /^in\.ndjson is not what toolwire store export wrote$/],
    ["hello\n", /^in\.ndjson is not what toolwire store export wrote$/],
    ['{"table":"keys","row":{}}\n', /^in\.ndjson is not what toolwire store export wrote$/],
    ['{"toolwire":"export","schema":9999}\n', /^in\.ndjson is from a newer Toolwire \(schema 9999, this one has \d+\)/],
    [header, /^in\.ndjson is incomplete: its last rows are missing; added 0 rows$/],
    [`${header}{"toolwire":"end","rows":3}\n`, /^in\.ndjson is incomplete: its last rows/],
    [`${header}{"table":"keys","ro`, /^line 2 of in\.ndjson is no row of an export; added 0 rows$/],
  ])("that is none, is too new or was cut is refused: %j", async (text, sentence) => {
    const files = { "toolwire.yaml": 'store: { url: "sqlite:kept.db" }', "in.ndjson": text };
    const { code, stdout, stderr } = await run(["store", "import", "in.ndjson"], { files });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.replace(/^toolwire: /, "").trimEnd()).toMatch(sentence);
  });

  it("is imported without the rows that belong to no conversation", async () => {
    const item = { owner: "ann", id: "msg_1", created_at: 1, conversation: "gone", position: 0 };
    const rows = `${JSON.stringify({ table: "items", row: item })}\n{"toolwire":"end","rows":1}\n`;
    const files = { "toolwire.yaml": 'store: { url: "sqlite:kept.db" }', "in.ndjson": header + rows };
    expect(await run(["store", "import", "in.ndjson"], { files })).toEqual({
      code: 0,
      stdout: "Imported in.ndjson: added 0 rows; left out 1 row of conversations that are missing.\n",
      stderr: "",
    });
  });

  it("is imported if its lines end as on Windows, or a text has other ends of lines", async () => {
    const record = { owner: "ann", key: "k", expires_at: 9e15, value: '"one\u2028two\u2029three"' };
    const lines = [
      header.trim(),
      JSON.stringify({ table: "records", row: record }),
      "",
      '{"toolwire":"end","rows":1}',
      "",
    ];
    const files = { "toolwire.yaml": 'store: { url: "sqlite:kept.db" }', "in.ndjson": lines.join("\r\n") };
    const { stdout, stderr } = await run(["store", "import", "in.ndjson"], { files });
    expect({ stdout, stderr }).toEqual({ stdout: "Imported in.ndjson: added 1 row.\n", stderr: "" });
  });

  it("that does not exist is refused", async () => {
    const stored = withStore();
    const { code, stderr } = await stored.run("store", "import", "absent");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^toolwire: cannot read absent: .*\n$/);
  });
});

describe("toolwire store vacuum", () => {
  it("says what it did", async () => {
    const stored = withStore();
    await stored.run("keys", "create", "ci");
    const { code, stdout } = await stored.run("store", "vacuum");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Vacuumed the store: .* were given back, and it now has .*\.\n$/);
  });
});

describe("a store that cannot be used", () => {
  it("is one sentence", async () => {
    const stored = withStore();
    writeFileSync(stored.file, "this is no database ".repeat(500));
    for (const args of [
      ["store", "stats"],
      ["keys", "list"],
      ["keys", "create", "ci"],
    ]) {
      const { code, stdout, stderr } = await stored.run(...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^toolwire: [^\n]+\n$/);
    }
  });
});
