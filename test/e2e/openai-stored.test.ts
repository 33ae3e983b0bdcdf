import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { bothBackends, startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";
import { clientOf } from "./support/continued.ts";
import { createFolder } from "./support/folder.ts";
import { answer, cities, greeting, question, script, welcome } from "./support/script.ts";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const absent = { status: 404, code: "not_found" };

const folder = createFolder();
let provider: Provider;
let server: RunningServer;
let client: OpenAI;
beforeAll(async () => {
  provider = await startProvider(script);
  server = await startGateway({ ...bothBackends(provider), keys: ["ann-key", "bob-key"], store: folder.store });
  client = clientOf({ url: `${server.url}/v1` }, "ann-key");
});
afterAll(async () => {
  await server.close();
  await provider.close();
  folder.remove();
});

async function all<Entry>(pages: AsyncIterable<Entry>): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of pages) entries.push(entry);
  return entries;
}

describe.each(["chat/talkative", "responses/talkative"])("stored responses of %s", (model) => {
  const tools: OpenAI.Responses.Tool[] = [{ type: "function", name: "get_weather", parameters, strict: false }];

  it.each([true, false])("are retrieved as they were (stream: %s)", async (stream) => {
    const request = { model, input: question, tools, instructions: "Be brief.", metadata: { trip: "north" } };
    const made = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    expect(made).toHaveProperty("store", true);
    const { output: madeOutput, ...madeRest } = JSON.parse(JSON.stringify(made)) as typeof made;
    const { output, ...rest } = await client.responses.retrieve(made.id);
    expect(output).toMatchObject(withoutParsed(madeOutput));
    expect(rest).toMatchObject(withoutParsed(madeRest));
    expect(rest.metadata).toEqual({ trip: "north" });
  });

  it("list everything that the model was given, page by page", async () => {
    const first = await client.responses.create({ model, input: question, tools });
    const calls = first.output.filter((item) => item.type === "function_call");
    const outputs = calls.map(({ call_id, arguments: text }) => ({
      ...{ type: "function_call_output" as const, call_id },
      output: `${(JSON.parse(text) as { city: string }).city}: 21`,
    }));
    const second = await client.responses.create({ model, input: outputs, tools, previous_response_id: first.id });
    expect(second.output_text).toBe(answer);
    const items = await all(client.responses.inputItems.list(second.id, { limit: 2, order: "asc" }));
    expect(items.map(({ type }) => type)).toEqual([
      ...["message", "message", "function_call", "function_call"],
      ...["function_call_output", "function_call_output"],
    ]);
    expect(items.slice(2, 4)).toMatchObject(calls.map(({ id, call_id }) => ({ id, call_id })));
    expect(items.slice(4)).toMatchObject(cities.map((city) => ({ output: `${city}: 21` })));
    const newest = await all(client.responses.inputItems.list(second.id, { limit: 1 }));
    expect(newest).toEqual(items.toReversed());
  });

  it("are deleted, but not what was continued from them", async () => {
    const first = await client.responses.create({ model, input: greeting });
    const second = await client.responses.create({ model, input: greeting, previous_response_id: first.id });
    await client.responses.delete(first.id);
    await expect(client.responses.retrieve(first.id)).rejects.toMatchObject(absent);
    await expect(client.responses.delete(first.id)).rejects.toMatchObject(absent);
    await expect(all(client.responses.inputItems.list(first.id))).rejects.toMatchObject(absent);
    const again = client.responses.create({ model, input: greeting, previous_response_id: first.id });
    await expect(again).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" });
    expect(await all(client.responses.inputItems.list(second.id))).toHaveLength(3);
    const third = await client.responses.create({ model, input: greeting, previous_response_id: second.id });
    expect(third.output_text).toBe(welcome);
  });

  it("are not kept with store: false", async () => {
    const made = await client.responses.create({ model, input: greeting, store: false });
    expect(made).toHaveProperty("store", false);
    await expect(client.responses.retrieve(made.id)).rejects.toMatchObject(absent);
  });
});

describe.each(["chat/plain", "responses/plain"])("stored chat completions of %s", (model) => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: greeting },
    { role: "assistant", content: welcome },
    { role: "user", content: question },
  ];
  const tools: OpenAI.ChatCompletionTool[] = [{ type: "function", function: { name: "get_weather", parameters } }];

  it.each([true, false])("are retrieved as they were (stream: %s)", async (stream) => {
    const request = { model, messages, tools, store: true, metadata: { trip: "south" } };
    const made = stream
      ? await client.chat.completions
          .stream({ ...request, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await client.chat.completions.create(request);
    const kept = await client.chat.completions.retrieve(made.id);
    expect(kept).toMatchObject({
      ...{ id: made.id, object: "chat.completion", model, created: made.created, metadata: { trip: "south" } },
      usage: { prompt_tokens: 40, completion_tokens: 12 },
    });
    const calls = made.choices[0]?.message.tool_calls?.map(({ id }) => ({ id, type: "function" }));
    expect(calls).toHaveLength(2);
    expect(kept.choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { tool_calls: calls } });
  });

  it("are listed by model and metadata, page by page", async () => {
    const metadata = { list: `of ${model}` };
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      const { id } = await client.chat.completions.create({ model, messages, store: true, metadata });
      ids.push(id);
    }
    await client.chat.completions.create({ model, messages, store: true });
    await client.chat.completions.create({ model, messages, metadata });
    const listed = await all(client.chat.completions.list({ metadata, limit: 2 }));
    expect(listed.map(({ id }) => id)).toEqual(ids);
    const newest = await all(client.chat.completions.list({ metadata, model, limit: 2, order: "desc" }));
    expect(newest.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(await all(client.chat.completions.list({ metadata, model: "other" }))).toEqual([]);
    const other = clientOf({ url: `${server.url}/v1` }, "bob-key");
    expect(await all(other.chat.completions.list({ metadata }))).toEqual([]);
  });

  it("have their messages, page by page", async () => {
    const { id } = await client.chat.completions.create({ model, messages, store: true });
    const listed = await all(client.chat.completions.messages.list(id, { limit: 3 }));
    expect(listed.map(({ role, content }) => ({ role, content }))).toEqual(messages);
    expect(new Set(listed.map((message) => message.id)).size).toBe(4);
    const newest = await all(client.chat.completions.messages.list(id, { limit: 1, order: "desc" }));
    expect(newest).toEqual(listed.toReversed());
  });

  it("get other metadata, and are deleted", async () => {
    const { id } = await client.chat.completions.create({ model, messages, store: true, metadata: { a: "1" } });
    expect((await client.chat.completions.update(id, { metadata: { b: "2" } })).metadata).toEqual({ b: "2" });
    expect((await client.chat.completions.retrieve(id)).metadata).toEqual({ b: "2" });
    expect(await client.chat.completions.delete(id)).toMatchObject({ id, deleted: true });
    await expect(client.chat.completions.retrieve(id)).rejects.toMatchObject(absent);
    await expect(client.chat.completions.update(id, { metadata: {} })).rejects.toMatchObject(absent);
    await expect(client.chat.completions.delete(id)).rejects.toMatchObject(absent);
  });

  it("are not kept unless the request says so", async () => {
    const { id } = await client.chat.completions.create({ model, messages });
    await expect(client.chat.completions.retrieve(id)).rejects.toMatchObject(absent);
  });
});

/** Without what the client's own parsing adds. */
function withoutParsed<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value, (key, part) => (/^(?:parsed|parsed_arguments|output_parsed)$/.test(key) ? undefined : part)),
  ) as Value;
}
