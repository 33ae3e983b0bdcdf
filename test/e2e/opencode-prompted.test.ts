import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startGateway } from "../support/gateway.ts";
import { conversation, type Reply, type ScriptRequest, startProvider } from "../support/provider.ts";
import { opencode, opencodeConfig } from "./support/opencode.ts";

const catalog = "# CLIENT TOOL CATALOG";
const note = 'It said: "<b>21°</b>"\n\tand 東京.\n';
const record = /\[function_call_output call_id="[^"]*" output=("(?:[^"\\]|\\.)*")\]/g;

/** A model that knows only text: it calls as the catalog in its prompt says, one tool a turn. */
function textModel({ body }: ScriptRequest): Reply {
  const text = conversation(body)
    .map((entry) => ("text" in entry ? entry.text : ""))
    .join("\n");
  if (body.tools !== undefined) return { status: 400 };
  // The request for the title of the session has no tools, so there is no catalog in it.
  if (!text.includes(catalog)) return { say: "A note" };
  const results = [...text.matchAll(record)].map(([, output = '""']) => String(JSON.parse(output)));
  if (results.length === 0)
    return { say: `I write it down.\n${block("write", { filePath: "note.txt", content: note })}` };
  if (results.length === 1) return { say: block("read", { filePath: "note.txt" }), chunk: 3 };
  return { say: `Final: ${/東京/.exec(results.join("\n"))?.[0]} is there.`, chunk: 3 };
}

function block(name: string, input: object): string {
  return `<tool_call>${JSON.stringify({ name, arguments: input })}</tool_call>`;
}

it("opencode runs its own tools where the model writes its calls as text", { timeout: 60_000 }, async () => {
  const provider = await startProvider(textModel);
  onTestFinished(provider.close);
  const words = { kind: "chat", base_url: provider.url, tools: "prompted" };
  const gateway = await startGateway({ backends: { words } });
  onTestFinished(gateway.close);
  const client = opencode(opencodeConfig(gateway, "chat", ["words/m"]));
  onTestFinished(client.remove);

  const { code, output, errors } = await client.run("words/m", "Note the weather.");
  expect(output, errors).toBe("I write it down.\nFinal: 東京 is there.\n");
  expect(code).toBe(0);
  expect(readFileSync(join(client.folder, "note.txt"), "utf8")).toBe(note);
  expect(provider.requests.filter(({ body }) => JSON.stringify(body).includes(catalog))).toHaveLength(3);
});
