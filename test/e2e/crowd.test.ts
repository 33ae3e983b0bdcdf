import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";
import { start } from "../cli/program.ts";
import { createDatabase, findPostgres } from "../store/postgres-server.ts";
import { bothBackends } from "../support/gateway.ts";
import { conversation, type Provider, type Reply, type ScriptRequest, startProvider } from "../support/provider.ts";
import { createFolder } from "./support/folder.ts";

const postgres = await findPostgres();
const numbers = Array.from({ length: 500 }, (_, index) => index);
const ready = /^toolwire listening on (http:\/\/127\.0\.0\.1:\d+)$/;

/** Says what it was told. Some answers take longer than others, as those of models do. */
async function echo({ body }: ScriptRequest): Promise<Reply> {
  const told = conversation(body).flatMap((entry) =>
    entry.kind === "message" ? [`${entry.role}: ${entry.text}`] : [],
  );
  await sleep(Math.random() * 2000);
  return { say: told.join("; "), chunk: 40 };
}

interface CrowdStore {
  url: string;
  remove(): Promise<void> | void;
}

async function onSqlite(): Promise<CrowdStore> {
  const folder = createFolder();
  return { url: folder.store.url, remove: folder.remove };
}

async function onPostgres(): Promise<CrowdStore> {
  const database = await createDatabase(postgres ?? "");
  return { url: database.url, remove: () => database.drop() };
}

describe("500 clients at once, on SQLite", () => describeCrowd(onSqlite));
describe.skipIf(postgres === undefined)("500 clients at once, on Postgres", () => describeCrowd(onPostgres));

function describeCrowd(open: () => Promise<CrowdStore>): void {
  let store: CrowdStore;
  let provider: Provider;
  beforeAll(async () => {
    store = await open();
    provider = await startProvider(echo);
  });
  afterAll(async () => {
    await provider.close();
    await store.remove();
  });

  it("are all answered, and read back and continue what was stored", { timeout: 60_000 }, async () => {
    const config = { ...bothBackends(provider), store: { url: store.url } };
    // JSON is YAML.
    const gateway = start(["serve", "--port", "0"], { files: { "toolwire.yaml": JSON.stringify(config) } });
    const url = (await gateway.line(ready)).replace(ready, "$1/v1/responses");

    const first = await Promise.all(numbers.map((number) => say(url, { number, input: `I am ${number}.` })));
    expect(first).toMatchObject(numbers.map((number) => completed(`user: I am ${number}.`)));
    expect(new Set(first.map(({ id }) => id)).size).toBe(numbers.length);

    // A busy machine may not store every turn in the two seconds that its end waits. Then the answer says so.
    const stored = numbers.filter((number) => first[number]?.store === true);
    expect(stored.length).toBeGreaterThan(numbers.length / 2);
    const idOf = (number: number) => String(first[number]?.id);
    const kept = await Promise.all(stored.map(async (number) => (await fetch(`${url}/${idOf(number)}`)).json()));
    expect(kept).toEqual(stored.map((number) => first[number]));

    const continued = stored.map((number) => say(url, { number, input: "Who am I?", previous: idOf(number) }));
    expect(await Promise.all(continued)).toMatchObject(
      stored.map((number) => completed(`user: I am ${number}.; assistant: user: I am ${number}.; user: Who am I?`)),
    );
  });
}

interface Saying {
  number: number;
  input: string;
  previous?: string;
}

/** The response as its client has it in the end. */
async function say(url: string, { number, input, previous }: Saying): Promise<JsonObject> {
  const model = number % 3 === 0 ? "responses/m" : "chat/m";
  const body = JSON.stringify({ model, input, previous_response_id: previous ?? null, stream: number % 2 === 0 });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const text = await response.text();
  const last = text.startsWith("event:") ? text.split("\n").findLast((line) => line.startsWith("data: {")) : text;
  const json = parseJson(last?.replace(/^data: /, "") ?? "");
  const ended = isObject(json) && isObject(json.response) ? json.response : json;
  return isObject(ended) ? ended : { text };
}

function completed(text: string): JsonObject {
  return { status: "completed", output: [{ content: [{ text }] }] };
}
