import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import { FlakyProxy } from "../store/flaky-proxy.ts";
import { createDatabase, findPostgres, type TestDatabase } from "../store/postgres-server.ts";
import { type Answer, ask, bothBackends, startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";
import { findBinaries, type PostgresCluster, startCluster } from "./support/postgres-cluster.ts";
import { greeting, script, welcome } from "./support/script.ts";

const postgres = await findPostgres();
const binaries = findBinaries();

let provider: Provider;
beforeAll(async () => {
  provider = await startProvider(script);
});
afterAll(() => provider.close());

interface TurnOutcome {
  answer: Answer;
  /** What the client was told in the terminal form. */
  isStored: boolean;
  id: string;
}

async function say(gateway: RunningServer, more: JsonObject = {}): Promise<TurnOutcome> {
  const body = { model: "chat/plain", input: greeting, ...more };
  const answer = await ask(gateway, "responses", body);
  const response = isObject(answer.json) ? answer.json : {};
  return { answer, isStored: response.store === true, id: String(response.id) };
}

/** Twenty turns a second, every other one streamed, until the test has done what it does meanwhile. */
async function underLoad(gateway: RunningServer, meanwhile: () => Promise<void>): Promise<TurnOutcome[]> {
  const turns: Promise<TurnOutcome>[] = [];
  const timer = setInterval(() => turns.push(say(gateway, { stream: turns.length % 2 === 0 })), 50);
  try {
    await meanwhile();
  } finally {
    clearInterval(timer);
  }
  return Promise.all(turns);
}

async function expectAnswered(gateway: RunningServer, turns: readonly TurnOutcome[]): Promise<void> {
  for (const { answer, isStored } of turns) {
    expect(answer).toMatchObject({ status: 200, text: welcome });
    if (!answer.streamed) expect(answer.headers.get("x-toolwire-store")).toBe(isStored ? null : "failed");
  }
  await expectStored(gateway, turns);
}

/** Whatever a client was told is stored is there. */
async function expectStored(gateway: RunningServer, turns: readonly TurnOutcome[]): Promise<void> {
  const stored = turns.filter(({ isStored }) => isStored);
  const found = await Promise.all(
    stored.map(async ({ id }) => (await fetch(`${gateway.url}/v1/responses/${id}`)).status),
  );
  expect(found).toEqual(stored.map(() => 200));
}

/** Without a restart of the gateway turns are stored again, and earlier ones can be continued. */
async function expectRecovered(gateway: RunningServer, turns: readonly TurnOutcome[]): Promise<void> {
  await vi.waitFor(async () => expect(await say(gateway)).toHaveProperty("isStored", true), { timeout: 10_000 });
  const last = turns.findLast(({ isStored }) => isStored);
  const continued = await say(gateway, { previous_response_id: last?.id ?? null });
  expect(continued).toMatchObject({ isStored: true, answer: { status: 200 } });
  expect(await (await fetch(`${gateway.url}/ready`)).text()).not.toContain("postgres://");
}

describe.skipIf(postgres === undefined)("a gateway whose connections to Postgres are ended again and again", () => {
  let database: TestDatabase;
  let gateway: RunningServer;
  beforeAll(async () => {
    database = await createDatabase(postgres ?? "");
    gateway = await startGateway({ ...bothBackends(provider), store: { url: database.url } });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  it("answers every request, loses nothing that it called stored, and recovers", async () => {
    let ended = 0;
    const turns = await underLoad(gateway, async () => {
      for (let time = 0; time < 15; time++) {
        await sleep(200);
        ended += await database.endConnections();
      }
    });
    expect(ended).toBeGreaterThan(0);
    expect(turns.length).toBeGreaterThan(30);
    await expectAnswered(gateway, turns);
    await expectRecovered(gateway, turns);
  });
});

describe.skipIf(postgres === undefined)("a gateway whose Postgres stops and starts", () => {
  let server: PostgresCluster;
  let gateways: RunningServer[];
  beforeAll(async () => {
    server = binaries === undefined ? await behindProxy(postgres ?? "") : await startCluster(binaries);
    const config = (required: boolean) => ({ ...bothBackends(provider), store: { url: server.url, required } });
    gateways = await Promise.all([startGateway(config(false)), startGateway(config(true))]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await server.remove();
  });

  it("answers every request, loses nothing that it called stored, and recovers", async () => {
    const [gateway] = gateways;
    if (!gateway) throw new Error("no gateway");
    const turns = await underLoad(gateway, async () => {
      await sleep(1000);
      await server.crash();
      await sleep(1500);
      await server.start();
      await sleep(2000);
    });
    await expectAnswered(gateway, turns);
    expect(turns.some(({ isStored }) => !isStored)).toBe(true);
    expect(turns.at(-1)).toHaveProperty("isStored", true);
    await expectRecovered(gateway, turns);
  });

  it("answers nothing that it cannot store, with store.required", async () => {
    const [, gateway] = gateways;
    if (!gateway) throw new Error("no gateway");
    const turns = await underLoad(gateway, async () => {
      await sleep(500);
      await server.crash();
      await sleep(500);
      const unstored = await say(gateway, { store: false });
      expect(unstored).toMatchObject({ isStored: false, answer: { status: 200 } });
      await server.start();
      await sleep(1500);
    });
    const refused = turns.filter(({ answer }) => answer.status !== 200 || answer.error !== null);
    expect(refused.length).toBeGreaterThan(0);
    for (const { answer } of refused) expect(answer.error).toMatchObject({ code: "store_unavailable" });
    const answered = turns.filter((turn) => !refused.includes(turn));
    for (const { isStored } of answered) expect(isStored).toBe(true);
    await expectStored(gateway, answered);
    await expectRecovered(gateway, answered);
  });
});

/** Without the programs of a server, its connections are cut and new ones refused. */
async function behindProxy(postgres: string): Promise<PostgresCluster> {
  const database = await createDatabase(postgres);
  const proxy = new FlakyProxy(database.url);
  await proxy.listen();
  return {
    url: proxy.url,
    start: () => proxy.listen(),
    crash: () => proxy.stop(),
    async remove() {
      await proxy.stop();
      await database.drop();
    },
  };
}
