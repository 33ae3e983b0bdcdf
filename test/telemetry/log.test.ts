import { describe, expect, test } from "vitest";
import { createLog, createRedactor, type LogLevel } from "../../src/telemetry/index.ts";

const redactor = createRedactor({ secrets: ["provider-key-1"], redact: true });

function logTo({ level = "info", pretty = false }: { level?: LogLevel; pretty?: boolean } = {}) {
  const lines: string[] = [];
  const log = createLog({ level, redactor, pretty, destination: { write: (line) => void lines.push(line) } });
  return { log, lines, entries: () => lines.map((line) => JSON.parse(line)) };
}

describe("the log", () => {
  test("is a JSON object a line, with the level as a word", () => {
    const { log, lines, entries } = logTo();
    log.info({ model: "fast" }, "turn started");
    expect(entries()).toEqual([
      { level: "info", time: expect.stringMatching(/^\d{4}-.*Z$/), model: "fast", msg: "turn started" },
    ]);
    expect(lines[0]).toMatch(/\}\n$/);
  });

  test("holds what its level asks for", () => {
    for (const [level, count] of [
      ["debug", 3],
      ["info", 2],
      ["error", 1],
      ["silent", 0],
    ] as const) {
      const { log, lines } = logTo({ level });
      log.debug("d");
      log.info("i");
      log.error("e");
      expect(lines).toHaveLength(count);
    }
  });

  test("shows no key, wherever it was put", () => {
    const { log, lines } = logTo();
    log.info({ headers: { Authorization: "Basic abc", "x-api-key": "k-1", cookie: ["a"], accept: "*/*" } }, "request");
    log
      .child({ url: "https://me:pw@host/?token=abc" })
      .warn("calling with provider-key-1 and Bearer abcdefg %s", "provider-key-1");
    log.error(new Error("refused: sk-abcdefghijkl", { cause: new Error("at https://u:p@host with provider-key-1") }));
    log.error({ err: new AggregateError([new Error("provider-key-1")], "all failed") });
    const text = lines.join("");
    for (const secret of ["provider-key-1", "Basic abc", "k-1", "abcdefg", "sk-abc", "u:p@", "me:pw", "token=abc"]) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('"accept":"*/*"');
    expect(text).toContain("all failed");
  });

  test("shows of an error its name, message, code, stack and causes, and nothing that hangs on it", () => {
    const { log, entries } = logTo();
    const cause = Object.assign(new Error("no route"), { code: "ECONNREFUSED", body: "a prompt" });
    log.error({ err: new TypeError("fetch failed", { cause }) }, "the backend did not answer");
    log.error({ err: "thrown text" });
    expect(entries()[0]).toMatchObject({
      msg: "the backend did not answer",
      err: {
        type: "TypeError",
        message: "fetch failed",
        stack: expect.stringContaining("log.test.ts"),
        cause: { message: "no route", code: "ECONNREFUSED" },
      },
    });
    expect(JSON.stringify(entries())).not.toContain("a prompt");
    expect(entries()[1].err).toEqual({ type: "string", message: "thrown text" });
  });

  test("an error that causes itself ends", () => {
    const { log, lines } = logTo();
    const error = new Error("round");
    error.cause = error;
    log.error(error);
    expect(lines).toHaveLength(1);
  });
});

describe("for people", () => {
  test("is one readable line, with the stacks below it", () => {
    const { log, lines } = logTo({ pretty: true });
    log.warn({ backend: "chutes", ms: 12 }, "slow");
    log.error({ err: new Error("outer", { cause: new Error("inner") }) }, "failed");
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d WARN {2}slow backend="chutes" ms=12\n$/);
    expect(lines[1]).toMatch(/ERROR failed\n {4}Error: outer\n(?: {4}.*\n)* {4}Error: inner\n/);
  });

  test("a client cannot write to the terminal", () => {
    const { log, lines } = logTo({ pretty: true });
    log.info({ name: "\u001b[2J\u009b31m" }, "line\r\n12:00:00 INFO  forged\u001b[0m");
    expect(lines[0]?.trimEnd()).toMatch(/^[^\p{Cc}]+$/u);
  });
});
