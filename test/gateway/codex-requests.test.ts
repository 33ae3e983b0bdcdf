import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import { objectsOf } from "../support/folded.ts";
import { ask, bothBackends, startGateway } from "../support/gateway.ts";
import { conversation, offeredTools, type Provider, type Reply, startProvider } from "../support/provider.ts";

// What the real Codex CLI (0.166.0) sends for models of three kinds, with long texts cut short, and how conversations with it go on.
const kinds = ["unknown", "patches", "scripts"] as const;
const ways = ["chat", "prompted", "responses"] as const;
type Way = (typeof ways)[number];

const histories = read("histories");
const requests = kinds.flatMap((kind): [string, JsonObject][] => {
  const first = read(kind);
  const later = Object.entries(isObject(histories[kind]) ? histories[kind] : {}).map(([name, more]) => {
    const { input = [], ...fields } = isObject(more) ? more : {};
    const after = { ...first, ...fields, input: [...objectsOf(first.input), ...objectsOf(input)] };
    return [`${kind}: ${name}`, after] satisfies [string, JsonObject];
  });
  return [[`${kind}: the first question`, first], ...later];
});

function read(name: string): JsonObject {
  const value: unknown = JSON.parse(readFileSync(new URL(`codex-requests/${name}.json`, import.meta.url), "utf8"));
  if (!isObject(value)) throw new Error(`${name}.json is no object`);
  return value;
}

const fine: Reply = { say: '{"answer":"Fine."}' };
let reply = fine;
let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(() => reply);
  const { backends } = bothBackends(provider) as { backends: { chat: JsonObject; responses: JsonObject } };
  gateway = await startGateway({ backends: { ...backends, prompted: { ...backends.chat, tools: "prompted" } } });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});
beforeEach(() => {
  provider.requests.length = 0;
  reply = fine;
});

/** The answer to a request, and what the provider was sent. */
async function play(way: Way, body: JsonObject) {
  const answer = await ask(gateway, "responses", { ...body, model: `${way}/${String(body.model)}` });
  return { answer, asked: provider.requests.at(-1)?.body ?? expect.fail("The provider was sent nothing") };
}

describe.each(requests)("%s", (_name, body) => {
  it.each(ways)("is answered by a %s backend", async (way) => {
    const { answer } = await play(way, body);
    expect(answer).toMatchObject({ status: 200, streamed: true, text: '{"answer":"Fine."}', ended: "completed" });
    expect(provider.requests).toHaveLength(1);
  });

  it("has only what any provider of Chat Completions takes", async () => {
    const { asked } = await play("chat", body);
    const names = objectsOf(asked.tools).map((tool) => {
      expect(tool.type).toBe("function");
      return isObject(tool.function) ? String(tool.function.name) : "";
    });
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(names).size).toBe(names.length);
    expect(asked.tools).not.toEqual([]);
    expectPairs(asked);
  });

  it("comes to a Responses backend with the tools that it has, each once", async () => {
    const { asked } = await play("responses", body);
    expect(asked.tools ?? []).toEqual(body.tools ?? []);
  });

  it("comes to a Responses backend with all that was said", async () => {
    const { asked } = await play("responses", body);
    // The CLI says null where it has nothing to say.
    const spoken = JSON.stringify(body.input, (_key, value) => value ?? undefined);
    expect(asked.input).toEqual(JSON.parse(spoken));
  });
});

// What one agent writes to another is encrypted only where its provider does so; else it is in there as it was written.
it.each(["chat", "prompted"] as const)("what other agents say is told to a %s backend", async (way) => {
  const [, body] = requests.find(([name]) => name === "scripts: messages of other agents") ?? expect.fail();
  const { asked } = await play(way, body);
  const told = JSON.stringify(asked.messages);
  for (const words of ["There are 12 boats 😀.", "Now count the 日本 ones."]) expect(told).toContain(words);
});

describe.each(kinds)("%s: every tool that is offered", (kind) => {
  it.each(["chat", "prompted"] as const)("is called as the client knows it, by a %s backend", async (way) => {
    const body = read(kind);
    const { asked } = await play("chat", body);
    const items: JsonObject[] = [];
    for (const { name, parameters } of offeredTools(asked)) {
      const text = JSON.stringify(argumentsFor(name, parameters));
      reply =
        way === "chat"
          ? { calls: [{ name, arguments: text }] }
          : { say: `<tool_call>${JSON.stringify({ name, arguments: text })}</tool_call>` };
      const { answer } = await play(way, body);
      expect(answer).toMatchObject({ status: 200, ended: "completed" });
      items.push(...answer.items);
    }
    expect(items).toMatchObject(callsOf(body));
  });
});

const freeText = 'a\n"b" \\ 😀';
const search = { query: "c" };

function argumentsFor(name: string, parameters: unknown): JsonObject {
  if (name === "tool_search") return search;
  const { properties } = isObject(parameters) ? parameters : {};
  return isObject(properties) && Object.keys(properties).join() === "input" ? { input: freeText } : {};
}

/** What the client would run if each of its tools were called once. */
function callsOf({ tools, input }: JsonObject): JsonObject[] {
  const calls = (tool: JsonObject, namespace?: string): JsonObject[] => {
    const identity = { name: tool.name, ...(namespace !== undefined && { namespace }) };
    switch (tool.type) {
      case "namespace":
        return objectsOf(tool.tools).flatMap((inner) => calls(inner, String(tool.name)));
      case "custom":
        return [{ type: "custom_tool_call", ...identity, input: freeText }];
      case "function":
        return [{ type: "function_call", ...identity, arguments: "{}" }];
      case "tool_search":
        return [{ type: "tool_search_call", execution: "client", arguments: search }];
      default:
        return [];
    }
  };
  const brought = objectsOf(input).flatMap((item) => objectsOf(item.type === "additional_tools" ? item.tools : []));
  return [...objectsOf(tools), ...brought].flatMap((tool) => calls(tool));
}

/** Each assistant's calls have their outputs right after them, each once. */
function expectPairs(asked: JsonObject): void {
  const messages = objectsOf(asked.messages);
  const outputs = conversation(asked).filter(({ kind }) => kind === "output");
  let answered = 0;
  messages.forEach(({ tool_calls }, index) => {
    const ids = objectsOf(tool_calls).map(({ id }) => id);
    const after = messages.slice(index + 1, index + 1 + ids.length);
    expect(after.map(({ tool_call_id }) => tool_call_id).toSorted()).toEqual(ids.toSorted());
    answered += ids.length;
  });
  expect(outputs).toHaveLength(answered);
}
