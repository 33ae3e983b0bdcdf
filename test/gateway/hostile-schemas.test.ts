import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import { ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";

let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(() => ({ calls: [{ name: "f", arguments: `{"a":"${"a".repeat(30)}!"}` }] }));
  gateway = await startGateway(bothBackends(provider));
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

/** Each names the one before it twice. */
function doubled(levels: number): JsonObject {
  const twice = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const defs = Array.from({ length: levels }, (_, at) => [`d${at + 1}`, twice(`d${at}`)]);
  return { $ref: `#/$defs/d${levels}`, $defs: { d0: { type: "object" }, ...Object.fromEntries(defs) } };
}

function deep(levels: number): JsonObject {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { type: "object", properties: { a: schema } };
  return schema;
}

const refused: [string, JsonObject][] = [
  ["exponential", doubled(30)],
  ["recursive", { $ref: "#" }],
  ["deep", deep(60)],
  ["huge", { type: "object", description: "x".repeat(100_000) }],
  ["of too many values", { enum: Array.from({ length: 5_000 }, (_, at) => at) }],
  ["that leads elsewhere", { $ref: "https://example.com/schema.json" }],
];
const slow = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };

describe.each(["chat", "responses"] as const)("a %s client's schema", (api) => {
  const hear = (parameters: JsonObject, strict: boolean) =>
    ask(gateway, api, requestFor(api, { model: "chat/m", tools: [{ name: "f", parameters, strict }] }));

  it.each(refused)(
    "that is %s is a 400 where it is strict, and not looked at where it is not",
    async (_, parameters) => {
      const param = api === "chat" ? "tools[0].function.parameters" : "tools[0].parameters";
      expect(await hear(parameters, true)).toMatchObject({ status: 400, error: { code: "invalid_request", param } });
      expect((await hear(parameters, false)).calls).toMatchObject([{ name: "f" }]);
    },
  );

  it("with a pattern that would take for ever is checked at once", async () => {
    expect(await hear(slow, true)).toMatchObject({ calls: [], error: { code: "tool_call_invalid" } });
  });

  it("does not make others wait", async () => {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const all = [...refused.map(([, schema]) => schema), slow].flatMap((schema) => [
      hear(schema, true),
      hear(schema, false),
    ]);
    const plain = await hear({ type: "object" }, true);
    await Promise.all(all);
    delay.disable();
    expect(plain.calls).toMatchObject([{ name: "f" }]);
    // Any of them takes many seconds, or for ever, where nothing bounds it.
    expect(delay.max / 1e6).toBeLessThan(2_000);
  });
});
