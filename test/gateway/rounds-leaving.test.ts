import { afterEach, describe, expect, it } from "vitest";
import type { TurnSeams } from "../../src/engine/index.ts";
import type { Cancellation } from "../../src/turn/index.ts";
import { framesOf, rome } from "../faults/wire.ts";
import type { Api } from "../support/api.ts";
import { ask, requestFor } from "../support/gateway.ts";
import {
  closeRounds,
  firstRound,
  type Gate,
  gate,
  inOrder,
  LiveStream,
  modes,
  outputsFor,
  pairs,
  type Rounds,
  runTools,
  secondRound,
  send,
  startRounds,
  tools,
} from "../support/rounds.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

/** Tools of the gateway that run until they are told to stop, and the moments of both. */
interface EndlessTools {
  seams: TurnSeams;
  begun: Gate;
  stopped: Gate<string | undefined>;
}

/** `afterStop`: what they do when they are told to stop. */
function endlessTools(afterStop: (cancellation: Cancellation) => Promise<void>): EndlessTools {
  const [begun, stopped] = [gate(), gate<string | undefined>()];
  const seams: TurnSeams = {
    ...runTools,
    async nextRound(result, cancellation) {
      cancellation.onCancel(() => stopped.open(cancellation.reason?.code));
      begun.open();
      await stopped.passed;
      await afterStop(cancellation);
      return outputsFor(result);
    },
  };
  return { seams, begun, stopped };
}

const ways = {
  "stop at once": async () => {},
  "fail when they are told to stop": ({ reason }: Cancellation) => Promise.reject<void>(reason),
  "do not listen": () => new Promise<void>(() => {}),
};

async function start({ seams }: EndlessTools, config = {}, backend = {}, first = firstRound): Promise<void> {
  rounds = await startRounds(inOrder(first, secondRound), { seams, config, backend });
}

async function openTurns(): Promise<string | undefined> {
  const metrics = await (await fetch(`${rounds.gateway.url}/metrics`)).text();
  return /^toolwire_open_turns (\d+)$/m.exec(metrics)?.[1];
}

function askFor(client: Api, backend: Api, stream: boolean) {
  return ask(rounds.gateway, client, requestFor(client, { model: `${backend}/m`, tools, stream }));
}

describe.each(modes)("$client client, $backend backend, $mode: while the gateway's tools run", (mode) => {
  const { client, backend, stream } = mode;

  it.each(Object.entries(ways))("a client that leaves stops them (they %s)", async (_name, afterStop) => {
    const running = endlessTools(afterStop);
    await start(running);
    const leaving = new AbortController();
    const sent = send(rounds, client, { model: `${backend}/m`, stream }, leaving.signal);
    const gone = expect(sent.then((response) => response.text())).rejects.toThrow();
    await running.begun.passed;
    leaving.abort();
    await gone;
    expect(await running.stopped.passed).toBe("client_closed");
    await expect.poll(openTurns).toBe("0");
    await rounds.gateway.close();
    expect(rounds.provider.requests).toHaveLength(1);
  });

  it("the time of the turn runs out, even if they do not listen", async () => {
    const running = endlessTools(ways["do not listen"]);
    await start(running, {}, { timeouts: { total: "500ms" } });
    const answer = await askFor(client, backend, stream);
    expect(answer).toMatchObject({ status: stream ? 200 : 504, ended: "failed", error: { code: "upstream_timeout" } });
    expect(answer.text).toBe(stream ? "Let me look." : "");
    expect(await running.stopped.passed).toBe("upstream_timeout");
    expect(rounds.provider.requests).toHaveLength(1);
  });

  it.each(Object.entries(ways))(
    "a gateway that closes ends the turn in its form (they %s)",
    async (_name, afterStop) => {
      const running = endlessTools(afterStop);
      await start(running, { limits: { drain: "50ms" } });
      const answer = askFor(client, backend, stream);
      await running.begun.passed;
      await rounds.gateway.close();
      expect(await answer).toMatchObject({ ended: "failed", error: { code: "shutting_down" } });
      expect(rounds.provider.requests).toHaveLength(1);
    },
  );
});

describe.each(pairs)("$client client, $backend backend: a client that leaves", (pair) => {
  it("has had the text of the first round, though that came in one piece with its end", async () => {
    const running = endlessTools(ways["stop at once"]);
    const call = { ...rome, name: "lookup" };
    const bytes = [framesOf(pair.backend, { say: "Let me look.", calls: [call] }, 100).join("")];
    await start(running, {}, {}, { bytes });
    const leaving = new AbortController();
    const wish = { model: `${pair.backend}/m`, stream: true };
    const stream = new LiveStream(await send(rounds, pair.client, wish, leaving.signal));
    await running.begun.passed;
    await stream.until(/look\./);
    leaving.abort();
    expect(await running.stopped.passed).toBe("client_closed");
  });
});
