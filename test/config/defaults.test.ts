import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mistakesIn, read } from "./reading.ts";

/** Every key with its default, as the documentation shows it. */
const documented = `
listen: { host: 127.0.0.1, port: 8787 }
keys: []
cors: { origins: ["app://obsidian.md", "capacitor://localhost", "http://localhost:*", "http://127.0.0.1:*"] }
hosts: []
log: { level: info }
default_model: null
backends:
  chutes:
    kind: chat
    base_url: https://llm.example/v1
    headers: {}
    tools: native
    dialects: auto
    timeouts: { connect: 5s, first_content: 5m, idle: 2m, total: 30m }
    breaker: { failures: 5, window: 30s, cooldown: 15s }
    retries: 2
  demo: { kind: demo, pace: 15ms }
models:
  fast: { backend: chutes, fallback: [] }
turn: { keep_alive: 10s, strict_failure: error, reask: 0, repair: true, profile: openai, emit: auto, ids: random }
tools:
  enabled: true
  execution: auto
  modules: []
  mcp_servers: {}
  approval: never
  approval_wait: 2m
  timeout: 10s
  turn_timeout: 5m
  rate: null
  max_rounds: 8
  max_calls: 32
  result_limit: 256kb
  status_text: false
use_tool: { order: tools_first, hold: 3s, blocks: chunks, result_guard: 5s, re_emit: false }
rails: { apply_patch: null, web_search: never }
store: { url: "sqlite:./toolwire.db", keep: 30d, required: false }
coordination: { url: null }
limits: { body: 32mb, memory: 512mb, concurrent: 1024, stall: 60s, drain: 30s, tool_output: 1mb }
telemetry: { events: none, redact: true, otlp: null }
`;

const short = `
backends:
  chutes: { base_url: https://llm.example/v1 }
  demo: { kind: demo }
models:
  fast: { backend: chutes }
`;

describe("the defaults", () => {
  it("are what the documentation says, key by key", () => {
    expect(read(short)).toEqual(read(documented));
  });

  it("are all in the documentation", () => {
    const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    const keys = [...documented.matchAll(/\b([a-z_]+):(?= |$)/gm)].map(([, key]) => key ?? "");
    const named = keys.filter((key) => !/^(?:chutes|demo|fast)$/.test(key));
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter((key) => !page.includes(key))).toEqual([]);
  });

  it("hold for sections that are there with nothing in them", () => {
    const sections = documented.match(/^\w+(?=:)/gm)?.filter((name) => !/^(?:backends|models)$/.test(name)) ?? [];
    expect(sections).toHaveLength(14);
    expect(read(`${short}${sections.map((name) => `${name}:`).join("\n")}`)).toEqual(read(short));
  });

  it("are in milliseconds and bytes", () => {
    const { turn, limits, backends } = read(short);
    expect(turn.keep_alive).toBe(10_000);
    expect(limits).toMatchObject({ body: 33_554_432, drain: 30_000 });
    expect(backends.chutes?.timeouts).toEqual({
      connect: 5_000,
      first_content: 300_000,
      idle: 120_000,
      total: 1_800_000,
    });
  });

  it("limit the requests of a key once there are keys", () => {
    expect(read("keys: [secret]").limits.per_key).toEqual({ requests: 600, per: 60_000 });
    expect(read("keys: [secret]\nlimits: { per_key: null }").limits.per_key).toBeNull();
    expect(read("").limits).toMatchObject({ per_key: null, per_stored_key: { requests: 600, per: 60_000 } });
    expect(read("limits: { per_key: null }").limits).toMatchObject({ per_key: null, per_stored_key: null });
    const own = { requests: 5, per: 1_000 };
    expect(read("limits: { per_key: { requests: 5, per: 1s } }").limits).toMatchObject({
      per_key: own,
      per_stored_key: own,
    });
  });
});

describe("without backends", () => {
  it.each(["", "# nothing yet", "log: { level: debug }", "backends:", "backends: {}"])(
    "the demo answers, and is the default model: %j",
    (text) => {
      const { backends, default_model } = read(text);
      expect(Object.keys(backends)).toEqual(["demo"]);
      expect(backends.demo).toMatchObject({ kind: "demo", pace: 15 });
      expect(default_model).toBe("demo");
    },
  );

  it("a key for OpenAI in the environment adds OpenAI", () => {
    const { backends, default_model } = read("", { environment: { OPENAI_API_KEY: "sk-1" } });
    expect(backends.openai).toMatchObject({
      kind: "responses",
      base_url: "https://api.openai.com/v1",
      api_key: "sk-1",
    });
    expect(default_model).toBe("demo");
  });

  it("OpenAI may be elsewhere", () => {
    const environment = { OPENAI_API_KEY: "sk-1", OPENAI_BASE_URL: "http://127.0.0.1:9/v1/" };
    expect(read("", { environment }).backends.openai).toMatchObject({ base_url: "http://127.0.0.1:9/v1" });
  });

  describe("an installed codex", () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "toolwire-path-"));
      writeFileSync(join(folder, "codex"), "#!/bin/sh\n", { mode: 0o755 });
      mkdirSync(join(folder, "not", "codex"), { recursive: true });
      mkdirSync(join(folder, "nor"));
      writeFileSync(join(folder, "nor", "codex"), "", { mode: 0o644 });
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it("adds Codex, with the home that its variable names, and the demo stays the default", () => {
      const { backends, default_model, assumed } = read("", { environment: { PATH: `/nowhere:${folder}` } });
      expect(backends.codex).toMatchObject({ kind: "codex", command: ["codex", "app-server"], tools: "native" });
      expect(backends.codex).toMatchObject({ home: join(homedir(), ".codex") });
      expect(default_model).toBe("demo");
      expect(assumed).toBe(true);
      const environment = { PATH: folder, CODEX_HOME: "/srv/codex" };
      expect(read("", { environment }).backends.codex).toMatchObject({ home: "/srv/codex" });
    });

    it("adds nothing where backends are written, or where no program of that name is found", () => {
      const written = read("backends: { demo: { kind: demo } }", { environment: { PATH: folder } });
      expect(Object.keys(written.backends)).toEqual(["demo"]);
      expect(written.assumed).toBe(false);
      for (const PATH of ["", join(folder, "not"), join(folder, "nor"), "relative"]) {
        expect(Object.keys(read("", { environment: { PATH } }).backends)).toEqual(["demo"]);
      }
    });

    it("is a model by its name", () => {
      const text =
        "backends: { codex: { kind: codex }, other: { base_url: http://127.0.0.1:9 } }\ndefault_model: codex";
      expect(read(text).default_model).toBe("codex");
    });
  });

  it("a mistake in the environment is answered with the variable's name", () => {
    const environment = { OPENAI_API_KEY: "sk 1", OPENAI_BASE_URL: "localhost" };
    const mistakes = mistakesIn("", { environment });
    expect(mistakes).toEqual([
      expect.stringMatching(/^OPENAI_BASE_URL: expected an address/),
      expect.stringMatching(/^OPENAI_API_KEY: expected a key/),
    ]);
    expect(mistakes.join()).not.toContain("sk 1");
  });

  it("a file with backends of its own gets no others", () => {
    const text = "backends: { local: { base_url: http://127.0.0.1:1234/v1 } }";
    const { backends, default_model } = read(text, { environment: { OPENAI_API_KEY: "sk-1" } });
    expect(Object.keys(backends)).toEqual(["local"]);
    expect(default_model).toBeNull();
  });
});
