import { afterAll, beforeAll } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject, JsonValue } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { createEventsFile, type EventsFile } from "../support/events-file.ts";
import { type Answer, type AskOptions, ask, bothBackends, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, type Script, startProvider } from "../support/provider.ts";

export const patch = '*** Begin Patch\n+say "日本 😀"\\n\n*** End Patch\n';
export const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };

/** What a client with tools of every kind offers, as Responses has it. */
export const tools: JsonObject[] = [
  { type: "function", name: "look", parameters: path },
  { type: "custom", name: "apply_patch", description: "Edits files.", format: { type: "text" } },
  {
    type: "namespace",
    name: "files",
    description: "The user's files.",
    tools: [
      { type: "function", name: "read", parameters: path },
      { type: "custom", name: "edit" },
    ],
  },
  { type: "namespace", name: "mail", description: "", tools: [{ type: "function", name: "read", parameters: path }] },
  { type: "tool_search", execution: "client", description: "Finds tools." },
];

export const input = (text: string) => JSON.stringify({ input: text });

/** A call as the catalog of a prompted backend teaches it. */
export function sentinel(name: string, text: string): string {
  return `<tool_call>${JSON.stringify({ name, arguments: text })}</tool_call>`;
}

interface Called {
  id?: string;
  name: string;
  arguments: string;
}

/** The same calls, by a provider that has them and by one whose model writes them. */
export function replyWith(model: string, ...calls: Called[]): Reply {
  if (!model.startsWith("prompted")) return { calls };
  return { say: calls.map(({ name, arguments: text }) => sentinel(name, text)).join("\n") };
}

export interface Played {
  answer: Answer;
  id: string;
  /** The bodies of the requests that the provider got. */
  asked: JsonObject[];
}

interface PlayOptions extends AskOptions {
  headers?: Record<string, string>;
}

export interface Stage {
  readonly provider: Provider;
  readonly gateway: RunningServer;
  readonly events: EventsFile;
  /** Sends a request, and answers each question of it with the next of the replies, the last of them again and again. */
  play(api: Api, body: JsonObject, replies: Reply | Reply[] | Script, options?: PlayOptions): Promise<Played>;
}

/** One provider behind backends of every kind, for the tests of a file. */
export function onStage(): Stage {
  let provider: Provider;
  let gateway: RunningServer;
  let script: Script;
  let count = 0;
  const events = createEventsFile();
  beforeAll(async () => {
    provider = await startProvider((request) => script(request));
    const { backends } = bothBackends(provider) as { backends: { chat: JsonObject; responses: JsonObject } };
    gateway = await startGateway({
      backends: { ...backends, prompted: { ...backends.chat, tools: "prompted" } },
      models: {
        numbered: { backend: "chat", model: "m", ids: "sequential" },
        unmended: { backend: "chat", model: "m", repair: false },
        reask: { backend: "chat", model: "m", reask: 1 },
        retried: { backend: "chat", model: "m", retries: 1 },
        either: { backend: "responses", model: "first", fallback: ["chat/second", "prompted/third"] },
        "prompted-first": { backend: "prompted", model: "first", fallback: ["responses/second"] },
      },
      tools: { enabled: false },
      telemetry: { events: events.path },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
    events.remove();
  });
  return {
    get provider() {
      return provider;
    },
    get gateway() {
      return gateway;
    },
    events,
    async play(api, body, replies, { headers, ...options } = {}) {
      const list = typeof replies === "function" ? [] : [replies].flat();
      let next = 0;
      script = (request) => {
        if (typeof replies === "function") return replies(request);
        const reply = list[Math.min(next++, list.length - 1)] ?? {};
        return "say" in reply || "calls" in reply ? { chunk: 3, ...reply } : reply;
      };
      provider.requests.length = 0;
      const id = `form-${++count}`;
      const answer = await ask(
        gateway,
        api,
        body,
        { ...headers, "x-request-id": id },
        { usageUnknown: true, ...options },
      );
      return { answer, id, asked: provider.requests.map((request) => request.body) };
    },
  };
}

/** A Responses request with all tools, unless it says otherwise. */
export function request(model: string, more: JsonObject = {}): JsonObject {
  return { model, input: "Do it.", tools, ...more };
}

export function toolNames(body: JsonObject | undefined): JsonValue[] {
  const list = (body?.tools ?? []) as JsonObject[];
  return list.map((tool) => ((tool.function ?? tool.custom ?? tool) as JsonObject).name ?? tool.type ?? null);
}

export function typesOf({ events }: Answer): string[] {
  return events.map(({ type }) => String(type));
}
