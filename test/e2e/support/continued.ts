import { Agent, tool as agentTool, OpenAIProvider, Runner } from "@openai/agents";
import OpenAI from "openai";
import type { ResponseInputItem, Tool } from "openai/resources/responses/responses";
import { z } from "zod";
import type { Gateway, Outcome, Program, Weather } from "./round-trip.ts";
import { greeting, question } from "./script.ts";

const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const tools: Tool[] = [{ type: "function", name: "get_weather", description: "Weather now", parameters, strict: true }];

export function clientOf({ url }: Gateway, apiKey = "none"): OpenAI {
  return new OpenAI({ baseURL: url, apiKey, maxRetries: 0 });
}

/** Sends of each turn only what is new, and the id of the response before. */
export function openaiById(stream: boolean): Program {
  return async (gateway, model, weather) => {
    const client = clientOf(gateway);
    const outcome: Outcome = { said: "", thought: "", usage: { input: 0, output: 0 } };
    let input: ResponseInputItem[] = [{ role: "user", content: question }];
    let previous: string | null = null;
    for (;;) {
      const request = { model, input, tools, previous_response_id: previous };
      const response: OpenAI.Responses.Response = stream
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
      addTo(outcome, response);
      const calls = response.output.filter((item) => item.type === "function_call");
      if (calls.length === 0) return outcome;
      previous = response.id;
      input = calls.map(({ call_id, arguments: text }) => ({
        ...{ type: "function_call_output", call_id },
        output: weather(JSON.parse(text)),
      }));
    }
  };
}

function addTo(outcome: Outcome, { output, output_text, usage }: OpenAI.Responses.Response): void {
  outcome.said += output_text;
  outcome.usage.input += usage?.input_tokens ?? 0;
  outcome.usage.output += usage?.output_tokens ?? 0;
  const reasoning = output.filter((item) => item.type === "reasoning");
  outcome.thought += reasoning.flatMap(({ summary }) => summary.map(({ text }) => text)).join("");
}

/** Continues a run that is over by the id of its last response. Within the second run every turn continues the one before by its id. */
export function agentsById(stream: boolean): Program {
  return async ({ url }, model, weather) => {
    const modelProvider = new OpenAIProvider({ baseURL: url, apiKey: "none", useResponses: true });
    // Tracing would send every run to OpenAI.
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const agent = forecaster(model, weather);
    const { lastResponseId } = await runner.run(agent, greeting);
    if (lastResponseId === undefined) throw new Error("The run has no response.");
    const options = { previousResponseId: lastResponseId, maxTurns: 4 };
    const result = stream
      ? await runner.run(agent, question, { ...options, stream: true })
      : await runner.run(agent, question, options);
    if ("completed" in result) await result.completed;
    const said = result.newItems.flatMap((item) => (item.type === "message_output_item" ? [item.content] : []));
    const reasoning = result.newItems.flatMap((item) => (item.type === "reasoning_item" ? item.rawItem.content : []));
    const { inputTokens, outputTokens } = result.state.usage;
    return {
      said: said.join(""),
      thought: reasoning.map(({ text }) => text).join(""),
      usage: { input: inputTokens, output: outputTokens },
    };
  };
}

function forecaster(model: string, weather: Weather) {
  return new Agent({
    ...{ name: "Forecaster", instructions: "Be brief.", model },
    tools: [
      agentTool({
        name: "get_weather",
        description: "Weather now",
        parameters: z.object({ city: z.string() }),
        execute: (place) => weather(place),
      }),
    ],
  });
}
