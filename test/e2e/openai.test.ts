import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import OpenAI from "openai";
import type { ResponseInputItem, Tool } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { bothBackends, startGateway } from "../support/gateway.ts";
import { conversation, type Provider, type Reply, type ScriptRequest, startProvider } from "../support/provider.ts";

/** Asks for the weather in two cities, and then repeats what it is told. */
function script({ body, model }: ScriptRequest): Reply {
  const outputs = conversation(body).filter((entry) => entry.kind === "output");
  if (outputs.length > 0) return { say: `Final: ${outputs.map(({ text }) => text).join(" and ")}.` };
  const call = (city: string) => ({ name: "get_weather", arguments: JSON.stringify({ city }) });
  return {
    ...(model === "talkative" && { say: "Let me look." }),
    ...(model === "thoughtful" && { think: "Two cities, two calls." }),
    calls: [call("Köln"), call("東京")],
    interleave: true,
    chunk: 3,
  };
}

const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const weather = ({ city }: { city: string }) => `${city}: 21`;
const answer = "Final: Köln: 21 and 東京: 21.";

let provider: Provider;
let gateway: RunningServer;
let client: OpenAI;
beforeAll(async () => {
  provider = await startProvider(script);
  gateway = await startGateway({ ...bothBackends(provider), default_model: null });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "none", maxRetries: 0 });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const models = ["chat", "responses"].flatMap((kind) =>
  ["plain", "talkative", "thoughtful"].map((scene) => `${kind}/${scene}`),
);

describe.each(models)("the openai client, two turns with a tool on %s", (model) => {
  const tools: Tool[] = [{ type: "function", name: "get_weather", parameters, strict: true }];
  const question: ResponseInputItem[] = [{ role: "user", content: "The weather in Köln and 東京?" }];

  /** Runs the calls and gives back everything, as most programs do. */
  const outputsOf = (response: { output: OpenAI.Responses.ResponseOutputItem[] }): ResponseInputItem[] => [
    ...question,
    ...(response.output as ResponseInputItem[]),
    ...response.output.flatMap((item) =>
      item.type === "function_call"
        ? [
            {
              type: "function_call_output" as const,
              call_id: item.call_id,
              output: weather(JSON.parse(item.arguments)),
            },
          ]
        : [],
    ),
  ];

  it("responses.stream", async () => {
    const first = await client.responses.stream({ model, input: question, tools }).finalResponse();
    const second = await client.responses.stream({ model, input: outputsOf(first), tools }).finalResponse();
    expect(second.output_text).toBe(answer);
    expect(second.usage?.total_tokens).toBeGreaterThan(0);
  });

  it("responses.create", async () => {
    const first = await client.responses.create({ model, input: question, tools });
    expect(first.output_text).toBe(model.endsWith("talkative") ? "Let me look." : "");
    const second = await client.responses.create({ model, input: outputsOf(first), tools });
    expect(second.output_text).toBe(answer);
  });

  it("chat.completions.runTools, streaming", async () => {
    const runner = client.chat.completions.runTools({
      model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: "user", content: "The weather in Köln and 東京?" }],
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            description: "Weather now",
            parse: JSON.parse,
            function: weather,
            parameters,
            strict: true,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe(answer);
    expect((await runner.totalUsage()).total_tokens).toBeGreaterThan(0);
    const ids = runner.messages.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
    expect(new Set(ids).size).toBe(2);
  });

  it("chat.completions.create", async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "The weather in Köln and 東京?" }];
    const chatTools: OpenAI.ChatCompletionTool[] = [
      { type: "function", function: { name: "get_weather", parameters } },
    ];
    const first = await client.chat.completions.create({ model, messages, tools: chatTools });
    const message = first.choices[0]?.message;
    expect(first.choices[0]?.finish_reason).toBe("tool_calls");
    if (message) messages.push(message);
    for (const call of message?.tool_calls ?? []) {
      if (call.type !== "function") continue;
      messages.push({ role: "tool", tool_call_id: call.id, content: weather(JSON.parse(call.function.arguments)) });
    }
    const second = await client.chat.completions.create({ model, messages, tools: chatTools });
    expect(second.choices[0]?.message.content).toBe(answer);
  });
});

describe("the openai client", () => {
  it("reads an error as it reads OpenAI's", async () => {
    const wrong = client.responses.create({ model: "nobody/knows", input: "hi" });
    await expect(wrong).rejects.toMatchObject({ status: 404, code: "model_not_found", param: "model" });
    await expect(wrong).rejects.toHaveProperty("requestID");
  });

  it("lists the models", async () => {
    expect((await client.models.list()).object).toBe("list");
  });
});

describe("the Node example", () => {
  it("does its two round trips against the demo model", async () => {
    const demo = await startGateway({ backends: { demo: { kind: "demo", pace: "0ms" } }, default_model: "demo" });
    try {
      // A copy beside the client library, so that the example finds it as it would in a project of its own.
      const folder = fileURLToPath(new URL("./node_modules/.example/", import.meta.url));
      mkdirSync(folder, { recursive: true });
      copyFileSync(new URL("../../examples/node/weather.mjs", import.meta.url), `${folder}weather.mjs`);
      const { stdout } = await promisify(execFile)(process.execPath, [`${folder}weather.mjs`], {
        env: { ...process.env, TOOLWIRE_URL: demo.url },
        timeout: 20_000,
      });
      expect(stdout).toMatch(/responses[^\n]*21/i);
      expect(stdout).toMatch(/chat[^\n]*21/i);
    } finally {
      await demo.close();
    }
  });
});
