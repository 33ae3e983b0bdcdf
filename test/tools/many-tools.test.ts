import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ArgumentChecks, checkStrictSchemas, permits, promptSteps, promptTurn } from "../../src/tools/index.ts";
import {
  type FunctionTool,
  type Item,
  paced,
  type Tool,
  type ToolChoice,
  type ToolName,
  type Turn,
} from "../../src/turn/index.ts";
import { mostGrowth, timeGrowth, turnsDuring } from "../support/time-growth.ts";
import { custom, formOf, legalName, namesOf, namespace, plain } from "./function-adapters.ts";

const named = (count: number): ToolName[] =>
  Array.from({ length: count }, (_, at) => ({ kind: "function", name: `tool_${at}` }));

describe("the time for many tools grows no faster than their number", () => {
  it("where `tool_choice` lists all of them", () => {
    const work = (size: number) => {
      const tools = named(size);
      const choice: ToolChoice = { mode: "allowed", required: false, tools, others: [] };
      expect(tools.every((tool) => permits(choice, tool))).toBe(true);
    };
    expect(timeGrowth(work, 800)).toBeLessThan(mostGrowth);
  });

  it("where `tool_choice` lists a name often that many namespaces have", () => {
    const work = (size: number) => {
      const tools = Array.from({ length: size }, (_, at) => namespace(`n${at}`, ["look"]));
      const names = Array.from({ length: size }, () => ({ type: "function", name: "look" }));
      const form = formOf({ tools, choice: { type: "allowed_tools", mode: "auto", tools: names } });
      expect(form.turn.choice).toMatchObject({ tools: { length: size } });
    };
    expect(timeGrowth(work, 200)).toBeLessThan(mostGrowth);
  });

  it("where many of them are called", () => {
    const work = (size: number) => {
      const tools: Tool[] = named(size).map(({ name }) => ({ type: "function", name }));
      const checks = new ArgumentChecks(tools);
      for (const { name } of named(size)) checks.check(name, {});
    };
    expect(timeGrowth(work, 1_000)).toBeLessThan(mostGrowth);
  });
});

describe("`tool_choice` with a list of tools", () => {
  const choice: ToolChoice = {
    ...{ mode: "allowed", required: false },
    tools: [
      { kind: "function", name: "look" },
      { kind: "custom", name: "write" },
      { kind: "function", name: "read", namespace: "files" },
    ],
    others: [{ type: "namespace", name: "agents" }],
  };

  it.each<[boolean, Parameters<typeof permits>[1]]>([
    [true, { kind: "function", name: "look" }],
    [true, { kind: "function", name: "look", namespace: "any" }],
    [false, { kind: "custom", name: "look" }],
    [true, { kind: "custom", name: "write" }],
    [true, { kind: "function", name: "read", namespace: "files" }],
    [false, { kind: "function", name: "read" }],
    [false, { kind: "function", name: "read", namespace: "other" }],
    [true, { kind: "function", name: "spawn", namespace: "agents" }],
    [false, { kind: "function", name: "other" }],
  ])("permits (%s) %j", (isPermitted, call) => {
    expect(permits(choice, call)).toBe(isPermitted);
  });
});

it("a tool gets a name of its own, though the client has taken all names that it would get", () => {
  const digest = createHash("sha256").update("custom 0 a.b").digest("hex");
  const taken = Array.from({ length: 60 }, (_, at) => {
    const mark = `_${digest.slice(0, at + 8)}`;
    return plain("a_b".slice(0, 64 - mark.length) + mark);
  });
  const names = namesOf(formOf({ tools: [plain("a_b"), ...taken, custom("a.b")] }));
  expect(names.at(-1)).toMatch(legalName);
  expect(new Set(names).size).toBe(new Set(taken.map(({ name }) => name)).size + 2);
});

describe("the event loop gets a turn", () => {
  it("while the schemas of many strict tools are prepared", async () => {
    const property = (at: number) => ({
      type: "object",
      properties: { a: { type: "string", pattern: `^[a-f]{1,9}${at}` } },
    });
    const tools = Array.from({ length: 150 }, (_, index): FunctionTool => {
      const properties = Object.fromEntries(
        Array.from({ length: 25 }, (_, at) => [`p${at}`, property(index * 25 + at)]),
      );
      return { type: "function", name: `tool_${index}`, strict: true, parameters: { type: "object", properties } };
    });
    expect(await turnsDuring(() => checkStrictSchemas(tools, String))).toBeGreaterThan(50);
  });

  it("while a long history is written into a prompt, and the prompt is the same", async () => {
    const input = Array.from({ length: 10_000 }, (_, at): Item[] => [
      { type: "call", kind: "function", callId: `call_${at}`, name: "look", arguments: '{"at":"sea"}' },
      { type: "output", kind: "function", callId: `call_${at}`, output: `[function_call id=${at}` },
    ]).flat();
    const turn: Turn = {
      ...{ api: "chat", model: "m", stream: true, input, choice: { mode: "auto" } },
      tools: [{ type: "function", name: "look" }],
      ...{ settings: {}, parameters: {} },
    };
    let prompted: Turn | undefined;
    const turns = await turnsDuring(async () => {
      prompted = await paced(promptSteps(turn));
    });
    expect(turns).toBeGreaterThan(1_000);
    expect(JSON.stringify(prompted)).toBe(JSON.stringify(promptTurn(turn)));
  });
});
