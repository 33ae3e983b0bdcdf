import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it, type Mock, vi } from "vitest";
import type { GatewayParts } from "../../src/gateway/index.ts";
import type { RunningServer } from "../../src/http/server.ts";
import { type Codec, codecs } from "../../src/wire/index.ts";
import { ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";
import { firstRound, inOrder, outputsFor, runTools, secondRound, tools } from "../support/rounds.ts";

let provider: Provider;
let gateway: RunningServer;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function start(parts: GatewayParts): Promise<Mock> {
  provider = await startProvider(inOrder(firstRound, secondRound));
  gateway = await startGateway(bothBackends(provider), { seams: () => runTools, ...parts });
  // The histogram of delays begins with its second measurement, after 40 ms.
  await wait(100);
  return vi.spyOn(gateway.log, "warn") as Mock;
}

function hold(): void {
  for (const until = performance.now() + 300; performance.now() < until; );
}

/** The built-in APIs, with something slow in them. */
function slow(change: (codec: Codec) => Partial<Codec>): GatewayParts {
  return { codecs: codecs.map((codec) => ({ ...codec, ...change(codec) })) };
}

/** An encoder that is slow in one of its steps, the first time. */
function slowEncoder(step: "push" | "end"): GatewayParts {
  return slow((codec) => ({
    createEncoder(...made) {
      const encoder = codec.createEncoder(...made);
      const original = encoder[step].bind(encoder) as (argument: unknown) => void;
      let isSlow = true;
      const held = (argument: unknown) => {
        if (isSlow) hold();
        isSlow = false;
        original(argument);
      };
      return Object.assign(encoder, { [step]: held });
    },
  }));
}

describe("a request that holds the event loop is named in the log", () => {
  it.each<[where: string, parts: GatewayParts]>([
    [
      "while it is decoded",
      slow((codec) => ({
        *decodeSteps(...request) {
          hold();
          yield;
          return codec.decode(...request);
        },
      })),
    ],
    ["while its provider's answer is read", slowEncoder("push")],
    ["at its end", slowEncoder("end")],
    [
      "while the gateway runs a tool",
      {
        seams: () => ({
          ...runTools,
          nextRound: async (result) => {
            const next = outputsFor(result);
            if (next) hold();
            return next;
          },
        }),
      },
    ],
  ])("%s", async (_, parts) => {
    const warn = await start(parts);
    const body = requestFor("responses", { model: "chat/m", stream: true, tools });
    await ask(gateway, "responses", body, { "x-request-id": "req_slow" });
    const messages = () => warn.mock.calls.map(([, message]) => message);
    await expect
      .poll(messages)
      .toContainEqual(
        expect.stringMatching(
          /^the event loop was held for \d+ ms by request req_slow \(POST \/v1\/responses, model chat\/m\)$/,
        ),
      );
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/^toolwire_event_loop_stalls_total [1-9]/m);
    expect(metrics).toMatch(/^toolwire_event_loop_delay_seconds\{quantile="1"\} (?:0\.[2-9]|[1-9])/m);
  });
});
