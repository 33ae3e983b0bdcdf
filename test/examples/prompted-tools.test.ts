import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.ts";
import { parts } from "../../src/gateway/parts.ts";
import { promptTurn } from "../../src/tools/index.ts";
import type { Item, JsonObject, Turn } from "../../src/turn/index.ts";
import { decodeChatRequest } from "../../src/wire/chat/decode.ts";
import { noLimits } from "../support/limits.ts";
import { codeBlocks } from "./code-blocks.ts";

const page = readFileSync(new URL("../../docs/prompted-tools.md", import.meta.url), "utf8");
const [request = ""] = codeBlocks(page, "json");

/** What a backend is asked for the request on the page, with some of it changed. */
function asked(more: JsonObject = {}): Turn {
  return promptTurn(decodeChatRequest({ ...(JSON.parse(request) as JsonObject), ...more }, noLimits).turn);
}

function textOf(item: Item | undefined): string {
  if (item?.type !== "message") return "";
  return item.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

describe("docs/prompted-tools.md", () => {
  const [catalog, format, conversation] = codeBlocks(page, "text");

  it("has configurations that are valid", () => {
    const environment = { OPENAI_API_KEY: "openai-1" };
    const [first, ...others] = codeBlocks(page, "yaml").map((block) =>
      parseConfig(block, { ...parts, environment, directory: "/" }),
    );
    expect(first).toMatchObject({
      backends: { local: { tools: "prompted" }, openai: { tools: "native" } },
      models: { fast: { settings: { tools: "prompted" } }, plain: { settings: { tools: "prompted" } } },
    });
    expect(others).toMatchObject([{ backends: { text: { kind: "demo", tools: "prompted" } } }]);
  });

  it("shows the prompt as it is", () => {
    expect(`${textOf(asked().input[0])}\n`).toBe(catalog);
  });

  it("shows the section about the answer's format as it is", () => {
    const schema = { type: "object", properties: { summary: { type: "string" } }, required: ["summary"] };
    const wanted = { type: "json_schema", json_schema: { name: "report", schema, strict: true } };
    const turn = asked({ response_format: wanted });
    expect(`${textOf(turn.input[0])}\n`).toBe(`${catalog}\n${format}`);
    expect(turn.format).toBeUndefined();
  });

  it("shows the conversation as it is", () => {
    const messages = asked().input.slice(1);
    const lines = messages.map((item) => `${item.type === "message" ? item.role : item.type}: ${textOf(item)}\n`);
    expect(lines.join("\n")).toBe(conversation);
  });

  const one = { type: "function", function: { name: "get_time" } };
  const allowed = (mode: string) => ({ type: "allowed_tools", allowed_tools: { mode, tools: [one] } });

  it.each<[string, JsonObject]>([
    ["a strict tool", {}],
    ['`tool_choice: "none"`', { tool_choice: "none" }],
    ['`"required"`', { tool_choice: "required" }],
    ["one tool", { tool_choice: one }],
    ["`allowed_tools`", { tool_choice: allowed("auto") }],
    ["`allowed_tools` with `required`", { tool_choice: allowed("required") }],
    ["`parallel_tool_calls: false`", {}],
  ])("says what the model is told in a request with %s", (what, more) => {
    const row = page.split("\n").find((line) => line.startsWith(`| ${what} | `)) ?? "";
    const words = row.split(" | ").at(-1)?.replace(/ \|$/, "").replace('"f"', '"get_time"');
    expect(textOf(asked(more).input[0]).split("\n")).toContain(words);
  });
});
