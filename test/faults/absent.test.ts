import { afterAll, describe, expect, it } from "vitest";
import { ask, requestFor, startGateway } from "../support/gateway.ts";
import { type Exchange, exchanges } from "./cells.ts";
import { runAll } from "./run-all.ts";
import { freePort, startSocketProvider } from "./socket-provider.ts";
import { correctAnswer } from "./sockets.ts";

let ran = 0;
afterAll(() => {
  console.log(`fault matrix, absent providers: ${ran} cells`);
});

describe("a provider that refuses connections", () => {
  it("fails the turn at once, and serves the next one when it is there", async () => {
    const port = await freePort();
    const at = { base_url: `http://127.0.0.1:${port}/v1`, retries: 0, breaker: { failures: 1_000 } };
    const gateway = await startGateway({
      backends: { chat: { kind: "chat", ...at }, responses: { kind: "responses", ...at } },
    });
    const turn = ({ client, backend, stream }: Exchange) =>
      ask(gateway, client, requestFor(client, { model: `${backend}/any`, stream }));

    ran += exchanges.length;
    await runAll(exchanges, async (exchange) => {
      const began = performance.now();
      const { status, streamed, ended, error, raw } = await turn(exchange);
      expect({ status, streamed, ended, code: error?.code }).toEqual({
        status: 502,
        streamed: false,
        ended: "failed",
        code: "upstream_unreachable",
      });
      expect(raw).not.toContain(String(port));
      expect(performance.now() - began).toBeLessThan(5_000);
    });
    expect(ran).toBe(8);

    const provider = await startSocketProvider(({ api, stream }) => [correctAnswer({ backend: api, stream })], port);
    await runAll(exchanges, async (exchange) => {
      expect(await turn(exchange)).toMatchObject({ status: 200, ended: "completed", text: "Fine, after all." });
    });
    await gateway.close();
    await provider.close();
  });
});
