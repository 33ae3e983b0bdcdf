import { describe, expect, it } from "vitest";
import { Cancellation, ConfigError, createConfig, createGateway } from "../../src/gateway/index.ts";
import { parseJson, type ReplyStream } from "../../src/turn/index.ts";

/** A whole answer is given back, and nothing is opened. */
const nowhere: ReplyStream = { open: () => {}, write: () => undefined, end: () => {} };

describe("Toolwire as a library", () => {
  it("runs a turn without a server", async () => {
    const gateway = await createGateway(
      createConfig({
        log: { level: "silent" },
        store: { url: "memory:" },
        backends: { demo: { kind: "demo", pace: "0ms" } },
      }),
    );
    const body = {
      model: "demo",
      messages: [{ role: "user", content: "What is the weather in Lisbon?" }],
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
          },
        },
      ],
    };
    const turn = await gateway.prepare("chat", body, { requestId: "mine", key: null, receivedAt: performance.now() });
    const ending = await turn.run(nowhere, new Cancellation());
    expect(ending).toMatchObject({ status: "completed", opened: false });
    expect(parseJson(ending.body)).toMatchObject({
      choices: [
        { finish_reason: "tool_calls", message: { tool_calls: [{ function: { arguments: '{"city":"Lisbon"}' } }] } },
      ],
    });
    await gateway.close();
  });

  it("says what is wrong with a configuration", () => {
    expect(() => createConfig({ backends: { a: { kind: "chatt" } } })).toThrow(ConfigError);
  });
});
