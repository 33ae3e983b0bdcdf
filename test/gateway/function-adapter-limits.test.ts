import { describe, expect, it } from "vitest";
import { FunctionAdapter } from "../../src/tools/index.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import { sseFrames } from "../support/provider.ts";
import {
  called,
  formOf,
  functionsOnly,
  later,
  namesOf,
  namespace,
  plain,
  search,
  turnOf,
} from "../tools/function-adapters.ts";
import { onStage, request, toolNames } from "./function-adapters.ts";

const { play } = onStage();
const many = <T>(count: number, each: (index: number) => T) => Array.from({ length: count }, (_, index) => each(index));
const allowed = (...tools: JsonObject[]) => ({ type: "allowed_tools", mode: "auto", tools });

describe("a choice that names a namespace again and again", () => {
  const again = (count: number) => allowed(...many(count, () => ({ type: "namespace", name: "n" })));
  const big = (count: number) =>
    namespace(
      "n",
      many(count, (index) => `t${index}`),
    );

  it("is one of each of its tools once", () => {
    const { turn } = formOf({ tools: [big(40)], choice: again(30) });
    expect(turn.choice).toMatchObject({ mode: "allowed", others: [] });
    const named = turn.choice.mode === "allowed" ? turn.choice.tools.map(({ name }) => name) : [];
    expect(named).toEqual(many(40, (index) => `n__t${index}`));
  });

  it.each<[string, JsonObject]>([
    ["a tool, without its namespace", { type: "function", name: "t1" }],
    ["a tool, with its namespace", { type: "function", name: "t1", namespace: "n" }],
    ["the search", { type: "tool_search" }],
  ])("is that once for %s too", (_what, entry) => {
    const { turn } = formOf({ tools: [big(3), search], choice: allowed(...many(20, () => entry)) });
    expect(turn.choice).toMatchObject({ tools: [{ kind: "function" }], others: [] });
    expect(turn.choice).toHaveProperty("tools.length", 1);
  });

  it("is told to a provider in the time of any other, however large both are", async () => {
    const body = request("chat/m", { tools: [big(5_000)], tool_choice: again(2_000) });
    const { answer, asked } = await play("responses", body, { say: "ok" });
    expect(answer).toMatchObject({ status: 200, text: "ok" });
    expect(toolNames(asked[0])).toEqual(many(5_000, (index) => `n__t${index}`));
  });
});

describe("tools that are to be searched for, in a long conversation", () => {
  const deferred = (count: number) => [
    search,
    namespace(
      "n",
      many(count, (index) => plain(`t${index}`, later)),
    ),
  ];
  const turns = (count: number) =>
    many(count, (index) => [
      { ...called(index % 2 === 0 ? "t7" : "gone", "n"), call_id: `c${index}` },
      { type: "function_call_output", call_id: `c${index}`, output: "ok" },
    ]).flat();

  it("have each of its items looked at a few times, however many they are", () => {
    const turn = turnOf({ tools: deferred(300), input: turns(200) });
    let looks = 0;
    const watched = turn.input.map(
      (item) =>
        new Proxy(item, {
          get: (target, key) => {
            looks++;
            return Reflect.get(target, key);
          },
        }),
    );
    const form = new FunctionAdapter({ ...turn, input: watched }, functionsOnly);
    expect(namesOf(form)).toEqual(["tool_search", "n__t7"]);
    expect(looks).toBeLessThan(50 * turn.input.length);
  });

  it("are offered where they were called, and no others", async () => {
    const input = [{ role: "user", content: "Do it." }, ...turns(20_000)];
    const { answer, asked } = await play("responses", request("chat/m", { tools: deferred(5_000), input }), {
      say: "ok",
    });
    expect(answer).toMatchObject({ status: 200, text: "ok" });
    expect(toolNames(asked[0])).toEqual(["tool_search", "n__t7"]);
  });
});

describe("arguments in a string that begins with very much white space", () => {
  const space = " ".repeat(200_000);

  /** Four characters an event, and all events at once. */
  const written = (text: string) => {
    const pieces = many(Math.ceil(text.length / 4), (index) => text.slice(index * 4, index * 4 + 4));
    const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
      choices: [{ index: 0, delta, finish_reason }],
    });
    const chunks = [...pieces.map((content) => chunk({ content })), chunk({}, "stop")];
    return { bytes: [sseFrames("chat", chunks).join("")] };
  };

  it.each<[string, string, JsonObject]>([
    ["a function", "look", { type: "function_call", arguments: '{"path":"a"}' }],
    ["a tool that takes free text", "apply_patch", { type: "custom_tool_call", input: "x" }],
  ])("are read as they come: of %s", async (_what, name, item) => {
    const inside = JSON.stringify(name === "look" ? { path: "a" } : { input: "x" });
    const say = `<tool_call>${JSON.stringify({ name, arguments: `${space}${inside}` })}</tool_call>`;
    const { answer } = await play("responses", request("prompted/m", { stream: true }), written(say));
    expect(answer.items).toMatchObject([{ ...item, name }]);
  });
});
