import { describe, expect, test } from "vitest";
import { createMetrics } from "../../src/telemetry/index.ts";
import type { ErrorCode } from "../../src/turn/index.ts";

const usage = {
  inputTokens: 100,
  outputTokens: 20,
  totalTokens: 120,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

describe("/metrics", () => {
  test("counts requests, turns, calls, tokens and failures", async () => {
    const metrics = createMetrics();
    metrics.requestFinished({ api: "chat", status: 200 });
    metrics.requestFinished({ api: "other", status: 404 });
    metrics.turnStarted();
    metrics.turnStarted();
    metrics.turnFinished({
      api: "chat",
      backend: "chutes",
      status: "completed",
      ms: 1_500,
      firstContentMs: 300,
      calls: 2,
      usage,
    });
    metrics.upstreamFailed({ backend: "chutes", code: "upstream_timeout", next: "retry" });
    const text = await metrics.text();
    for (const line of [
      'toolwire_requests_total{api="chat",status="200"} 1',
      'toolwire_requests_total{api="other",status="404"} 1',
      'toolwire_turns_total{api="chat",backend="chutes",status="completed"} 1',
      'toolwire_tool_calls_total{backend="chutes"} 2',
      'toolwire_tokens_total{backend="chutes",direction="input"} 100',
      'toolwire_tokens_total{backend="chutes",direction="output"} 20',
      'toolwire_first_content_seconds_bucket{le="0.5",backend="chutes"} 1',
      'toolwire_first_content_seconds_bucket{le="0.25",backend="chutes"} 0',
      'toolwire_turn_seconds_sum{backend="chutes"} 1.5',
      "toolwire_open_turns 1",
      'toolwire_upstream_errors_total{backend="chutes",code="upstream_timeout"} 1',
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).toMatch(/^process_cpu_user_seconds_total /m);
    expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  });

  test("two gateways in one process count for themselves", async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.requestFinished({ api: "responses", status: 200 });
    expect(await one.text()).toContain('{api="responses",status="200"} 1');
    expect(await other.text()).not.toContain('api="responses"');
  });

  test("a turn without content or usage, or with nonsense from a provider, is counted all the same", async () => {
    const metrics = createMetrics();
    metrics.turnStarted();
    metrics.turnFinished({ api: "responses", backend: "b", status: "cancelled", ms: 5, calls: 0 });
    metrics.turnStarted();
    metrics.turnFinished({
      api: "chat",
      backend: "b",
      status: "failed",
      ms: 5,
      calls: 0,
      usage: { ...usage, inputTokens: -5, outputTokens: Number.NaN },
    });
    const text = await metrics.text();
    expect(text).toContain('toolwire_turns_total{api="responses",backend="b",status="cancelled"} 1');
    expect(text).toContain('toolwire_tokens_total{backend="b",direction="input"} 0');
    expect(text).not.toContain("toolwire_first_content_seconds_count{");
    expect(text).toContain("toolwire_open_turns 0");
  });

  test("series are bounded, whatever a caller hands in", async () => {
    const metrics = createMetrics();
    const foreign: string = "a provider's own code";
    for (let at = 0; at < 1_000; at++) metrics.upstreamFailed({ backend: `b${at}`, code: "upstream_cut", next: "end" });
    metrics.upstreamFailed({ backend: "b0", code: foreign as ErrorCode, next: "end" });
    metrics.requestFinished({ api: "chat", status: 99_999 });
    const text = await metrics.text();
    expect(text.match(/^toolwire_upstream_errors_total\{/gm)).toHaveLength(258);
    expect(text).toContain('{backend="other",code="upstream_cut"} 744');
    expect(text).toContain('{backend="b0",code="other"} 1');
    expect(text).toContain('{api="chat",status="other"} 1');
  });
});
