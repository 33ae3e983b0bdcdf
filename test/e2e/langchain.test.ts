import { type BaseMessage, HumanMessage, type UsageMetadata } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import type { Api } from "../support/api.ts";
import { describeRoundTrips, type Program } from "./support/round-trip.ts";
import { question } from "./support/script.ts";

function programOn(api: Api): Program {
  return async ({ url }, name, weather) => {
    const getWeather = tool((place: { city: string }) => weather(place), {
      name: "get_weather",
      description: "Weather now",
      schema: z.object({ city: z.string() }),
    });
    const model = new ChatOpenAI({
      ...{ model: name, apiKey: "none", useResponsesApi: api === "responses", maxRetries: 0 },
      configuration: { baseURL: url },
    }).bindTools([getWeather]);
    const messages: BaseMessage[] = [new HumanMessage(question)];
    const outcome = { said: "", thought: "", usage: { input: 0, output: 0 } };
    for (;;) {
      let message: Awaited<ReturnType<typeof model.invoke>> | undefined;
      for await (const chunk of await model.stream(messages)) message = message ? message.concat(chunk) : chunk;
      if (!message) throw new Error("There was no answer.");
      messages.push(message);
      outcome.said += message.text;
      outcome.thought += message.additional_kwargs.reasoning_content ?? "";
      for (const block of message.contentBlocks) if (block.type === "reasoning") outcome.thought += block.reasoning;
      const { input, output } = tokensOf(message.usage_metadata);
      outcome.usage.input += input;
      outcome.usage.output += output;
      // LangChain closes JSON that was cut and lists the call: only the end of the answer tells that it is not whole.
      const { finish_reason, status } = message.response_metadata;
      const limited = finish_reason === "length" || status === "incomplete";
      if (limited || !message.tool_calls?.length) return outcome;
      for (const call of message.tool_calls) messages.push(await getWeather.invoke({ ...call, type: "tool_call" }));
    }
  };
}

function tokensOf(usage: UsageMetadata | undefined): { input: number; output: number } {
  return { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0 };
}

const use = { client: ["@langchain/openai"], mode: "`ChatOpenAI.stream`" };
describeRoundTrips({ ...use, api: "chat" }, programOn("chat"), null);
describeRoundTrips({ ...use, api: "responses" }, programOn("responses"), null);
