import { APIError } from "openai";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isObject, parseJson } from "../../src/turn/index.ts";
import { run, start } from "../cli/program.ts";
import { createDatabase, findPostgres, type TestDatabase } from "../store/postgres-server.ts";
import { objectsOf } from "../support/folded.ts";
import { bothBackends } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";
import { clientOf } from "./support/continued.ts";
import { greeting, script, welcome } from "./support/script.ts";

const postgres = await findPostgres();
const ready = /^toolwire listening on (http:\/\/127\.0\.0\.1:\d+)$/;
const within10s = { timeout: 10_000, interval: 200 };

describe.skipIf(postgres === undefined)("two processes that share a Postgres database", () => {
  let database: TestDatabase;
  let provider: Provider;
  beforeAll(async () => {
    database = await createDatabase(postgres ?? "");
    provider = await startProvider(script);
  });
  afterAll(async () => {
    await provider.close();
    await database.drop();
  });

  it("start at once on an empty database, have the same keys, and count usage together", async () => {
    const config = {
      ...bothBackends(provider),
      store: { url: database.url },
      keys: [{ name: "file", key: "file-key" }],
    };
    // JSON is YAML.
    const files = { "toolwire.yaml": JSON.stringify(config) };
    const gateways = [0, 1].map(() => start(["serve", "--port", "0"], { files }));
    const urls = await Promise.all(gateways.map(async ({ line }) => (await line(ready)).replace(ready, "$1/v1")));

    const created = await run(["keys", "create", "ci"], { files });
    expect(created).toMatchObject({ code: 0 });
    const clients = urls.map((url) => clientOf({ url }, created.stdout.trim()));
    const say = (index: number, previous: string | null = null) => {
      const request = { model: "chat/plain", input: greeting, previous_response_id: previous };
      return clients[index]?.responses.create(request) ?? Promise.reject(new Error("no such client"));
    };
    const statuses = () => Promise.all(clients.map((_client, index) => statusOf(say(index))));
    await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200]), within10s);

    let previous: string | null = null;
    for (let turn = 0; turn < 10; turn++) {
      const response = await say(turn % 2, previous);
      expect(response.output_text).toBe(welcome);
      previous = response.id;
    }
    await vi.waitFor(async () => expect(await requestsOf("ci")).toBe(provider.requests.length), within10s);

    expect(await run(["keys", "revoke", "ci"], { files })).toMatchObject({ code: 0 });
    await vi.waitFor(async () => expect(await statuses()).toEqual([401, 401]), within10s);
    const others = urls.map((url) => clientOf({ url }, "file-key").responses.retrieve(previous ?? ""));
    expect(await Promise.all(others.map(statusOf))).toEqual([404, 404]);

    for (const { child } of gateways) child.kill("SIGTERM");
    for (const { finished } of gateways) expect(await finished).toMatchObject({ code: 0, stderr: "" });

    async function requestsOf(name: string): Promise<unknown> {
      const { stdout } = await run(["keys", "list", "--json"], { files });
      const key = objectsOf(parseJson(stdout)).find((entry) => entry.name === name);
      return isObject(key?.last_30_days) ? key.last_30_days.requests : undefined;
    }
  });
});

async function statusOf(answer: Promise<unknown>): Promise<number> {
  try {
    await answer;
    return 200;
  } catch (error) {
    return error instanceof APIError ? (error.status ?? 0) : 0;
  }
}
