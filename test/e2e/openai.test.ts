import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import OpenAI from "openai";
import { zodFunction, zodResponseFormat, zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import type { ResponseInputItem, ResponseOutputItem, ResponseUsage, Tool } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { startGateway } from "../support/gateway.ts";
import {
  describeRoundTrips,
  describeUse,
  type Gateway,
  type Outcome,
  type Program,
  type Use,
  type Weather,
  weatherStation,
} from "./support/round-trip.ts";
import { answer, cities, formal, question } from "./support/script.ts";

const place = z.object({ city: z.string() });
const report = z.object({ answer: z.string() });
const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

function clientOf({ url }: Gateway): OpenAI {
  return new OpenAI({ baseURL: url, apiKey: "none", maxRetries: 0 });
}

describe("the Responses API", () => {
  const use = (mode: string): Use => ({ client: ["openai"], mode, api: "responses" });
  const tools: Tool[] = [{ type: "function", name: "get_weather", parameters, strict: true }];
  type Answer = { output: ResponseOutputItem[]; output_text: string; usage?: ResponseUsage | undefined };

  /** Gives back everything that came, and the results of the calls, as most programs do. */
  async function converse(weather: Weather, ask: (input: ResponseInputItem[]) => Promise<Answer>): Promise<Outcome> {
    const input: ResponseInputItem[] = [{ role: "user", content: question }];
    const outcome = { said: "", thought: "", usage: { input: 0, output: 0 } };
    for (;;) {
      const { output, output_text, usage } = await ask(input);
      outcome.said += output_text;
      outcome.usage.input += usage?.input_tokens ?? 0;
      outcome.usage.output += usage?.output_tokens ?? 0;
      input.push(...(output as ResponseInputItem[]));
      const calls = output.filter((item) => item.type === "function_call");
      for (const { call_id, arguments: text } of calls) {
        input.push({ type: "function_call_output", call_id, output: weather(JSON.parse(text)) });
      }
      const reasoning = output.filter((item) => item.type === "reasoning");
      outcome.thought += reasoning.flatMap(({ summary }) => summary.map(({ text }) => text)).join("");
      if (calls.length === 0) return outcome;
    }
  }

  const streamed: Program = (gateway, model, weather) =>
    converse(weather, (input) => clientOf(gateway).responses.stream({ model, input, tools }).finalResponse());
  describeRoundTrips(use("`responses.stream`"), streamed, null);

  const whole: Program = (gateway, model, weather) =>
    converse(weather, (input) => clientOf(gateway).responses.create({ model, input, tools }));
  describeRoundTrips(use("`responses.create`"), whole, null);

  describeUse(use("`responses.parse`, also of a stream"), (backend, gateway) => {
    const model = `${backend}/${formal}`;
    const formalTools = [zodResponsesFunction({ name: "get_weather", parameters: place })];
    const request = (input: ResponseInputItem[]) => ({
      ...{ model, input, tools: formalTools },
      text: { format: zodTextFormat(report, "report") },
    });

    it("parses the answer to a given form, whole and streamed", async () => {
      const client = clientOf(gateway);
      for (const ask of [
        (input: ResponseInputItem[]) => client.responses.parse(request(input)),
        (input: ResponseInputItem[]) => client.responses.stream(request(input)).finalResponse(),
      ]) {
        const { asked, weather } = weatherStation();
        let parsed: unknown;
        await converse(weather, async (input) => {
          const response = await ask(input);
          parsed = response.output_parsed;
          return response;
        });
        expect(asked).toEqual(cities.map((city) => ({ city })));
        expect(parsed).toEqual({ answer });
      }
    });

    it("parses the arguments of the calls, whole and streamed", async () => {
      const client = clientOf(gateway);
      const input: ResponseInputItem[] = [{ role: "user", content: question }];
      const whole = await client.responses.parse(request(input));
      const streamed = await client.responses.stream(request(input)).finalResponse();
      for (const { output } of [whole, streamed]) {
        const calls = output.filter((item) => item.type === "function_call");
        expect(calls.map((call) => call.parsed_arguments)).toEqual(cities.map((city) => ({ city })));
      }
    });
  });
});

describe("Chat Completions", () => {
  const use = (mode: string): Use => ({ client: ["openai"], mode, api: "chat" });
  const messages = (): OpenAI.ChatCompletionMessageParam[] => [{ role: "user", content: question }];

  const ranTools: Program = async (gateway, model, weather) => {
    const runner = clientOf(gateway).chat.completions.runTools({
      ...{ model, messages: messages(), stream: true, stream_options: { include_usage: true } },
      tools: [
        {
          type: "function",
          function: {
            ...{ name: "get_weather", description: "Weather now", parameters, strict: true },
            parse: JSON.parse,
            function: weather,
          },
        },
      ],
    });
    await runner.done();
    const { prompt_tokens, completion_tokens } = await runner.totalUsage();
    const said = runner.messages.map(({ role, content }) => (role === "assistant" ? (content ?? "") : "")).join("");
    return { said, usage: { input: prompt_tokens, output: completion_tokens } };
  };
  describeRoundTrips(use("`chat.completions.runTools`, streaming"), ranTools, /length/);

  const tools: OpenAI.ChatCompletionTool[] = [{ type: "function", function: { name: "get_weather", parameters } }];

  async function converse(
    weather: Weather,
    ask: (messages: OpenAI.ChatCompletionMessageParam[]) => Promise<OpenAI.ChatCompletion>,
  ): Promise<Outcome> {
    const conversation = messages();
    const outcome = { said: "", usage: { input: 0, output: 0 } };
    for (;;) {
      const { choices, usage } = await ask(conversation);
      outcome.usage.input += usage?.prompt_tokens ?? 0;
      outcome.usage.output += usage?.completion_tokens ?? 0;
      const [choice] = choices;
      if (!choice) throw new Error("no choice");
      outcome.said += choice.message.content ?? "";
      conversation.push(choice.message);
      if (choice.finish_reason !== "tool_calls") return outcome;
      for (const call of choice.message.tool_calls ?? []) {
        if (call.type !== "function") continue;
        const content = weather(JSON.parse(call.function.arguments));
        conversation.push({ role: "tool", tool_call_id: call.id, content });
      }
    }
  }

  const whole: Program = (gateway, model, weather) =>
    converse(weather, (messages) => clientOf(gateway).chat.completions.create({ model, messages, tools }));
  describeRoundTrips(use("`chat.completions.create`"), whole, null);

  describeUse(use("`chat.completions.parse`, also of a stream"), (backend, gateway) => {
    const model = `${backend}/${formal}`;
    const request = (messages: OpenAI.ChatCompletionMessageParam[]) => ({
      ...{ model, messages, tools: [zodFunction({ name: "get_weather", parameters: place })] },
      response_format: zodResponseFormat(report, "report"),
    });

    it("parses the answer to a given form, whole and streamed", async () => {
      const client = clientOf(gateway);
      for (const ask of [
        (messages: OpenAI.ChatCompletionMessageParam[]) => client.chat.completions.parse(request(messages)),
        (messages: OpenAI.ChatCompletionMessageParam[]) =>
          client.chat.completions.stream(request(messages)).finalChatCompletion(),
      ]) {
        const { asked, weather } = weatherStation();
        let parsed: unknown;
        await converse(weather, async (messages) => {
          const completion = await ask(messages);
          parsed = completion.choices[0]?.message.parsed;
          return completion;
        });
        expect(asked).toEqual(cities.map((city) => ({ city })));
        expect(parsed).toEqual({ answer });
      }
    });

    it("parses the arguments of the calls, whole and streamed", async () => {
      const client = clientOf(gateway);
      const whole = await client.chat.completions.parse(request(messages()));
      const streamed = await client.chat.completions.stream(request(messages())).finalChatCompletion();
      for (const { choices } of [whole, streamed]) {
        const calls = choices[0]?.message.tool_calls ?? [];
        expect(calls.map((call) => call.type === "function" && call.function.parsed_arguments)).toEqual(
          cities.map((city) => ({ city })),
        );
      }
    });
  });
});

describe("the openai client", () => {
  it("reads an error as it reads OpenAI's, and lists the models", async () => {
    const gateway = await startGateway({ backends: { demo: { kind: "demo" } } });
    try {
      const client = clientOf({ url: `${gateway.url}/v1` });
      const wrong = client.responses.create({ model: "nobody/knows", input: "hi" });
      await expect(wrong).rejects.toMatchObject({ status: 404, code: "model_not_found", param: "model" });
      await expect(wrong).rejects.toHaveProperty("requestID");
      expect((await client.models.list()).object).toBe("list");
    } finally {
      await gateway.close();
    }
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
