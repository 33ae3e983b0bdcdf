import { afterEach, describe, expect, it } from "vitest";
import type { TurnSeams } from "../../src/engine/index.ts";
import { type Item, type TurnEnding, TurnError } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { type Answer, ask, requestFor } from "../support/gateway.ts";
import type { Reply } from "../support/provider.ts";
import {
  closeRounds,
  endsOf,
  firstRound,
  gate,
  inOrder,
  keepAlives,
  LiveStream,
  lookup,
  modes,
  pairs,
  type Rounds,
  runTools,
  secondRound,
  send,
  startRounds,
  streamEnd,
  textOf,
  tools,
  weather,
} from "../support/rounds.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

type BeforeEnd = NonNullable<TurnSeams["beforeEnd"]>;

const never = new Promise<void>(() => {});
const thenWeather: [Reply, Reply] = [firstRound, { say: "Rome.", calls: [weather] }];
const both = (client: Api) => textOf(client, "Let me look.", "Here it is.");

async function start(beforeEnd: BeforeEnd, replies: [Reply, ...Reply[]], more: Partial<TurnSeams> = {}): Promise<void> {
  const config = { turn: { keep_alive: "20ms" }, limits: { drain: "1s" } };
  rounds = await startRounds(inOrder(...replies), { seams: { ...runTools, beforeEnd, ...more }, config });
}

function askFor(client: Api, backend: Api, stream: boolean): Promise<Answer> {
  return ask(rounds.gateway, client, requestFor(client, { model: `${backend}/m`, tools, stream }));
}

const failure = new TurnError("internal_error", "The answer could not be stored.");

describe.each(modes)("$client client, $backend backend, $mode: what must happen before the end of a turn", (mode) => {
  const { client, backend, stream } = mode;
  const wellEnded = { status: 200, ended: "completed", error: null };

  it("is told how the turn ends, and has every item of every round", async () => {
    const seen: { ending: TurnEnding; items: Item[] }[] = [];
    await start(async ({ ending, answer: { items } }) => void seen.push({ ending, items: [...items] }), thenWeather);
    const answer = await askFor(client, backend, stream);
    expect(answer).toMatchObject(wellEnded);
    const [{ ending, items } = {}] = seen;
    expect(seen).toHaveLength(1);
    expect(ending).toMatchObject({ type: "turn.finished", reason: "stop" });
    const said = (text: string) => ({ type: "message", role: "assistant", content: [{ type: "text", text }] });
    expect(items).toMatchObject([
      said("Let me look."),
      { type: "call", owner: "gateway", callId: "call_same", name: "lookup", arguments: lookup.arguments },
      { type: "output", callId: "call_same", output: `lookup of ${lookup.arguments}` },
      said("Rome."),
      { type: "call", owner: "client", callId: answer.calls[0]?.id, name: "get_weather", arguments: weather.arguments },
    ]);
  });

  it("is told that the turn fails, with what came before", async () => {
    const seen: { ending: TurnEnding; types: string[] }[] = [];
    const types = (items: readonly Item[]) => items.map(({ type }) => type);
    await start(
      async ({ ending, answer: { items } }) => void seen.push({ ending, types: types(items) }),
      [firstRound, { status: 500 }],
    );
    expect(await askFor(client, backend, stream)).toMatchObject({ ended: "failed", error: { code: "upstream_error" } });
    expect(seen).toMatchObject([
      { ending: { type: "turn.failed", error: { code: "upstream_error" } }, types: ["message", "call", "output"] },
    ]);
  });

  it("is waited for", async () => {
    const [begun, over] = [gate(), gate()];
    await start(() => {
      begun.open();
      return over.passed;
    }, [firstRound, secondRound]);
    let isAnswered = false;
    const answer = askFor(client, backend, stream).finally(() => {
      isAnswered = true;
    });
    await begun.passed;
    // Another request is answered meanwhile, so that there was time for this one.
    await fetch(`${rounds.gateway.url}/health`);
    expect(isAnswered).toBe(false);
    over.open();
    expect(await answer).toMatchObject({ ...wellEnded, text: both(client) });
  });

  it("fails the turn with an error that is meant for clients", async () => {
    await start(() => Promise.reject(failure), [firstRound, secondRound]);
    const answer = await askFor(client, backend, stream);
    expect(answer).toMatchObject({ status: stream ? 200 : 500, ended: "failed", text: stream ? both(client) : "" });
    expect(answer.error).toEqual(failure.body);
    const failed = client === "chat" ? ["error", "[DONE]"] : ["response.failed"];
    expect(endsOf(answer)).toEqual(stream ? failed : ["body"]);
  });

  it("fails a turn that has nothing to say, too", async () => {
    await start(() => Promise.reject(failure), [{}]);
    expect(await askFor(client, backend, stream)).toMatchObject({ ended: "failed", error: failure.body });
  });

  it.each<[string, BeforeEnd]>([
    ["rejects with anything else", () => Promise.reject(new Error("secret detail"))],
    [
      "throws at once",
      () => {
        throw new Error("secret detail");
      },
    ],
    ["is never over", () => never],
  ])("changes nothing for the client where it %s", async (_name, beforeEnd) => {
    await start(beforeEnd, [firstRound, secondRound], { beforeEndLimit: 50 });
    const answer = await askFor(client, backend, stream);
    expect(answer).toMatchObject({ ...wellEnded, text: both(client) });
    expect(answer.raw).not.toContain("secret detail");
    const ended = client === "chat" ? ["stop", "[DONE]"] : ["response.completed"];
    expect(endsOf(answer)).toEqual(stream ? ended : ["body"]);
  });
});

describe.each(pairs)("$client client, $backend backend: a stream", ({ client, backend }) => {
  const wish = { model: `${backend}/m`, stream: true };

  it("has all of the answer but its end while that is waited for, and keep-alives go on", async () => {
    const over = gate();
    await start(() => over.passed, [firstRound, secondRound], { beforeEndLimit: 10_000 });
    const stream = new LiveStream(await send(rounds, client, wish));
    await stream.until(/is\./);
    await stream.until(keepAlives(client, 3));
    expect(stream.text).not.toMatch(streamEnd);
    over.open();
    expect(await stream.rest()).toMatch(streamEnd);
  });

  it("has the text of the first round while the gateway's tools run, and keep-alives go on", async () => {
    const over = gate();
    const nextRound: TurnSeams["nextRound"] = async (...round) => {
      await over.passed;
      return runTools.nextRound?.(...round);
    };
    await start(async () => {}, [firstRound, secondRound], { nextRound });
    const stream = new LiveStream(await send(rounds, client, wish));
    await stream.until(/look\./);
    await stream.until(keepAlives(client, 3));
    expect(rounds.provider.requests).toHaveLength(1);
    over.open();
    expect(await stream.rest()).toMatch(streamEnd);
    expect(rounds.provider.requests).toHaveLength(2);
  });
});
