import { OpenAI, OpenAIResponses } from "@llamaindex/openai";
import { agent, agentStreamEvent } from "@llamaindex/workflow";
import { type ChatMessage, type ToolCall, type ToolCallLLMMessageOptions, tool } from "llamaindex";
import { expect, it } from "vitest";
import { z } from "zod";
import { isObject } from "../../src/turn/index.ts";
import {
  describeRoundTrips,
  describeUse,
  type Gateway,
  type Outcome,
  type Program,
  type Weather,
  weatherStation,
} from "./support/round-trip.ts";
import { answer, cities, preamble, question, scenes, usage } from "./support/script.ts";

const client = ["llamaindex", "@llamaindex/openai"];
const settings = ({ url }: Gateway, model: string) => ({ model, baseURL: url, apiKey: "none", maxRetries: 0 });
const onChat = (gateway: Gateway, model: string) =>
  new OpenAI({ ...settings(gateway, model), additionalChatOptions: { stream_options: { include_usage: true } } });
const toolOf = (weather: Weather) =>
  tool({
    name: "get_weather",
    description: "Weather now",
    parameters: z.object({ city: z.string() }),
    execute: weather,
  });

/** What one turn brought. */
interface Said {
  text: string;
  calls: ToolCall[];
  tokens: unknown;
}

type Messages = ChatMessage<ToolCallLLMMessageOptions>[];

/** The loop that a program writes where it does not leave it to an agent. */
async function loop(weather: Weather, ask: (messages: Messages) => Promise<Said>): Promise<Outcome> {
  const messages: Messages = [{ role: "user", content: question }];
  const outcome: Outcome = { said: "", usage: { input: 0, output: 0 } };
  for (;;) {
    const { text, calls, tokens } = await ask(messages);
    outcome.said += text;
    count(outcome, tokens);
    if (calls.length === 0) return outcome;
    messages.push({ role: "assistant", content: text, options: { toolCall: calls } });
    for (const { id, input } of calls) {
      const place = typeof input === "string" ? (JSON.parse(input) as { city: string }) : { city: String(input.city) };
      const result = weather(place);
      messages.push({ role: "user", content: result, options: { toolResult: { id, result, isError: false } } });
    }
  }
}

const chat: Program = (gateway, model, weather) => {
  const llm = onChat(gateway, model);
  return loop(weather, async (messages) => {
    const said: Said = { text: "", calls: [], tokens: undefined };
    // Every chunk repeats the call that is under way; only the last of them has it whole.
    const calls = new Map<string, ToolCall>();
    for await (const chunk of await llm.chat({ messages, tools: [toolOf(weather)], stream: true })) {
      said.text += chunk.delta;
      for (const call of callsOf(chunk.options)) calls.set(call.id, call);
      if (isObject(chunk.raw) && chunk.raw.usage) said.tokens = chunk.raw.usage;
    }
    return { ...said, calls: [...calls.values()] };
  });
};

const responses: Program = (gateway, model, weather) => {
  const llm = new OpenAIResponses(settings(gateway, model));
  return loop(weather, async (messages) => {
    const { message, raw } = await llm.chat({ messages, tools: [toolOf(weather)] });
    const text = typeof message.content === "string" ? message.content : "";
    return { text, calls: callsOf(message.options), tokens: isObject(raw) ? raw.usage : undefined };
  });
};

function callsOf(options: ToolCallLLMMessageOptions | undefined): ToolCall[] {
  return options && "toolCall" in options ? (options.toolCall as ToolCall[]) : [];
}

/** The tokens of a turn, in the words of either API. */
function count({ usage: sum }: Outcome, tokens: unknown): void {
  if (!isObject(tokens)) return;
  sum.input += Number(tokens.prompt_tokens ?? tokens.input_tokens);
  sum.output += Number(tokens.completion_tokens ?? tokens.output_tokens);
}

describeRoundTrips({ client, mode: "`OpenAI.chat`, streaming", api: "chat" }, chat, /JSON/);
describeRoundTrips({ client, mode: "`OpenAIResponses.chat`", api: "responses" }, responses, null);

// An agent waits for ever where the model fails, so that only the round trip can be tried.
describeUse({ client, mode: "`agent.runStream`", api: "chat" }, (backend, gateway) => {
  it.each(scenes)("runs each tool once and brings the answer of a %s model", async (scene) => {
    const { asked, weather } = weatherStation();
    const llm = onChat(gateway, `${backend}/${scene}`);
    const outcome: Outcome = { said: "", usage: { input: 0, output: 0 } };
    for await (const event of agent({ llm, tools: [toolOf(weather)] }).runStream(question)) {
      if (!agentStreamEvent.include(event)) continue;
      const { delta, raw } = event.data;
      outcome.said += delta;
      if (isObject(raw)) count(outcome, raw.usage);
    }
    expect(asked).toEqual(cities.map((city) => ({ city })));
    expect(outcome).toEqual({ said: scene === "talkative" ? preamble + answer : answer, usage });
  });
});
