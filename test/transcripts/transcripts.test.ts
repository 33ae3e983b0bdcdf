import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { type Answer, ask, followUp, paths, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";
import { type Scene, scenes } from "./scenes.ts";

/**
 * What goes over each wire in a conversation with a backend that has no tools, written down. `npm run transcripts` writes it
 * anew; whoever does that reads the difference.
 */
let says: string[] = [];
let said: string[] = [];
let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(() => {
    const say = says.shift() ?? "The scene is over.";
    said.push(say);
    return { say, chunk: 24 };
  });
  const backend = { kind: "chat", base_url: provider.url, tools: "prompted", retries: 0, ids: "sequential" };
  gateway = await startGateway({
    backends: { text: backend },
    models: {
      plain: { backend: "text", model: "m" },
      says: { backend: "text", model: "m", strict_failure: "message" },
      reask: { backend: "text", model: "m", reask: 1 },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

async function play(api: Api, stream: boolean, { model = "plain", wish, results = [], ...scene }: Scene) {
  says = [...scene.says];
  said = [];
  const writer = new Transcript();
  const after: JsonObject[] = [];
  for (const answers of [...results, undefined]) {
    const request = requestFor(api, { model, stream, ...wish, after });
    provider.requests.length = 0;
    const answer = await ask(gateway, api, request, {}, { usageUnknown: true });
    writer.add(`The client asks: POST ${paths[api]}`, request);
    for (const { path, body } of provider.requests) {
      writer.add(`The backend is asked: POST ${path}`, body);
      writer.said(said.shift() ?? "");
    }
    writer.answer(answer);
    if (answers) after.push(...followUp(api, answer, answers));
  }
  return writer.text;
}

/** Ids and times are told apart, but not what they are. */
class Transcript {
  readonly #ids = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  text = "";

  add(title: string, body: JsonObject): void {
    this.text += this.#settle(`# ${title}\n${JSON.stringify(body, null, 2)}\n\n`);
  }

  said(text: string): void {
    this.text += `# The model writes\n${text}\n\n`;
  }

  answer({ status, streamed, raw }: Answer): void {
    const body = streamed ? raw.trimEnd() : JSON.stringify(JSON.parse(raw), null, 2);
    this.text += this.#settle(`# The client gets: ${status}${streamed ? ", a stream" : ""}\n${body}\n\n`);
  }

  #settle(text: string): string {
    return text
      .replace(/"(created|created_at|completed_at)":( ?)\d+/g, '"$1":$20')
      .replace(/\b(resp|msg|call|chatcmpl)([_-])[0-9A-Za-z_]{20,}/g, (id, prefix: string, mark: string) => {
        const known = this.#ids.get(id);
        if (known !== undefined) return known;
        const count = (this.#counts.get(prefix) ?? 0) + 1;
        this.#counts.set(prefix, count);
        this.#ids.set(id, `${prefix}${mark}${count}`);
        return `${prefix}${mark}${count}`;
      });
  }
}

describe.each(Object.entries(scenes))("the scene %s", (name, scene) => {
  it.each([
    ["chat", true],
    ["chat", false],
    ["responses", true],
    ["responses", false],
  ] as const)("is as it was written down: %s, stream %s", async (api, stream) => {
    const file = `./${name}/${api}-${stream ? "stream" : "whole"}.txt`;
    await expect(await play(api, stream, scene)).toMatchFileSnapshot(file);
  });
});
