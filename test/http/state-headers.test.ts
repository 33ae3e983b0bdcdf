import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { stateHeadersOf } from "../../src/http/state-headers.ts";
import { startGateway } from "../support/gateway.ts";

const demo = { backends: { demo: { kind: "demo", pace: "0ms" } }, default_model: "demo" };
let gateway: RunningServer;
beforeAll(async () => {
  gateway = await startGateway(demo);
});
afterAll(() => gateway.close());

const conversation = (name: string) => stateHeadersOf({ "x-toolwire-conversation": name }).conversation;
const idempotency = (key: string) => stateHeadersOf({ "idempotency-key": key }).idempotencyKey;

describe("the headers about stored state", () => {
  it("name a conversation in up to 256 characters", () => {
    expect(stateHeadersOf({})).toEqual({ conversation: undefined, idempotencyKey: undefined });
    for (const name of ["notes", "my notes of today", "x".repeat(256), "N\u00c3\u00bctzliches"])
      expect(conversation(name)).toBe(name);
    expect(conversation("  notes\t")).toBe("notes");
  });

  it("cannot name one by nothing, by too much, or by what cannot be seen", () => {
    for (const name of ["", "  ", "x".repeat(257), "a\u0007b", "a\tb"])
      expect(() => conversation(name)).toThrow(expect.objectContaining({ code: "unsupported_value", status: 400 }));
  });

  it("hold an idempotency key, of which a long one is hashed", () => {
    expect(idempotency("stainless-node-retry-1")).toBe("stainless-node-retry-1");
    expect(idempotency("x".repeat(256))).toBe("x".repeat(256));
    expect(idempotency("x".repeat(257))).toMatch(/^sha256-[0-9a-f]{64}$/);
    expect(idempotency("x".repeat(257))).not.toBe(idempotency("x".repeat(258)));
    expect(idempotency(" ")).toBeUndefined();
  });
});

it.each(["/v1/chat/completions", "/v1/responses"])(
  "a turn at %s with a name that cannot be used is refused",
  async (path) => {
    const ask = (name: string) =>
      fetch(`${gateway.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-toolwire-conversation": name, "idempotency-key": "one" },
        body: JSON.stringify({ input: "hello", messages: [{ role: "user", content: "hello" }] }),
      });
    const refused = await ask("x".repeat(257));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { code: "unsupported_value", param: "x-toolwire-conversation" },
    });
    expect((await ask("notes")).status).toBe(200);
  },
);
