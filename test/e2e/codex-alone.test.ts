import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { objectsOf } from "../support/folded.ts";
import { ask, followUp, requestFor } from "../support/gateway.ts";
import { conversation, type Provider, type ScriptRequest, startProvider, type TurnReply } from "../support/provider.ts";
import { type CodexGateway, startCodexGateway } from "./support/codex.ts";
import { codexProcesses } from "./support/codex-processes.ts";
import { parameters } from "./support/codex-trip.ts";
import { again, onlyAnswered, onlyRequest, upstreamMessages, upstreamTools } from "./support/codex-upstream.ts";

const tools = [{ name: "get_weather", description: "Weather now", parameters }];
const rome = { name: "get_weather", arguments: '{"city":"Rome"}' };
const models = ["codex", "codex/fake-model", "codex/gpt-5.5", "codex/gpt-6.1-sol"];
/** Every word of the home that could reach a model. */
const words = /HOSTILE/i;

/** What a person who uses Codex for coding has in its home, and worse. */
function hostileHome(marks: string): { more: string; files: Record<string, string> } {
  const touch = (name: string) => `["-c", "touch ${join(marks, name)}; cat"]`;
  return {
    more: `instructions = "HOSTILE instructions"
developer_instructions = "HOSTILE developer instructions"
compact_prompt = "HOSTILE compact prompt"
notify = ["/bin/sh", "-c", "touch ${join(marks, "notified")}"]
model_reasoning_effort = "high"
personality = "friendly"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
web_search = "live"

[tools]
web_search = true

[features]
multi_agent = true
goals = true
memories = true

[mcp_servers.evil]
command = "/bin/sh"
args = ${touch("mcp")}

[mcp_servers."evil.two"]
command = "/bin/sh"
args = ${touch("mcp-two")}
required = true
`,
    files: {
      "AGENTS.md": "HOSTILE agents of the home",
      "AGENTS.override.md": "HOSTILE agents of the home, over the others",
      "skills/foo/SKILL.md": "---\nname: foo\ndescription: HOSTILE skill\n---\nHOSTILE",
      "prompts/foo.md": "HOSTILE prompt",
      "memories/memory_summary.md": "HOSTILE memory",
    },
  };
}

/** Hears whom Codex would like to talk to beside its provider. */
async function startProxy(heard: string[]): Promise<Server> {
  const proxy = createServer((request, response) => {
    heard.push(String(request.url));
    response.writeHead(502).end();
  });
  proxy.on("connect", (request, socket) => {
    heard.push(String(request.url));
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return proxy;
}

/** What the model does, unless it answers as it is asked. */
let reply: TurnReply | undefined;
const heard: string[] = [];
const before = process.cwd();
let folder: string;
let proxy: Server;
let provider: Provider;
let gateway: CodexGateway;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "toolwire-codex-alone-"));
  proxy = await startProxy(heard);
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]) {
    vi.stubEnv(name, url);
    vi.stubEnv(name.toLowerCase(), url);
  }
  vi.stubEnv("NO_PROXY", "127.0.0.1");
  vi.stubEnv("no_proxy", "127.0.0.1");
  // Toolwire may be started in a project of somebody's.
  const project = join(folder, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(join(project, ".codex"));
  writeFileSync(join(project, "AGENTS.md"), "HOSTILE agents of the project");
  writeFileSync(join(project, ".codex", "config.toml"), 'developer_instructions = "HOSTILE project"\n');
  process.chdir(project);
  provider = await startProvider(({ body }: ScriptRequest) => {
    if (reply) return provider.requests.length === 1 ? reply : again;
    const entries = conversation(body);
    return entries.some(({ kind }) => kind === "output") || upstreamTools(body).length === 0
      ? { say: "Done." }
      : { calls: [rome] };
  });
  gateway = await startCodexGateway(provider, hostileHome(folder));
});
afterAll(async () => {
  process.chdir(before);
  await gateway.close();
  await provider.close();
  proxy.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  provider.requests.length = 0;
  reply = undefined;
});

/** Nothing is in the request that the client did not send. */
function expectOnly(body: JsonObject, messages: [string, string][], offered: JsonObject[]): void {
  expect(JSON.stringify(body)).not.toMatch(words);
  expect(body.instructions ?? "").toBe("");
  expect(upstreamMessages(body)).toEqual(messages);
  expect(upstreamTools(body)).toEqual(offered.map((tool) => ({ type: "function", strict: false, ...tool })));
  const known = new Set(["message", "function_call", "function_call_output", "additional_tools"]);
  expect(objectsOf(body.input).filter(({ type }) => !known.has(String(type)))).toEqual([]);
}

describe.each(models)("the model %s behind a home that is full of things", (model) => {
  it("is asked with the client's messages and tools, and with nothing else", async () => {
    const wish = { model, tools, system: "Be brief.", prompt: "The weather in Rome?" };
    const said: [string, string][] = [
      ["developer", "Be brief."],
      ["user", "The weather in Rome?"],
    ];
    const first = await ask(gateway, "chat", requestFor("chat", { ...wish, stream: true }));
    expect(first.calls).toMatchObject([rome]);
    const asked = await onlyRequest(provider);
    expect(asked.model).toBe(model.replace(/^codex\/?/, "") || "fake-model");
    expectOnly(asked, said, tools);

    provider.requests.length = 0;
    const after = followUp("chat", first, ["sunny"]);
    expect((await ask(gateway, "chat", requestFor("chat", { ...wish, after }))).text).toBe("Done.");
    expectOnly(await onlyRequest(provider), said, tools);
  });

  it("is asked with no tools at all where the client has none", async () => {
    const body = requestFor("responses", { model, prompt: "Hello.", stream: true });
    expect((await ask(gateway, "responses", body)).text).toBe("Done.");
    expectOnly(await onlyRequest(provider), [["user", "Hello."]], []);
  });
});

/** What a model may try that has been trained with Codex, though it is offered nothing of this. */
const attempts: NonNullable<TurnReply["calls"]> = [
  { name: "exec_command", arguments: '{"cmd":"touch MARK"}' },
  { name: "shell_command", arguments: '{"command":"touch MARK"}' },
  { name: "shell", arguments: '{"command":["touch","MARK"]}' },
  { name: "write_stdin", arguments: '{"session_id":1,"chars":"touch MARK"}' },
  { name: "apply_patch", arguments: "*** Begin Patch\n*** Add File: MARK\n+x\n*** End Patch", kind: "custom" },
  { name: "exec", arguments: 'await tools.exec_command({cmd:"touch MARK"})', kind: "custom" },
  { name: "view_image", arguments: '{"path":"/etc/hostname"}' },
  { name: "update_plan", arguments: '{"plan":[]}' },
  { name: "request_user_input", arguments: '{"questions":[]}' },
  { name: "spawn_agent", arguments: '{"message":"Touch MARK"}' },
];

describe("a model that tries the tools of Codex itself", () => {
  it.each(attempts)("has nothing run: $name", async ({ name, arguments: text, kind }) => {
    const mark = join(folder, `mark-${name}`);
    reply = { calls: [{ name, arguments: text.replaceAll("MARK", mark), ...(kind && { kind }) }] };
    const answer = await ask(gateway, "responses", requestFor("responses", { model: "codex", tools, stream: true }));
    expect(answer.calls).toMatchObject([{ name, arguments: text.replaceAll("MARK", mark) }]);
    await onlyAnswered(provider);
    expect(existsSync(mark)).toBe(false);
  });
});

describe("a home that is full of things", () => {
  it("starts nothing of them: no MCP server, no notification", async () => {
    await ask(gateway, "chat", requestFor("chat", { model: "codex" }));
    await sleep(1_000);
    expect(codexProcesses().length).toBeGreaterThan(0);
    expect(["mcp", "mcp-two", "notified"].filter((name) => existsSync(join(folder, name)))).toEqual([]);
  });

  it("is left as it is: no session, no history", () => {
    const traces = ["sessions", "archived_sessions", "history.jsonl"];
    expect(traces.filter((name) => existsSync(join(gateway.home.folder, name)))).toEqual([]);
  });

  it("lets Codex talk to nobody but the provider", () => {
    expect(heard).toEqual([]);
  });
});
