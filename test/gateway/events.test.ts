import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JsonObject, parseJson } from "../../src/turn/index.ts";
import { ask, bothBackends, followUp, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";

const city = "Reykjavik-is-secret";
const call = { name: "get_weather", arguments: JSON.stringify({ city }) };

let provider: Provider;
let folder: string;
beforeAll(async () => {
  provider = await startProvider(({ model }) =>
    model === "stranger" ? { calls: [{ ...call, name: "other" }] } : { calls: [call] },
  );
  folder = mkdtempSync(join(tmpdir(), "toolwire-events-"));
});
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs two turns of a conversation and gives the events that they left. */
async function eventsOf(
  name: string,
  telemetry: JsonObject,
  model = "chat/weather",
): Promise<{ raw: string; events: JsonObject[] }> {
  const file = join(folder, name);
  const gateway = await startGateway({ ...bothBackends(provider), telemetry: { events: file, ...telemetry } });
  const wish = { model, tools: [{ name: "get_weather" }] };
  const headers = { "x-request-id": "request-1" };
  const first = await ask(gateway, "responses", requestFor("responses", { ...wish, stream: true }), headers);
  const after = followUp("responses", first, [`${city}: cold`]);
  await ask(gateway, "responses", requestFor("responses", { ...wish, after }), { "x-request-id": "request-2" });
  await gateway.close();
  const raw = readFileSync(file, "utf8");
  return {
    raw,
    events: raw
      .trim()
      .split("\n")
      .map((line) => parseJson(line) as JsonObject),
  };
}

describe("telemetry events", () => {
  it("tell each turn's life, one object a line", async () => {
    const { events } = await eventsOf("plain.ndjson", {});
    const of = (request: string) => events.filter((event) => event.request_id === request).map(({ event }) => event);
    expect(of("request-1")).toEqual(["turn_started", "tool_registry", "tool_call", "turn_finished"]);
    expect(of("request-2")).toEqual([
      "turn_started",
      "tool_registry",
      "echoed_calls",
      "tool_result",
      // The provider gives its call the same id again.
      "call_repaired",
      "tool_call",
      "turn_finished",
    ]);
    for (const event of events) expect(Object.keys(event).slice(0, 3)).toEqual(["ts", "event", "request_id"]);
    expect(events.find(({ event }) => event === "tool_call")).toMatchObject({
      name: "get_weather",
      argument_bytes: Buffer.byteLength(call.arguments),
      dialect: null,
      owner: "client",
    });
    expect(events.find(({ event }) => event === "turn_finished")).toMatchObject({
      status: "completed",
      calls: 1,
      repairs: 0,
      usage: { total_tokens: 18 },
      first_content_ms: expect.any(Number),
      overhead_ms: expect.any(Number),
    });
  });

  it("hold no arguments, results, prompts or keys", async () => {
    const { raw } = await eventsOf("redacted.ndjson", { redact: true });
    expect(raw).not.toContain(city);
    expect(raw).not.toContain("weather in Rome");
    expect(raw).not.toContain("provider-secret");
  });

  it("hold arguments and results where redaction is off, but never a key", async () => {
    const { events, raw } = await eventsOf("open.ndjson", { redact: false });
    expect(events.find(({ event }) => event === "tool_call")?.arguments).toBe(call.arguments);
    expect(events.find(({ event }) => event === "tool_result")?.output).toBe(`${city}: cold`);
    expect(raw).not.toContain("provider-secret");
  });

  it("record a strict failure, with the name that nobody declared", async () => {
    const file = join(folder, "strict.ndjson");
    const gateway = await startGateway({ ...bothBackends(provider), telemetry: { events: file } });
    const wish = { model: "chat/stranger", tools: [{ name: "get_weather", strict: true }] };
    expect((await ask(gateway, "chat", requestFor("chat", wish))).error?.code).toBe("tool_call_invalid");
    await gateway.close();
    expect(readFileSync(file, "utf8")).toContain('"event":"strict_failure"');
  });

  it("tell nothing of an attempt of which the client got nothing", async () => {
    const entry = (id: string) => ({
      index: 0,
      id,
      type: "function",
      function: { name: "get_weather", arguments: "{}" },
    });
    const delta = (id: string) => ({ choices: [{ index: 0, delta: { tool_calls: [entry(id)] } }] });
    const line = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
    const end = line({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
    const flaky = await startProvider(({ count }) =>
      count === 1
        ? { bytes: [line(delta("call_dead")), line({ choices: [{ delta: { content: "." } }] }), "cut"] }
        : { bytes: [line(delta("call_good")), end] },
    );
    const file = join(folder, "attempts.ndjson");
    const gateway = await startGateway({ ...bothBackends(flaky, { retries: 1 }), telemetry: { events: file } });
    const wish = { model: "chat/flaky", tools: [{ name: "get_weather" }] };
    const answer = await ask(gateway, "chat", requestFor("chat", wish), {}, { usageUnknown: true });
    await gateway.close();
    await flaky.close();
    expect(answer.calls).toMatchObject([{ id: "call_good" }]);
    const raw = readFileSync(file, "utf8");
    expect(raw).toContain("call_good");
    expect(raw).not.toContain("call_dead");
    expect(raw).toContain('"attempts":2,"calls":1');
  });

  it("record a tool that nobody declared", async () => {
    const { events } = await eventsOf("unknown.ndjson", {}, "chat/stranger");
    expect(events.find(({ event }) => event === "unknown_tool")).toMatchObject({ name: "other" });
  });
});
