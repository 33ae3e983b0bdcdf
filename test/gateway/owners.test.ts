import { afterEach, describe, expect, it } from "vitest";
import { Cancellation, createConfig, createGateway, type Gateway } from "../../src/gateway/index.ts";
import { InProcessMemory } from "../../src/store/index.ts";
import { isObject, type JsonObject, type Memory, parseJson, type ReplyStream } from "../../src/turn/index.ts";
import { bothBackends } from "../support/gateway.ts";
import { type Provider, type Script, startProvider } from "../support/provider.ts";

const thought = "The user wants the weather; f knows it.";
const nowhere: ReplyStream = { open: () => {}, write: () => undefined, end: () => {} };

let provider: Provider;
const gateways: Gateway[] = [];
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
  await provider.close();
});

/** Thinks before its call, and says afterwards whether it has the thought back. */
const script: Script = ({ body }) => {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  const made = messages.find((message) => Array.isArray(message.tool_calls));
  if (!made) return { think: thought, calls: [{ id: "call_1", name: "f", arguments: "{}" }] };
  return { say: made.reasoning_content === thought ? "known" : "unknown" };
};

const user = { role: "user", content: "Weather?" };
const called = [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "call_1", content: "sunny" },
];

/** One gateway after the other with the same memory, as after a restart with a store. */
async function start(memory: Memory, keys: JsonObject[]) {
  const gateway = await createGateway(
    createConfig({ log: { level: "silent" }, store: { url: "memory:" }, ...bothBackends(provider), keys }),
    {
      memory,
    },
  );
  gateways.push(gateway);
  return async (token: string | undefined, messages: JsonObject[]): Promise<string> => {
    const identity = gateway.keyring.identify(`Bearer ${token}`, new Date());
    if (token !== undefined && !identity.ok) throw new Error("This key is not known.");
    const body = { model: "chat/deep", messages, tools: [{ type: "function", function: { name: "f" } }] };
    const key = identity.ok ? identity.key : null;
    const turn = await gateway.prepare("chat", body, { requestId: "r", key, receivedAt: performance.now() });
    const ending = await turn.run(nowhere, new Cancellation());
    const answer = parseJson(ending.body);
    const [choice] = isObject(answer) && Array.isArray(answer.choices) ? answer.choices : [];
    return isObject(choice) && isObject(choice.message) ? String(choice.message.content) : ending.body;
  };
}

const ann = { name: "ann", key: "tw-key-of-ann" };
const bob = { name: "bob", key: "tw-key-of-bob" };

describe("what is kept for a key", () => {
  it.each([
    ["renamed", [{ ...ann, name: "anna" }, bob]],
    ["reordered", [bob, ann]],
    ["given another's old name", [{ ...ann, name: "bob" }]],
  ])("stays its own when keys are %s, and nobody else finds it", async (_change, keys) => {
    provider = await startProvider(script);
    const memory = new InProcessMemory();
    await (await start(memory, [ann, bob]))(ann.key, [user]);
    const askAgain = await start(memory, keys);
    expect(await askAgain(ann.key, [user, ...called])).toBe("known");
    if (keys.length > 1) expect(await askAgain(bob.key, [user, ...called])).toBe("unknown");
  });

  it.each([
    ["takes over its name", [{ ...bob, name: "ann" }]],
    ["takes over its place", [bob]],
    ["takes over both", [{ name: "ann", key: "tw-key-of-nobody" }]],
  ])("is not found by a key that %s", async (_change, keys) => {
    provider = await startProvider(script);
    const memory = new InProcessMemory();
    await (await start(memory, [ann, bob]))(ann.key, [user]);
    expect(await (await start(memory, keys))(keys[0]?.key, [user, ...called])).toBe("unknown");
  });

  it("is not found by anybody when there are no keys any more, nor the other way round", async () => {
    provider = await startProvider(script);
    const memory = new InProcessMemory();
    await (await start(memory, [ann]))(ann.key, [user]);
    const withoutKeys = await start(memory, []);
    expect(await withoutKeys(undefined, [user, ...called])).toBe("unknown");
    await withoutKeys(undefined, [user]);
    expect(await (await start(memory, []))(undefined, [user, ...called])).toBe("known");
    expect(await (await start(memory, [{ name: "anonymous", key: "anonymous" }]))("anonymous", [user, ...called])).toBe(
      "unknown",
    );
  });
});
