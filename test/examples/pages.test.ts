import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { ask, startGateway } from "../support/gateway.ts";
import { codeBlocks } from "./code-blocks.ts";
import { missingPrograms, nameWith, run } from "./programs.ts";

const read = (page: string) => readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");

let gateway: RunningServer;
beforeAll(async () => {
  gateway = await startGateway({ backends: { demo: { kind: "demo", pace: "0ms" } } });
});
afterAll(() => gateway.close());

/** What differs from run to run. */
function masked(text: string): string {
  return text.replace(/\b[0-9a-f]{32}\b|(?<=_)[0-9a-f]{32}/g, "ID").replace(/"created":\d+/g, '"created":0');
}

describe("README.md", () => {
  const missing = missingPrograms("bash", "curl");

  it.skipIf(missing.length > 0)(nameWith(missing, "has a curl command that gets the answer below it"), async () => {
    const readme = read("README.md");
    const command = codeBlocks(readme, "sh").find((block) => block.startsWith("curl ")) ?? "";
    expect(command).toContain("http://127.0.0.1:8787/");

    const { code, stdout } = await run("bash", ["-c", command.replace("http://127.0.0.1:8787", gateway.url)]);
    expect(code).toBe(0);
    const answer = JSON.parse(masked(stdout));
    expect(answer.choices[0].message.tool_calls[0].function).toEqual({
      name: "get_weather",
      arguments: '{"city":"Lisbon"}',
    });
    expect(JSON.parse(masked(codeBlocks(readme, "json")[0] ?? ""))).toEqual(answer);
  });
});

describe("docs/streaming.md", () => {
  const question = "What is the weather in Lisbon?";
  const tool = {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  };
  const chat = {
    messages: [{ role: "user", content: question }],
    tools: [{ type: "function", function: tool }],
    stream_options: { include_usage: true },
  };
  const responses = { input: question, tools: [{ type: "function", ...tool }] };
  const documented = codeBlocks(read("docs/streaming.md"), "text");

  /** As the page shows it: ids and what repeats the request are left out. */
  function shortened(raw: string): string[] {
    const lines = raw
      .replace(/(?<=_|-)[0-9a-f]{32}\b/g, "ID")
      .replace(
        /"response":{("id":"[^"]+"),.*("status":"\w+"),"completed_at".*("output":\[.*\])}}$/gm,
        '"response":{$1,$2,$3,…}}',
      )
      .replace(/("id":"chatcmpl-ID"),.*"model":"demo",/g, "$1,…,");
    return lines.split("\n").filter((line) => line !== "");
  }

  it.each<[string, number, Api, JsonObject, Record<string, string>]>([
    ["Chat Completions", 0, "chat", chat, {}],
    ["Responses", 1, "responses", responses, {}],
    ["the extended profile", 2, "responses", responses, { "x-toolwire-profile": "extended" }],
  ])("shows the stream of %s as it is", async (_name, block, api, body, headers) => {
    const shown = (documented[block] ?? "")
      .replace(/(?<=_|-)[0-9a-f]{4}…/g, "ID")
      .split("\n")
      .filter((line) => line !== "");
    const { raw } = await ask(gateway, api, { model: "demo", stream: true, ...body }, headers);
    const real = shortened(raw);
    const from = real.indexOf(shown[0] ?? "");
    // The page leaves out the event lines of the profile, and its beginning.
    const part = real.slice(from).filter((line) => shown[0]?.startsWith("event:") || !line.startsWith("event:"));
    expect(shown).toEqual(part);
    expect(shown.at(-1)).toBe("data: [DONE]");
  });
});
