import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import { read } from "./reading.ts";

describe("settings of the turn", () => {
  const { turn, backends, models } = read(`
    backends:
      plain: { kind: demo }
      other: { kind: demo, keep_alive: 5s, timeouts: { idle: 1s } }
    models:
      same: { backend: other }
      own: { backend: other, turn: { keep_alive: 1s }, timeouts: { total: 2s } }
    turn: { profile: extended }
  `);

  it("hold for every backend and model", () => {
    expect(turn.profile).toBe("extended");
    expect(backends.plain?.turn).toEqual(turn);
  });

  it("may be set for a backend, and hold for its models", () => {
    expect(backends.other?.turn).toEqual({ ...turn, keep_alive: 5_000 });
    expect(models.same?.settings.turn).toEqual(backends.other?.turn);
  });

  it("may be set for a model, as its other settings", () => {
    expect(models.own?.settings.turn).toEqual({ ...turn, keep_alive: 1_000 });
    expect(models.own?.settings.timeouts).toEqual({
      connect: 5_000,
      first_content: 300_000,
      idle: 1_000,
      total: 2_000,
    });
  });
});

describe("a model", () => {
  it("is called at its backend as here, unless it says otherwise", () => {
    const { models } = read(`
      backends: { a: { base_url: http://a/v1 }, demo: { kind: demo } }
      models: { x: { backend: a }, y: { backend: a, model: org/z }, d: { backend: demo } }
    `);
    expect([models.x?.model, models.y?.model, models.d?.model]).toEqual(["x", "org/z", "native"]);
  });

  it("may have a connection of its own", () => {
    const { models, backends } = read(`
      backends: { a: { base_url: http://a/v1, api_key: one, headers: { x-a: a } } }
      models: { same: { backend: a }, own: { backend: a, base_url: http://b, api_key: two, headers: { x-b: b } } }
    `);
    expect(models.same?.settings).toEqual(backends.a);
    expect(models.own?.settings).toEqual({
      ...backends.a,
      base_url: "http://b",
      api_key: "two",
      headers: { "x-a": "a", "x-b": "b" },
    });
  });

  it("is not found under a name that every object has", () => {
    const { models, backends } = read("");
    expect([models.constructor, backends.toString]).toEqual([undefined, undefined]);
  });
});

describe("paths", () => {
  it("are relative to the file", () => {
    const { telemetry, store } = read("telemetry: { events: ./log/events.ndjson }");
    expect(telemetry.events).toBe("/etc/toolwire/log/events.ndjson");
    expect(store.url).toBe("sqlite:/etc/toolwire/toolwire.db");
  });

  it("may be absolute, or begin at home", () => {
    expect(read("telemetry: { events: /var/log/e }").telemetry.events).toBe("/var/log/e");
    expect(read("telemetry: { events: ~/e }").telemetry.events).toBe(`${homedir()}/e`);
    const codex = "backends: { codex: { kind: codex }, near: { kind: codex, home: ./h } }";
    const { backends } = read(codex);
    expect(backends.codex).toMatchObject({ command: ["codex", "app-server"], home: `${homedir()}/.codex` });
    expect(backends.near).toMatchObject({ home: "/etc/toolwire/h" });
  });

  it("are no words", () => {
    expect(read("telemetry: { events: stdout }").telemetry.events).toBe("stdout");
  });
});
