import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { type Dialect, readMessage } from "../../src/dialects/index.ts";
import { codeBlocks } from "./code-blocks.ts";

const page = readFileSync(new URL("../../docs/contributing-a-dialect.md", import.meta.url), "utf8");
const source = fileURLToPath(new URL("../../src/dialects/", import.meta.url));

/** The file that the page shows, as it would work in its place. */
async function loadExample(): Promise<Dialect> {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-dialect-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "example.ts");
  writeFileSync(file, (codeBlocks(page, "ts")[0] ?? "").replaceAll('"../', `"${source}`));
  return (await import(file)).example;
}

it("docs/contributing-a-dialect.md has a dialect that reads what it writes", async () => {
  const example = await loadExample();
  const options = { tools: ["get_weather"], dialects: [example] };
  expect(page).toContain('`<<call get_weather {"city": "Lisbon"}>>`');
  const call = example.write([{ name: "get_weather", arguments: '{"city": "Lisbon"}' }]);
  expect(call).toBe('<<call get_weather {"city": "Lisbon"}>>');
  const unknown = example.write([{ name: "get_time", arguments: "{}" }]);

  const text = `Look:\n${call}\n${unknown}`;
  const whole = readMessage(text, options);
  expect(whole.calls).toMatchObject([{ name: "get_weather", arguments: '{"city":"Lisbon"}', dialect: "example" }]);
  expect(whole.spans).toEqual([
    { kind: "text", text: "Look:\n" },
    { kind: "call", text: call },
    { kind: "text", text: `\n${unknown}` },
  ]);
  expect(whole.rejected).toMatchObject([{ name: "get_time", reason: "unknown_tool" }]);
  expect(readMessage(text.split(""), options)).toEqual(whole);
});
