import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { createDatabase, findPostgres, type TestDatabase } from "../store/postgres-server.ts";
import { bothBackends, startGateway } from "../support/gateway.ts";
import { conversation, type Provider, startProvider } from "../support/provider.ts";
import { clientOf } from "./support/continued.ts";
import { answer, cities, greeting, question, script, welcome } from "./support/script.ts";

const postgres = await findPostgres();
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools: OpenAI.Responses.Tool[] = [{ type: "function", name: "get_weather", parameters, strict: false }];
const absent = { status: 404, code: "not_found" };

describe.skipIf(postgres === undefined)("two gateways that share a Postgres database", () => {
  let database: TestDatabase;
  let provider: Provider;
  let servers: RunningServer[];
  beforeAll(async () => {
    database = await createDatabase(postgres ?? "");
    provider = await startProvider(script);
    const config = { ...bothBackends(provider), store: { url: database.url } };
    // Both create the tables. Their files have the same keys, in another order and under each other's names.
    servers = await Promise.all([
      startGateway({ ...config, keys: [of("ann", "ann-key"), of("bob", "bob-key")] }),
      startGateway({ ...config, keys: [of("ann", "bob-key"), of("bob", "ann-key")] }),
    ]);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await provider.close();
    await database.drop();
  });

  const of = (name: string, key: string) => ({ name, key });
  const client = (index: number, key = "ann-key") => clientOf({ url: `${servers[index]?.url}/v1` }, key);

  /** What the model was given last. */
  function textsGiven(): string[] {
    const entries = conversation(provider.requests.at(-1)?.body ?? {});
    return entries.flatMap((entry) => (entry.kind === "message" ? [entry.text] : []));
  }

  /** Returns at the moment at which the client is told that the turn is over, and not when the stream ends. */
  async function completed(
    client: OpenAI,
    request: Omit<OpenAI.Responses.ResponseCreateParamsStreaming, "stream">,
  ): Promise<OpenAI.Responses.Response> {
    for await (const event of await client.responses.create({ ...request, stream: true })) {
      if (event.type === "response.completed") return event.response;
    }
    throw new Error("The response was not completed.");
  }

  describe.each(["chat/talkative", "responses/talkative"])("%s", (model) => {
    it.each([0, 1])("is continued on the other one right after its end (begun on %i)", async (begun) => {
      for (let turn = 0; turn < 5; turn++) {
        const first = await completed(client(begun), { model, input: question, tools });
        const calls = first.output.filter((item) => item.type === "function_call");
        const input = calls.map(({ call_id, arguments: text }) => ({
          ...{ type: "function_call_output" as const, call_id },
          output: `${(JSON.parse(text) as { city: string }).city}: 21`,
        }));
        const second = await completed(client(1 - begun), { model, input, tools, previous_response_id: first.id });
        expect(second.output.at(-1)).toMatchObject({ content: [{ text: answer }] });
        const third = await completed(client(begun), { model, input: greeting, previous_response_id: second.id });
        expect(third.output).toMatchObject([{ content: [{ text: welcome }] }]);
      }
      const kinds = conversation(provider.requests.at(-1)?.body ?? {}).map(({ kind }) => kind);
      const round = ["message", "message", ...cities.map(() => "call"), ...cities.map(() => "output")];
      expect(kinds).toEqual([...round, "message", "message"]);
    });

    it("belongs to its key alone, whatever the key is called", async () => {
      const made = await client(0).responses.create({ model, input: question, tools });
      expect((await client(1).responses.retrieve(made.id)).output).toEqual(made.output);
      const requests = provider.requests.length;
      for (const index of [0, 1]) {
        const { responses } = client(index, "bob-key");
        await expect(responses.retrieve(made.id)).rejects.toMatchObject(absent);
        await expect(responses.delete(made.id)).rejects.toMatchObject(absent);
        await expect(responses.inputItems.list(made.id)).rejects.toMatchObject(absent);
        await expect(responses.create({ model, input: greeting, previous_response_id: made.id })).rejects.toMatchObject(
          { status: 400, code: "previous_response_not_found" },
        );
      }
      expect(provider.requests).toHaveLength(requests);
      await client(1).responses.delete(made.id);
      await expect(client(0).responses.retrieve(made.id)).rejects.toMatchObject(absent);
    });

    it("gives its items to nobody else who refers to them", async () => {
      const made = await client(0).responses.create({ model, input: greeting });
      const reference = { type: "item_reference" as const, id: made.output[0]?.id ?? "" };
      const ask = (index: number, key: string) =>
        client(index, key).responses.create({ model, input: [reference, { role: "user", content: greeting }] });
      await ask(1, "ann-key");
      expect(textsGiven()).toEqual([welcome, greeting]);
      for (const index of [0, 1]) {
        await expect(ask(index, "bob-key")).rejects.toMatchObject({ status: 400, code: "item_not_found" });
      }
    });
  });

  it("show a stored chat completion only to its key", async () => {
    const request = { model: "chat/plain", messages: [{ role: "user" as const, content: greeting }], store: true };
    const { id } = await client(0).chat.completions.create({ ...request, metadata: { of: "ann" } });
    expect((await client(1).chat.completions.list()).data.map((entry) => entry.id)).toContain(id);
    for (const index of [0, 1]) {
      const { completions } = client(index, "bob-key").chat;
      await expect(completions.retrieve(id)).rejects.toMatchObject(absent);
      await expect(completions.update(id, { metadata: {} })).rejects.toMatchObject(absent);
      await expect(completions.delete(id)).rejects.toMatchObject(absent);
      await expect(completions.messages.list(id)).rejects.toMatchObject(absent);
      expect((await completions.list()).data).toEqual([]);
      await expect(completions.list({ after: id })).rejects.toMatchObject({ status: 400 });
    }
    expect((await client(1).chat.completions.retrieve(id)).metadata).toEqual({ of: "ann" });
  });

  it("continue a named conversation of one key, and keep those of two keys apart", async () => {
    const say = (index: number, key: string, content: string) =>
      client(index, key).chat.completions.create(
        { model: "chat/plain", messages: [{ role: "user", content }] },
        { headers: { "x-toolwire-conversation": "holidays" } },
      );
    await say(0, "ann-key", greeting);
    await say(0, "bob-key", question);
    await say(1, "ann-key", "Where to?");
    expect(textsGiven()).toEqual([greeting, welcome, "Where to?"]);
  });
});
