import fc from "fast-check";
import { expect, it } from "vitest";
import { ToolNames } from "../../../src/backends/codex/tool-names.ts";

const odd = fc.constantFrom(
  "exec_command",
  "shell_command",
  "mcp",
  "mcp__a__b",
  "client_exec_command",
  "a.b c",
  "a_b_c",
  "",
);
const name = fc.oneof(odd, fc.string({ maxLength: 200 }), fc.stringMatching(/^[a-z_]{1,8}$/));
const tools = (names: readonly string[]) => names.map((name) => ({ type: "function" as const, name }));

it("Codex takes every name, tells them apart, and gives each back as the client wrote it", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { maxLength: 40 }),
      fc.uniqueArray(name, { maxLength: 10 }),
      (declared, called) => {
        const names = new ToolNames(tools(declared), called);
        const all = [...new Set([...declared, ...called])];
        const given = all.map((one) => names.toCodex(one));
        expect(new Set(given).size).toBe(all.length);
        for (const alias of given) {
          expect(alias).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(alias).not.toMatch(/^(?:exec_command|shell_command|mcp|mcp__.*)$/);
        }
        expect(given.map((alias) => names.toClient(alias))).toEqual(all);
      },
    ),
  );
});

it("a name that Codex takes stays as it is", () => {
  const names = new ToolNames(tools(["get_weather", "exec_command"]), ["old-tool"]);
  expect(["get_weather", "old-tool"].map((one) => names.toCodex(one))).toEqual(["get_weather", "old-tool"]);
  expect(names.toCodex("exec_command")).toBe("client_exec_command");
});
