import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { Api } from "../support/api.ts";
import { bytesOf } from "../support/arbitraries.ts";
import { type Answer, ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, startProvider } from "../support/provider.ts";
import { byTurns, piecesOf, type ScriptedCall, type ScriptedTurn } from "../support/scripted-turn.ts";
import { exchanges } from "./cells.ts";
import { tools } from "./wire.ts";

const clients = 300;
const leavers = 40;

/** A turn that no other client has: its number stands in every word, thought and argument of it. */
function turnOf(number: number): ScriptedTurn {
  const mark = (kind: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${kind}${number}.${at} 日本`).join(" ");
  const calls = Array.from(
    { length: Math.floor(number / 4) % 4 },
    (_, at): ScriptedCall => ({
      kind: "call",
      tool: "function",
      id: `call_${number}_${at}`,
      name: tools[at % tools.length]?.name ?? "",
      arguments: JSON.stringify({ location: mark(`argument${at}-`, 6) }),
    }),
  );
  return {
    items: [
      ...(number % 3 === 0 ? [{ kind: "reasoning", text: mark("thought", 8) } as const] : []),
      { kind: "message", text: mark("word", 12 + (number % 9)) },
      ...calls,
    ],
  };
}

/** Small numbers that look random and are the same in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % sides;
  };
}

/** The turn in pieces of any size, the calls mixed, with a little time now and then. */
function play(api: Api, number: number): Reply {
  const roll = dice(number);
  const cut = (bytes: Uint8Array): Buffer[] => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + roll(700);
      pieces.push(Buffer.from(bytes.subarray(at, at + size)));
      at += size;
    }
    return pieces;
  };
  const rendering = { pieces: piecesOf(3 + roll(24)), weave: byTurns };
  const pieces = bytesOf(api, turnOf(number), { model: "m", stream: true }, rendering, cut);
  const bytes = pieces.flatMap((piece) => (roll(3) === 0 ? [piece, { wait: roll(30) }] : [piece]));
  // Those who leave would not have heard the end.
  return { bytes: number < clients ? bytes : [...bytes.slice(0, bytes.length / 2), "hang"] };
}

let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(({ api, model }) => play(api, Number(model)));
  gateway = await startGateway(bothBackends(provider));
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

/** Clients of both APIs before backends of both, in turns. */
const pairs = exchanges.filter(({ stream }) => stream);

function open(number: number, signal?: AbortSignal): Promise<Answer> {
  const { client, backend } = pairs[number % pairs.length] ?? { client: "chat", backend: "chat" };
  const body = requestFor(client, { model: `${backend}/${number}`, tools, stream: true });
  return ask(gateway, client, body, {}, signal ? { signal } : {});
}

function seen({ text, reasoning, calls, ended }: Answer) {
  return { text, reasoning, calls, ended };
}

function meant(number: number) {
  const { items } = turnOf(number);
  return {
    text: items.flatMap((item) => (item.kind === "message" ? [item.text] : [])).join(""),
    reasoning: items.flatMap((item) => (item.kind === "reasoning" ? [item.text] : [])).join(""),
    calls: items.flatMap((item) =>
      item.kind === "call" ? [{ id: item.id, name: item.name, arguments: item.arguments, kind: item.tool }] : [],
    ),
    ended: "completed",
  };
}

/** Opens a stream and goes away in the middle of it. */
async function leave(number: number): Promise<string> {
  const leaving = new AbortController();
  const answer = open(number, leaving.signal).then(
    () => "answered",
    () => "gone",
  );
  while (provider.requestsOf(String(number)).length === 0) await sleep(10);
  await sleep((number % 10) * 10);
  leaving.abort();
  return answer;
}

describe("a crowd of clients", () => {
  it(`of ${clients} at once, while others leave: every stream is whole, in order and its own`, {
    timeout: 60_000,
  }, async () => {
    const staying = Array.from({ length: clients }, (_, number) => number);
    const going = Array.from({ length: leavers }, (_, at) => clients + at);
    const [answers] = await Promise.all([
      Promise.all(staying.map((number) => open(number))),
      Promise.all(going.map(leave)),
    ]);
    answers.forEach((answer, number) => {
      expect(seen(answer), `client ${number}`).toEqual(meant(number));
    });
  });

  it("leaves nothing behind: no turn is open, and the provider talks to nobody", async () => {
    const requestsFrom = (number: number, to: number) =>
      provider.requests.filter(({ body }) => Number(body.model) >= number && Number(body.model) < to);
    const isOver = async () =>
      (await openTurns()) === 0 && requestsFrom(clients, clients + leavers).every(({ closedEarly }) => closedEarly);
    for (const until = performance.now() + 5_000; !(await isOver()); await sleep(20)) {
      if (performance.now() > until) throw new Error("something is left of those who went");
    }
    expect(requestsFrom(clients, clients + leavers)).toHaveLength(leavers);
    expect(requestsFrom(0, clients)).toHaveLength(clients);
    expect(requestsFrom(0, clients).some(({ closedEarly }) => closedEarly)).toBe(false);
    expect(seen(await open(0))).toEqual(meant(0));
  });
});

async function openTurns(): Promise<number> {
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(/^toolwire_open_turns (\d+)$/m.exec(metrics)?.[1]);
}
