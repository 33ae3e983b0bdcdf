import { describe, expect, it } from "vitest";
import { CallLog, TurnLog } from "../../src/telemetry/index.ts";
import { type Log, type LogFields, TurnError } from "../../src/turn/index.ts";
import { call, ended, tellRound } from "./turn.ts";

/** A log, and its lines. */
function createLines() {
  const lines: { level: string; message: string; fields: LogFields }[] = [];
  const at = (level: string) => (fields: LogFields, message: string) => void lines.push({ level, message, fields });
  const log: Log = {
    isLevelEnabled: () => true,
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
  return { log, lines, messages: () => lines.map(({ message }) => message) };
}

function start({ redact = true } = {}) {
  const { log, ...written } = createLines();
  return { listener: new TurnLog(log, { requestId: "request-1", backend: "chutes", redact }), ...written };
}

const limited = new TurnError("upstream_rate_limited", "Slow down, Ada.", {
  status: 429,
  failure: { by: "backend", phase: "refusal", remedy: "retry", quotes: true },
});
const refused = new TurnError("upstream_unreachable", "no", {
  cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
});

describe("an attempt that failed", () => {
  it("is logged with what is done about it", () => {
    const { listener, lines } = start();
    listener.attemptFailed("chutes", limited, { action: "retry", waitMs: 250.4 });
    listener.attemptFailed("chutes", refused, { action: "fallback", backend: "openai" });
    expect(lines).toEqual([
      {
        level: "warn",
        message: "retrying in 250 ms (429 from chutes)",
        fields: { request_id: "request-1", backend: "chutes", code: "upstream_rate_limited", wait_ms: 250 },
      },
      {
        level: "warn",
        message: "falling back to openai (connection refused by chutes)",
        fields: { request_id: "request-1", backend: "chutes", code: "upstream_unreachable", fallback: "openai" },
      },
    ]);
  });

  it("is logged so also where the request or the model has to do better", () => {
    const { listener, messages } = start();
    listener.attemptFailed("chutes", new TurnError("upstream_rejected", "no"), { action: "rewrite" });
    listener.attemptFailed("chutes", new TurnError("tool_call_invalid", "no"), { action: "reask" });
    expect(messages()).toEqual([
      "retrying at once with a rewritten request (400 from chutes)",
      "asking the model again with a correction (no valid tool call from chutes)",
    ]);
  });

  it.each([
    [new TurnError("upstream_error", "no"), "server error from chutes"],
    [new TurnError("upstream_timeout", "no"), "chutes timed out"],
    [new TurnError("upstream_cut", "no"), "answer from chutes was cut off"],
    [new TurnError("upstream_invalid", "no"), "invalid answer from chutes"],
    [new TurnError("upstream_unavailable", "no"), "chutes is unavailable"],
    [new TurnError("upstream_unreachable", "no"), "no connection to chutes"],
    [
      new TurnError("upstream_unreachable", "no", { cause: Object.assign(new Error("?"), { code: "ENOTFOUND" }) }),
      "the host of chutes was not found",
    ],
  ])("has a reason in a few words: %s", (error, reason) => {
    const { listener, messages } = start();
    listener.attemptFailed("chutes", error, { action: "retry", waitMs: 1 });
    expect(messages()).toEqual([`retrying in 1 ms (${reason})`]);
  });
});

describe("a turn that failed", () => {
  it("is logged with the backend whose failure the client is told, and with the last one's", () => {
    const { listener, lines } = start();
    tellRound(listener, [() => {}], { commits: false });
    listener.attemptFailed("chutes", refused, { action: "fallback", backend: "openai" });
    listener.attemptFailed("openai", limited, { action: "end" });
    listener.turnFinished(ended("failed", refused));
    expect(lines.slice(1)).toMatchObject([
      { level: "warn", message: "the last fallback failed as well (429 from openai)", fields: { backend: "openai" } },
      { level: "warn", message: "turn failed (connection refused by chutes)", fields: { backend: "chutes" } },
    ]);
  });

  it("is logged without a provider's own words, which may quote the prompt", () => {
    const { listener, lines } = start();
    listener.attemptFailed("chutes", limited, { action: "end" });
    listener.turnFinished(ended("failed", limited));
    expect(lines).toEqual([
      {
        level: "warn",
        message: "turn failed (429 from chutes)",
        fields: {
          ...{ request_id: "request-1", backend: "chutes", code: "upstream_rate_limited", status: 429 },
          ...{ provider_type: "rate_limit_error", provider_code: "upstream_rate_limited" },
        },
      },
    ]);
  });

  it("is logged without a stack if the store is away", () => {
    const { listener, lines } = start({ redact: true });
    listener.turnFinished(ended("failed", new TurnError("store_unavailable", "The store is away.")));
    expect(lines).toMatchObject([{ level: "warn", message: "turn failed (store unavailable)" }]);
    expect(lines[0]?.fields).not.toHaveProperty("err");
  });

  it("is logged with the error where it quotes nobody, or redaction is off", () => {
    for (const [redact, error] of [[true, refused] as const, [false, limited] as const]) {
      const { listener, lines } = start({ redact });
      listener.turnFinished(ended("failed", error));
      expect(lines).toMatchObject([{ level: "warn", fields: { err: error } }]);
    }
  });

  it("through our own mistake is an error", () => {
    const { listener, lines } = start();
    listener.turnFinished(ended("failed", new TurnError("internal_error", "no")));
    expect(lines).toMatchObject([{ level: "error", message: "turn failed (internal error)" }]);
  });

  it("is not logged where the client left, nor where it did not fail", () => {
    const { listener, lines } = start();
    listener.turnFinished(ended("cancelled", new TurnError("client_closed", "gone")));
    listener.turnFinished(ended("completed"));
    expect(lines).toEqual([]);
  });
});

describe("what is wrong with calls", () => {
  it("is logged with what becomes of them", () => {
    const { listener, lines } = start();
    listener.argumentsBroken(call("a"));
    listener.schemaMismatch(call("a"), "/at");
    listener.callSuppressed("look");
    listener.unknownTool("x");
    listener.textKept("hermes-json", "the arguments are not JSON", "look");
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ["warn", 'arguments of a call of "look" from chutes are not JSON; passing them on unchanged'],
      ["warn", 'arguments of a call of "look" from chutes do not match the schema; passing them on unchanged'],
      ["info", 'dropped a call of "look" from chutes: tool_choice or parallel_tool_calls forbids it'],
      ["warn", 'the model of chutes called "x", which the request does not define'],
      [
        "info",
        "text from chutes looks like a call (hermes-json), but is passed on as text: the arguments are not JSON",
      ],
    ]);
    const common = { request_id: "request-1", backend: "chutes" };
    expect(lines.map(({ fields }) => fields)).toEqual([
      { ...common, id: "a", name: "look" },
      { ...common, id: "a", name: "look", path: "/at" },
      { ...common, name: "look" },
      { ...common, name: "x" },
      { ...common, dialect: "hermes-json", reason: "the arguments are not JSON", name: "look" },
    ]);
  });

  it("is logged at most twenty times for text that is no call", () => {
    const { listener, lines } = start();
    listener.attemptStarted("chutes");
    for (let at = 0; at < 30; at++) listener.textKept("hermes-json", "cut off", null);
    expect(lines).toHaveLength(20);
  });
});

describe("at level debug", () => {
  function startCalls() {
    const { log, ...written } = createLines();
    return { listener: new CallLog(log, "request-1", "chutes"), ...written };
  }

  it("each call's life is logged, with sizes and without its arguments", () => {
    const { listener, lines } = startCalls();
    tellRound(listener, [
      () => {
        listener.callBuffered({ ...call("a"), call: 0 });
        listener.callReplayed({ ...call("a"), call: 0 }, 3);
        listener.callStarted(call("a"));
        listener.callRepaired("missing_id", call("a"));
        listener.callDone(call("a"), '{"at":"sea"}');
      },
    ]);
    expect(lines.map(({ message, fields: { request_id: _, ...fields } }) => [message, fields])).toEqual([
      ['call of "look" buffered', { name: "look" }],
      ['call of "look" released from the buffer', { name: "look", events: 3 }],
      ['call of "look" started', { call_id: "a", name: "look", dialect: null }],
      ['call of "look" repaired (missing_id)', { repair: "missing_id", id: "a", name: "look" }],
      ['call of "look" completed', { call_id: "a", name: "look", bytes: 12, dialect: null }],
    ]);
  });

  it("the end of a turn is logged with the calls that the client was given in all rounds", () => {
    const { listener, lines } = startCalls();
    tellRound(listener, [() => listener.callDone(call("a"), "{}")]);
    tellRound(listener, [
      () => listener.callDone(call("dead"), "{}"),
      () => {
        listener.callDone(call("b"), "{}");
        listener.cutOff({ bytes: 7 });
      },
    ]);
    listener.turnFinished(ended("completed"));
    expect(lines.slice(-2)).toEqual([
      {
        level: "debug",
        message: "ended the turn of chutes after its calls; dropped 7 bytes that followed them",
        fields: { request_id: "request-1", call_ids: ["a", "b"], backend: "chutes", bytes_dropped: 7 },
      },
      {
        level: "debug",
        message: "turn of chutes finished (completed) after 1500 ms",
        fields: { request_id: "request-1", backend: "chutes", status: "completed", calls: 2, ms: 1500 },
      },
    ]);
  });
});
