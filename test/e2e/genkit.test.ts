import { openAICompatible } from "@genkit-ai/compat-oai";
import { genkit, z } from "genkit";
import type { ModelMiddleware } from "genkit/model";
import { describeRoundTrips, type Program } from "./support/round-trip.ts";
import { question } from "./support/script.ts";

const program: Program = async ({ url }, name, weather) => {
  const toolwire = openAICompatible({ name: "toolwire", baseURL: url, apiKey: "none", maxRetries: 0 });
  const ai = genkit({ plugins: [toolwire] });
  const getWeather = ai.defineTool(
    { name: "get_weather", description: "Weather now", inputSchema: z.object({ city: z.string() }) },
    async (place) => weather(place),
  );
  const outcome = { said: "", thought: "", usage: { input: 0, output: 0 } };
  // The response has the tokens of the last turn alone.
  const count: ModelMiddleware = async (request, next) => {
    const turn = await next(request);
    outcome.usage.input += turn.usage?.inputTokens ?? 0;
    outcome.usage.output += turn.usage?.outputTokens ?? 0;
    return turn;
  };
  const { stream, response } = ai.generateStream({
    model: `toolwire/${name}`,
    prompt: question,
    tools: [getWeather],
    use: [count],
  });
  for await (const chunk of stream) {
    outcome.said += chunk.text;
    outcome.thought += chunk.reasoning;
  }
  await response;
  return outcome;
};

const use = { client: ["genkit", "@genkit-ai/compat-oai"], mode: "`generateStream`" };
// Of a call that was cut it makes one whose arguments are an empty text.
describeRoundTrips({ ...use, api: "chat" }, program, /Schema validation failed/);
