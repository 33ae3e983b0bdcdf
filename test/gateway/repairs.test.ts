import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { type JsonObject, parseJson } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, startProvider } from "../support/provider.ts";
import { chatArguments } from "./odd/chat-arguments.ts";
import { chatEnds, chatWholes } from "./odd/chat-ends.ts";
import { chatIds } from "./odd/chat-ids.ts";
import { chatIndexes } from "./odd/chat-indexes.ts";
import { chatNames } from "./odd/chat-names.ts";
import { type OddAnswer, tools } from "./odd/forms.ts";
import { responsesParts, responsesWholes } from "./odd/responses-parts.ts";
import { responsesPlaces } from "./odd/responses-places.ts";

const folder = mkdtempSync(join(tmpdir(), "toolwire-repairs-"));
const file = join(folder, "events.ndjson");
let reply: Reply;
let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(() => reply);
  gateway = await startGateway({ ...bothBackends(provider), telemetry: { events: file } });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

let requests = 0;

async function play(client: Api, backend: Api, stream: boolean, { reply: odd, wish }: OddAnswer) {
  reply = odd;
  const id = `request-${++requests}`;
  const body = requestFor(client, { model: `${backend}/odd`, tools, stream, ...wish });
  const answer = await ask(gateway, client, body, { "x-request-id": id });
  return { answer, events: await eventsOf(id) };
}

/** The events of a turn; they are written a moment after it. */
function eventsOf(id: string): Promise<JsonObject[]> {
  return vi.waitFor(() => {
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const events = lines.map((line) => parseJson(line) as JsonObject).filter((event) => event.request_id === id);
    expect(events.at(-1)?.event).toBe("turn_finished");
    return events;
  });
}

async function check(client: Api, backend: Api, stream: boolean, odd: OddAnswer): Promise<void> {
  const { answer, events } = await play(client, backend, stream, odd);
  expect(answer).toMatchObject({ calls: odd.calls, ended: "completed", text: odd.text ?? "" });
  expect(answer.calls).toHaveLength(odd.calls.length);
  if (client === "chat") expect(answer.finish).toBe(odd.calls.length > 0 ? "tool_calls" : "stop");
  const repairs = events.filter(({ event }) => event === "call_repaired" || event === "arguments_repaired");
  expect(repairs.map(({ kind }) => kind).sort()).toEqual(odd.repairs.toSorted());
  expect(events.at(-1)).toMatchObject({ repairs: odd.repairs.length, calls: odd.calls.length });
}

const forms = (["chat", "responses"] as const).flatMap((client) =>
  [true, false].map((stream): [Api, string, boolean] => [client, stream ? "stream" : "whole answer", stream]),
);

describe.each(forms)("a %s client gets right calls, in a %s, when a chat provider", (client, _form, stream) => {
  const cases = { ...chatIds, ...chatIndexes, ...chatNames, ...chatArguments, ...chatEnds, ...chatWholes };
  it.each(Object.entries(cases))("%s", (_name, odd) => check(client, "chat", stream, odd));
});

describe.each(forms)("a %s client gets right calls, in a %s, when a Responses provider", (client, _form, stream) => {
  const cases = { ...responsesPlaces, ...responsesParts, ...responsesWholes };
  it.each(Object.entries(cases))("%s", (_name, odd) => check(client, "responses", stream, odd));
});

describe("an event of a repair", () => {
  it("has its kind and the call that it is about", async () => {
    const { events, answer } = await play("chat", "chat", true, chatIndexes["gives index 0 to all calls"] as OddAnswer);
    const [, second, third] = answer.calls;
    expect(events.filter(({ event }) => event === "call_repaired")).toMatchObject([
      { kind: "shared_index", id: second?.id, name: "refresh" },
      { kind: "shared_index", id: third?.id, name: "get_time" },
    ]);
    expect(events.find(({ event }) => event === "arguments_repaired")).toMatchObject({
      what: "arguments_empty",
      kind: "arguments_empty",
      id: second?.id,
      name: "refresh",
    });
  });

  it("is about no call where the finish reason was mended", async () => {
    const { events } = await play(
      "responses",
      "chat",
      true,
      chatEnds["says tool_calls although there are none"] as OddAnswer,
    );
    expect(events.find(({ event }) => event === "call_repaired")).toMatchObject({ kind: "finish_reason", id: null });
  });
});
