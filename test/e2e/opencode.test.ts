import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { Api } from "../support/api.ts";
import { bothBackends, startGateway } from "../support/gateway.ts";
import {
  conversation,
  offeredTools,
  type Provider,
  type Reply,
  type ScriptRequest,
  startProvider,
} from "../support/provider.ts";
import { opencode, opencodeConfig, opencodeVersion } from "./support/opencode.ts";

const note = "Köln: 21°\n東京: 21°\n";
const reason = "This model is not for you.";

/** A model that writes a note, looks at it and counts at the same time, and repeats the last thing that it was told. */
function scribe({ model, body }: ScriptRequest): Reply {
  if (model === "refusing") {
    return {
      status: 400,
      body: { error: { message: reason, type: "invalid_request_error", param: null, code: null } },
    };
  }
  // Beside the turns there is a request without tools, for the title of the session.
  if (offeredTools(body).length === 0) return { say: "A note" };
  const outputs = conversation(body).flatMap((entry) => (entry.kind === "output" ? [entry.text] : []));
  if (outputs.length === 0) {
    const writing = call("write", { filePath: "note.txt", content: note });
    return { say: "I write it down.", calls: [writing], chunk: 5 };
  }
  if (outputs.length === 1) {
    const reading = call("read", { filePath: "note.txt" });
    const counting = call("bash", { command: "echo $((40 + 2)) lines", description: "Counts" });
    return { think: "Is it there?", calls: [reading, counting], interleave: true, chunk: 3 };
  }
  return { say: `Final: ${outputs.at(-1)?.trim()}.`, chunk: 3 };
}

function call(name: string, input: object): { name: string; arguments: string } {
  return { name, arguments: JSON.stringify(input) };
}

let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(scribe);
  gateway = await startGateway(bothBackends(provider));
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

/** A run in a folder of its own. */
async function runOn(api: Api, model: string) {
  provider.requests.length = 0;
  const client = opencode(opencodeConfig(gateway, api, [model]));
  onTestFinished(client.remove);
  return { folder: client.folder, ...(await client.run(model, "Note the weather.")) };
}

const pairs: [api: Api, backend: Api][] = [
  ["chat", "chat"],
  ["chat", "responses"],
  ["responses", "chat"],
  ["responses", "responses"],
];

describe.each(pairs)("opencode run, %s → %s", (api, backend) => {
  const cell = { client: `opencode-ai ${opencodeVersion}`, mode: "`opencode run`", pair: `${api} → ${backend}` };

  it("runs its own tools over three turns and prints the answer", { meta: { cell }, timeout: 60_000 }, async () => {
    const { folder, code, output, errors } = await runOn(api, `${backend}/scribe`);
    expect(output, errors).toBe("I write it down.\nFinal: 42 lines.\n");
    expect(code).toBe(0);
    expect(readFileSync(join(folder, "note.txt"), "utf8")).toBe(note);

    const turns = provider.requests.filter(({ body }) => offeredTools(body).length > 0);
    expect(turns).toHaveLength(3);
    const last = conversation(turns.at(-1)?.body ?? {});
    const calls = last.filter((entry) => entry.kind === "call");
    const outputs = last.filter((entry) => entry.kind === "output");
    expect(calls.map(({ name }) => name)).toEqual(["write", "read", "bash"]);
    expect(outputs.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(outputs.map(({ text }) => text)).toEqual([
      expect.stringContaining("Wrote file successfully"),
      expect.stringContaining("東京: 21°"),
      "42 lines\n",
    ]);
  });
});

describe("opencode run", () => {
  it("prints why the provider refused", { timeout: 60_000 }, async () => {
    const { output, errors, code } = await runOn("chat", "chat/refusing");
    expect(errors).toContain(reason);
    expect(output).toBe("");
    expect(code).toBe(1);
  });
});
