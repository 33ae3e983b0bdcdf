import { describe, expect, it } from "vitest";
import { createMetrics, TurnMetrics } from "../../src/telemetry/index.ts";
import { TurnError } from "../../src/turn/index.ts";
import { call, ended, tellRound, turn } from "./turn.ts";

function start() {
  const metrics = createMetrics();
  const listener = new TurnMetrics(metrics, "chutes");
  listener.turnStarted(turn);
  const lines = async () => (await metrics.text()).split("\n").filter((line) => line.startsWith("toolwire_"));
  return { listener, lines };
}

const failed = new TurnError("upstream_error", "no");

describe("a turn", () => {
  it("is open until it ends, and is then counted with its calls, repairs, tokens and durations", async () => {
    const { listener, lines } = start();
    expect(await lines()).toContain("toolwire_open_turns 1");
    tellRound(listener, [
      () => {
        for (const id of ["a", "b"]) {
          listener.callRepaired("missing_id");
          listener.callDone(call(id));
        }
      },
    ]);
    listener.turnFinished(ended("completed"));
    expect(await lines()).toEqual(
      expect.arrayContaining([
        "toolwire_open_turns 0",
        'toolwire_turns_total{api="responses",backend="chutes",status="completed"} 1',
        'toolwire_tool_calls_total{backend="chutes"} 2',
        'toolwire_repairs_total{backend="chutes",kind="missing_id"} 2',
        'toolwire_tokens_total{backend="chutes",direction="input"} 100',
        'toolwire_tokens_total{backend="chutes",direction="output"} 20',
        'toolwire_first_content_seconds_sum{backend="chutes"} 0.3',
        'toolwire_turn_seconds_sum{backend="chutes"} 1.5',
      ]),
    );
  });

  it("is counted without what an attempt told that was followed by another", async () => {
    const { listener, lines } = start();
    const attempt = () => {
      listener.callRepaired("missing_id");
      listener.callDone(call("a"));
    };
    tellRound(listener, [attempt]);
    tellRound(listener, [attempt, attempt, attempt]);
    listener.turnFinished(ended("completed"));
    expect(await lines()).toContain('toolwire_tool_calls_total{backend="chutes"} 2');
    expect(await lines()).toContain('toolwire_repairs_total{backend="chutes",kind="missing_id"} 2');
  });

  it.each([
    ["completed", 1],
    ["incomplete", 1],
    ["failed", 0],
    ["cancelled", 0],
  ] as const)("that comes whole and is %s has given %i of its calls", async (status, calls) => {
    const { listener, lines } = start();
    tellRound(listener, [() => listener.callDone(call("a"))], { commits: false });
    listener.turnFinished(ended(status, calls === 0 ? failed : undefined));
    expect(await lines()).toContain(`toolwire_tool_calls_total{backend="chutes"} ${calls}`);
    expect(await lines()).toContain(`toolwire_turns_total{api="responses",backend="chutes",status="${status}"} 1`);
  });

  it("that failed has given what was sent before", async () => {
    const { listener, lines } = start();
    tellRound(listener, [() => listener.callDone(call("a"))]);
    listener.turnFinished(ended("failed", failed));
    expect(await lines()).toContain('toolwire_tool_calls_total{backend="chutes"} 1');
  });
});

describe("failures of a backend", () => {
  it("are counted with what was done next", async () => {
    const { listener, lines } = start();
    listener.attemptFailed("chutes", failed, { action: "retry", waitMs: 250 });
    listener.attemptFailed("chutes", failed, { action: "rewrite" });
    listener.attemptFailed("chutes", failed, { action: "fallback", backend: "openai" });
    listener.attemptFailed("openai", failed, { action: "end" });
    listener.turnFinished(ended("failed", failed));
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'toolwire_upstream_errors_total{backend="chutes",code="upstream_error"} 3',
        'toolwire_upstream_errors_total{backend="openai",code="upstream_error"} 1',
        'toolwire_retries_total{backend="chutes"} 2',
        'toolwire_fallbacks_total{backend="chutes"} 1',
        'toolwire_turns_total{api="responses",backend="openai",status="failed"} 1',
      ]),
    );
  });

  it("are not those of its model, nor of the client", async () => {
    const { listener, lines } = start();
    listener.attemptFailed("chutes", new TurnError("tool_call_invalid", "no"), { action: "reask" });
    listener.attemptFailed("chutes", new TurnError("client_closed", "gone"), { action: "end" });
    expect((await lines()).join("\n")).not.toMatch(/upstream_errors_total\{|retries_total\{/);
  });
});
