import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEventSink, createRedactor } from "../../src/telemetry/index.ts";

const redactor = createRedactor({ secrets: ["provider-key-1"], redact: true });
const now = () => new Date("2026-01-02T03:04:05.006Z");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolwire-events-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("events in a file", () => {
  test("are one object a line: ts, event, request_id, then their own fields", async () => {
    const path = join(folder, "events.ndjson");
    const sink = createEventSink({ to: path, redactor, now });
    expect(sink.on).toBe(true);
    sink.write("tool_call", "req_1", { id: "call_1", name: "get_weather", argument_bytes: 15 }, { arguments: "{}" });
    sink.write("turn_finished", "req_1", {
      status: "completed",
      usage: { inputTokens: 3 },
      first_content_ms: undefined,
    });
    await sink.close();
    expect(readFileSync(path, "utf8")).toBe(
      '{"ts":"2026-01-02T03:04:05.006Z","event":"tool_call","request_id":"req_1","id":"call_1","name":"get_weather","argument_bytes":15}\n' +
        '{"ts":"2026-01-02T03:04:05.006Z","event":"turn_finished","request_id":"req_1","status":"completed","usage":{"inputTokens":3}}\n',
    );
  });

  test("show argument values only where redaction is off, and keys never", async () => {
    const path = join(folder, "events.ndjson");
    const sink = createEventSink({
      to: path,
      redactor: createRedactor({ secrets: ["provider-key-1"], redact: false }),
    });
    sink.write("tool_call", "req-provider-key-1", { name: "x" }, { arguments: '{"city":"Oslo","k":"provider-key-1"}' });
    await sink.close();
    const text = readFileSync(path, "utf8");
    expect(text).toContain("Oslo");
    expect(text).not.toContain("provider-key-1");
  });

  test("cannot pass for another event or request", async () => {
    const path = join(folder, "events.ndjson");
    const sink = createEventSink({ to: path, redactor, now });
    sink.write("tool_call", "req_1", {
      event: "turn_finished",
      request_id: "other",
      ts: 0,
      name: 'a"}\n{"event":"forged',
    });
    await sink.close();
    expect(
      readFileSync(path, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([{ ts: now().toISOString(), event: "tool_call", request_id: "req_1", name: 'a"}\n{"event":"forged' }]);
  });

  test("are added to what is there, in a folder that is made when it is missing", async () => {
    const path = join(folder, "a", "b", "events.ndjson");
    for (const id of ["req_1", "req_2"]) {
      const sink = createEventSink({ to: path, redactor });
      sink.write("turn_started", id, {});
      await sink.close();
    }
    expect(requestIds(path)).toEqual(["req_1", "req_2"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("keep their order over many ticks, and closing waits for the last one", async () => {
    const path = join(folder, "events.ndjson");
    const sink = createEventSink({ to: path, redactor });
    for (let at = 0; at < 2_000; at++) {
      sink.write("turn_started", `req_${at}`, { pad: "é".repeat(100) });
      if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await sink.close();
    sink.write("turn_started", "after the end", {});
    expect(requestIds(path)).toEqual([...Array(2_000).keys()].map((at) => `req_${at}`));
  });

  test("a place that cannot be written is an error at start that says what to do", () => {
    writeFileSync(join(folder, "file"), "");
    for (const to of [folder, join(folder, "file", "events.ndjson")]) {
      expect(() => createEventSink({ to, redactor })).toThrow(/telemetry\.events: cannot write to .*Name a file/);
    }
  });

  test.skipIf(!existsSync("/dev/full"))("a full disk is told once, and stops nothing", async () => {
    const errors: unknown[] = [];
    const sink = createEventSink({ to: "/dev/full", redactor, onError: (error) => errors.push(error) });
    for (let at = 0; at < 3; at++) {
      sink.write("turn_started", `req_${at}`, {});
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await sink.close();
    expect(errors).toMatchObject([{ code: "ENOSPC" }]);
  });
});

describe.skipIf(process.platform === "win32")("events in a named pipe", () => {
  let path: string;
  beforeEach(() => {
    path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
  });
  const openReader = () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);

  test("wait for a reader that starts later; the start does not", async () => {
    let missed = 0;
    const sink = createEventSink({ to: path, redactor, onNoReader: () => missed++ });
    expect(missed).toBe(1);
    sink.write("turn_started", "req_1", {});
    await pause(100);
    const reader = openReader();
    await expect.poll(() => read(reader)).toContain('"req_1"');
    sink.write("turn_started", "req_2", {});
    await sink.close();
    expect(read(reader)).toContain('"req_2"');
    closeSync(reader);
    expect({ missed, dropped: sink.dropped }).toEqual({ missed: 1, dropped: 0 });
  });

  test("wait for a reader that starts again", async () => {
    const first = openReader();
    const sink = createEventSink({ to: path, redactor });
    sink.write("turn_started", "req_1", {});
    await expect.poll(() => read(first)).toContain('"req_1"');
    closeSync(first);
    sink.write("turn_started", "req_2", {});
    await pause(100);
    const second = openReader();
    await expect.poll(() => read(second)).toContain('"req_2"');
    await sink.close();
    closeSync(second);
    expect(sink.dropped).toBe(0);
  });

  test("whose reader never comes are given up at the end, and whose reader has stopped as well", async () => {
    for (const reader of [undefined, openReader()]) {
      const sink = createEventSink({ to: path, redactor });
      for (let at = 0; at < 2_000; at++) sink.write("turn_started", `req_${at}`, { pad: "x".repeat(100) });
      const asked = performance.now();
      await sink.close();
      expect(performance.now() - asked).toBeLessThan(4_000);
      if (reader !== undefined) closeSync(reader);
    }
  });

  test("a socket is no place for events", async () => {
    const server = createServer().listen(join(folder, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect(() => createEventSink({ to: join(folder, "socket"), redactor })).toThrow(/cannot write to .*Name a file/);
    server.close();
  });
});

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** What is in the pipe now. */
function read(reader: number): string {
  const bytes = Buffer.alloc(65_536);
  try {
    return bytes.toString("utf8", 0, readSync(reader, bytes));
  } catch {
    return "";
  }
}

test("with events: none nothing is made", async () => {
  const sink = createEventSink({ to: "none", redactor });
  expect(sink.on).toBe(false);
  sink.write("turn_started", "req_1", {});
  await sink.close();
  expect(existsSync("none")).toBe(false);
});

function requestIds(path: string): string[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).request_id);
}
