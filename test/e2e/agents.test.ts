import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { z } from "zod";
import type { Api } from "../support/api.ts";
import { agentsById } from "./support/continued.ts";
import { describeRoundTrips, type Program } from "./support/round-trip.ts";
import { question } from "./support/script.ts";

function programOn(api: Api): Program {
  return async ({ url }, model, weather) => {
    const modelProvider = new OpenAIProvider({ baseURL: url, apiKey: "none", useResponses: api === "responses" });
    // Tracing would send every run to OpenAI.
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const agent = new Agent({
      ...{ name: "Forecaster", instructions: "Be brief.", model },
      tools: [
        tool({
          name: "get_weather",
          description: "Weather now",
          parameters: z.object({ city: z.string() }),
          execute: (place) => weather(place),
        }),
      ],
    });
    const result = await runner.run(agent, question, { stream: true, maxTurns: 4 });
    let said = "";
    for await (const event of result) {
      if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta") said += event.data.delta;
    }
    await result.completed;
    const reasoning = result.newItems.flatMap((item) => (item.type === "reasoning_item" ? item.rawItem.content : []));
    const { inputTokens, outputTokens } = result.state.usage;
    return {
      said,
      // On Chat it reads no reasoning.
      ...(api === "responses" && { thought: reasoning.map(({ text }) => text).join("") }),
      usage: { input: inputTokens, output: outputTokens },
    };
  };
}

const use = { client: ["@openai/agents"], mode: "`Runner.run`, streaming" };
describeRoundTrips({ ...use, api: "chat" }, programOn("chat"), /finish_reason='length'/);
describeRoundTrips({ ...use, api: "responses" }, programOn("responses"), /response\.incomplete/);

const byId = { client: ["@openai/agents"], mode: "`Runner.run`, continued by id", api: "responses" } as const;
describeRoundTrips(byId, agentsById(true), /response\.incomplete/);
