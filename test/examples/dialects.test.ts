import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.ts";
import { type Dialect, readMessage, type TextRepair } from "../../src/dialects/index.ts";
import { forms } from "../../src/dialects/known/index.ts";
import { parts } from "../../src/gateway/parts.ts";
import { codeBlocks } from "./code-blocks.ts";
import { run } from "./programs.ts";

const page = readFileSync(new URL("../../docs/dialects.md", import.meta.url), "utf8");

/** The rows of the table below the heading, as their cells. */
function rowsOf(heading: string): string[][] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [text = ""] = section.split("\n## ");
  const lines = text.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) => line.slice(2, -2).split(" | "));
}

const rows = rowsOf("The dialects");
const byName = new Map<string, Dialect[]>();
for (const dialect of forms.filter(({ internal }) => !internal)) {
  if (!dialect.internal) byName.set(dialect.name, [...(byName.get(dialect.name) ?? []), dialect]);
}

const code = (cell = "") => (/^(`+)(.*?)\1/.exec(cell)?.[2] ?? "").trim().replaceAll("\\|", "|");

/** Where one form's models say all that another's do, once. */
function modelsOf(forms: readonly Dialect[]): string {
  const all = [...new Set(forms.map(({ models }) => models))];
  return all.filter((models) => !all.some((other) => other !== models && other.includes(models))).join("; ");
}

function mustBeNamed(forms: readonly Dialect[]): string {
  if (forms.every(({ bare }) => bare)) return "yes";
  return forms.some(({ bare }) => bare) ? "in part" : "no";
}

describe("docs/dialects.md", () => {
  it("lists every dialect once, in the order in which they are tried, with its models", () => {
    const documented = rows.map(([name, models, , named]) => [code(name), models, named]);
    const real = [...byName].map(([name, forms]) => [name, modelsOf(forms), mustBeNamed(forms)]);
    expect(documented).toEqual(real);
  });

  it.each(rows.map(([name, , look]) => [code(name), code(look)]))("shows %s as it is read", (name, look) => {
    const forms = byName.get(name) ?? [];
    expect(forms.some(({ openers }) => openers.some((opener) => look.startsWith(opener)))).toBe(true);
    // Some are too long for a line.
    if (look.includes("…") || !look.includes("1")) return;
    const tool = { name: "f", parameters: { type: "object", properties: { a: { type: "integer" } } } };
    const { calls } = readMessage(look, { tools: [tool], dialects: [name] });
    expect(calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([["f", { a: 1 }]]);
  });

  it("tells what every repair is", () => {
    const kinds: Record<TextRepair, true> = {
      name_case: true,
      trailing_comma: true,
      single_quotes: true,
      python_literal: true,
      raw_newline: true,
      bad_escape: true,
      unescaped_quote: true,
      unquoted_key: true,
      double_encoded: true,
      missing_close: true,
      extra_close: true,
      missing_open: true,
      comment: true,
      repeated_parameter: true,
      undeclared_parameter: true,
      not_declared_type: true,
      stray_text: true,
      misspelled_marker: true,
    };
    expect(rowsOf("Repairs").map(([kind]) => code(kind))).toEqual(Object.keys(kinds));
  });

  it.each([["trailing_comma"], ["single_quotes"], ["python_literal"], ["unescaped_quote"], ["unquoted_key"]])(
    "has an example of %s that is one",
    (kind) => {
      const [, wrote, read] = rowsOf("Repairs").find(([cell]) => code(cell) === kind) ?? [];
      const text = `<tool_call>{"name": "f", "arguments": ${code(wrote)}}</tool_call>`;
      const { calls, repairs } = readMessage(text, { tools: ["f"] });
      expect(new Set(repairs.map(({ repair }) => repair))).toEqual(new Set([kind]));
      expect(JSON.parse(calls[0]?.arguments ?? "")).toEqual(JSON.parse(code(read)));
    },
  );

  it("has a configuration that is valid", () => {
    const [block = ""] = codeBlocks(page, "yaml");
    const { models } = parseConfig(block, { ...parts, environment: {}, directory: "/" });
    expect(models).toMatchObject({ scout: { settings: { dialects: ["llama-pythonic"] } } });
  });

  it("has a program that runs against the package and says what stands below it", async () => {
    const [program = ""] = codeBlocks(page, "js");
    const { code: exit, stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", program]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const [first = "", ...streamed] = stdout.split(/(?<=\n)/);
    expect(codeBlocks(page, "text")).toEqual([first]);
    expect(streamed.join("")).toBe(
      [
        'text "Let me look.\\n"',
        "call 0 get_weather",
        'arguments 0 {"city":"Lisbon"}',
        "done 0",
        `call ${JSON.stringify('<tool_call>{"name": "get_weather", "arguments": {"city": "Lisbon",}}</tool_call>')}`,
        "",
      ].join("\n"),
    );
  });
});
