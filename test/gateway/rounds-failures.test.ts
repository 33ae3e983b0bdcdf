import { afterAll, describe, expect, it } from "vitest";
import type { TurnSeams } from "../../src/engine/index.ts";
import { TurnError } from "../../src/turn/index.ts";
import { framesOf, rome, upTo } from "../faults/wire.ts";
import type { Api } from "../support/api.ts";
import { type Answer, ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { conversation, type Reply, type Script, startProvider } from "../support/provider.ts";
import {
  closeRounds,
  endsOf,
  firstRound,
  inOrder,
  lookup,
  modes,
  pairs,
  type Rounds,
  type RoundsOptions,
  runTools,
  secondRound,
  startRounds,
  textOf,
  tools,
  weather,
} from "../support/rounds.ts";

const opened: Rounds[] = [];
afterAll(() => Promise.all(opened.map(closeRounds)));

/** Each test has its own, so that their waits can be waited for together. */
async function start(script: Script, options: RoundsOptions = {}): Promise<Rounds> {
  const rounds = await startRounds(script, options);
  opened.push(rounds);
  return rounds;
}

function askFor(rounds: Rounds, client: Api, model: string, stream: boolean): Promise<Answer> {
  return ask(rounds.gateway, client, requestFor(client, { model, tools, stream }), {}, { usageUnknown: true });
}

/** The alias `m` is the model `first`; its stand-in is the model `second` of a backend of the other kind. */
async function startWithFallback(script: Script, backend: Api): Promise<Rounds> {
  const provider = await startProvider(script);
  const other = backend === "chat" ? "responses" : "chat";
  const models = { m: { backend, model: "first", fallback: [`${other}/second`] } };
  const gateway = await startGateway({ ...bothBackends(provider), models }, { seams: () => runTools });
  const rounds = { provider, gateway };
  opened.push(rounds);
  return rounds;
}

const askedModels = ({ provider }: Rounds) => provider.requests.map(({ body }) => body.model);
const both = (client: Api) => textOf(client, "Let me look.", "Here it is.");
const fire = { status: 500, body: { error: { message: "The engine is on fire." } } };
/** The gateway's call alone: nothing of it is for the client. */
const onlyLookup: Reply = { calls: [lookup] };

/** A stream that breaks off in the middle of a call, behind a whole message. */
function half(api: Api): Reply {
  const frames = framesOf(api, { say: "Here it is.", calls: [rome] });
  return { bytes: [...upTo(frames, "loca"), "cut"], headers: { "content-type": "text/event-stream" } };
}

describe.concurrent.each(modes)("$client client, $backend backend, $mode: a second round", (mode) => {
  const { client, backend, stream } = mode;

  it.each([500, 429])("that fails with %i once is asked for again, and the first is not told twice", async (status) => {
    const rounds = await start(inOrder(firstRound, { status }, secondRound), { backend: { retries: 1 } });
    const answer = await askFor(rounds, client, `${backend}/m`, stream);
    expect(answer).toMatchObject({ status: 200, ended: "completed", text: both(client), calls: [] });
    const [first, failed, again] = rounds.provider.requests.map(({ body }) => conversation(body));
    expect(again).toEqual(failed);
    expect(again?.slice(0, first?.length)).toEqual(first);
  });

  it("that breaks off before it says anything is asked for again", async () => {
    const rounds = await start(inOrder(firstRound, { bytes: ["cut"] }, secondRound), { backend: { retries: 1 } });
    const answer = await askFor(rounds, client, `${backend}/m`, stream);
    expect(answer).toMatchObject({ status: 200, ended: "completed", text: both(client) });
  });

  it("that fails goes to the model that stands in, with the call and the output of the first", async () => {
    const script: Script = ({ model, count }) => (model === "second" ? secondRound : count === 1 ? firstRound : fire);
    const rounds = await startWithFallback(script, backend);
    const answer = await askFor(rounds, client, "m", stream);
    expect(answer).toMatchObject({ status: 200, ended: "completed", text: both(client), calls: [] });
    expect(answer.raw).toContain('"model":"m"');
    expect(askedModels(rounds)).toEqual(["first", "first", "second"]);
    const [called, output] = conversation(rounds.provider.requestsOf("second")[0]?.body ?? {}).slice(-2);
    expect(called).toMatchObject({ kind: "call", name: "lookup", arguments: lookup.arguments });
    expect(output).toMatchObject({ kind: "output", text: `lookup of ${lookup.arguments}` });
    expect(called?.kind === "call" && output?.kind === "output" && called.id === output.id).toBe(true);
  });

  it("that another model has taken over leaves the third to that model", async () => {
    const script: Script = ({ model, count }) => {
      if (model === "first") return count === 1 ? firstRound : fire;
      return count === 1 ? onlyLookup : secondRound;
    };
    const rounds = await startWithFallback(script, backend);
    expect((await askFor(rounds, client, "m", stream)).text).toBe(both(client));
    expect(askedModels(rounds)).toEqual(["first", "first", "second", "second"]);
  });

  it("that fails for good is told in the form of the API, behind what was sent", async () => {
    const rounds = await start(inOrder(firstRound, fire));
    const answer = await askFor(rounds, client, `${backend}/m`, stream);
    expect(answer).toMatchObject({ status: stream ? 200 : 502, ended: "failed", text: stream ? "Let me look." : "" });
    expect(answer.error).toMatchObject({ type: "server_error", param: null, code: "upstream_error" });
    expect(answer.error?.message).toContain("The engine is on fire.");
    expect(answer.calls).toEqual([]);
    const failed = client === "chat" ? ["error", "[DONE]"] : ["response.failed"];
    if (stream) expect(endsOf(answer)).toEqual(failed);
  });

  it("that fails before any content is an HTTP error where the first had the gateway's calls alone", async () => {
    const rounds = await start(inOrder(onlyLookup, fire));
    const answer = await askFor(rounds, client, `${backend}/m`, stream);
    expect(rounds.provider.requests).toHaveLength(2);
    expect(answer).toMatchObject({ status: 502, streamed: false, error: { code: "upstream_error", param: null } });
  });

  it("that fails at all models is told as what the asked model failed with", async () => {
    const script: Script = ({ model, count }) => {
      if (model === "second") return { status: 503 };
      return count === 1 ? firstRound : { status: 429, body: { error: { message: "Slow down." } } };
    };
    const answer = await askFor(await startWithFallback(script, backend), client, "m", stream);
    expect(answer).toMatchObject({ status: stream ? 200 : 429, ended: "failed", error: { message: "Slow down." } });
  });

  it("keeps its numbers where ids are counted and the round is asked for again", async () => {
    const config = { turn: { ids: "sequential" } };
    const replies = inOrder(firstRound, { status: 500 }, { calls: [weather] });
    const rounds = await start(replies, { backend: { retries: 1 }, config });
    const answer = await askFor(rounds, client, `${backend}/m`, stream);
    expect(answer.calls).toMatchObject([{ id: "fc_002", name: "get_weather" }]);
  });

  it.each<[string, unknown, string]>([
    ["an error that a client may see", new TurnError("overloaded", "Too many tools."), "overloaded"],
    ["anything else", new Error("secret detail"), "internal_error"],
  ])("that cannot be begun fails the turn, with %s", async (_name, thrown, code) => {
    const seams: TurnSeams = { ...runTools, nextRound: () => Promise.reject(thrown) };
    const rounds = await start(inOrder(firstRound, secondRound), { seams });
    const answer = await askFor(rounds, client, `${backend}/m`, stream);
    expect(answer).toMatchObject({ ended: "failed", text: stream ? "Let me look." : "", error: { code } });
    expect(answer.raw).not.toContain("secret detail");
    expect(rounds.provider.requests).toHaveLength(1);
  });
});

describe.concurrent.each(pairs)("$client client, $backend backend: a second round that breaks off", (pair) => {
  const { client, backend } = pair;
  const script: Script = ({ api, count }) => (count === 1 ? firstRound : count === 2 ? half(api) : secondRound);

  it("behind content that was sent ends the stream, and is not asked for again", async () => {
    const rounds = await start(script, { backend: { retries: 1 } });
    const answer = await askFor(rounds, client, `${backend}/m`, true);
    expect(answer).toMatchObject({ ended: "failed", text: both(client), calls: [] });
    expect(answer.error?.code).toBe("upstream_cut");
    expect(rounds.provider.requests).toHaveLength(2);
  });

  it("is asked for again while nothing was sent, and what had come of it is forgotten", async () => {
    const rounds = await start(script, { backend: { retries: 1 } });
    const answer = await askFor(rounds, client, `${backend}/m`, false);
    expect(answer).toMatchObject({ status: 200, text: both(client) });
    expect(rounds.provider.requests).toHaveLength(3);
  });
});
