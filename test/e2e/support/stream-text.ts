import { generateText, isStepCount, type LanguageModel, streamText, tool } from "ai";
import { z } from "zod";
import type { Gateway, Outcome, Program, Weather } from "./round-trip.ts";
import { question } from "./script.ts";

// Its hints about what a provider does not take would stand between the results.
globalThis.AI_SDK_LOG_WARNINGS = false;

type Options = NonNullable<Parameters<typeof streamText>[0]["providerOptions"]>;

export interface Setting {
  model: (gateway: Gateway, name: string) => LanguageModel;
  options?: Options;
  /** Whether the provider's package has a place for reasoning. */
  thinks: boolean;
}

/** A program on the AI SDK, with any provider's package. */
export function streamTextProgram({ model, options, thinks }: Setting): Program {
  return async (gateway, name, weather) => {
    const result = streamText({
      ...request(model(gateway, name), weather),
      // The default writes to the console what the stream has as well.
      onError: () => undefined,
      ...(options && { providerOptions: options }),
    });
    for await (const part of result.fullStream) if (part.type === "error") throw part.error;
    return outcomeOf(await result.steps, await result.totalUsage, thinks);
  };
}

/** The same without streams. */
export function generateTextProgram({ model, options, thinks }: Setting): Program {
  return async (gateway, name, weather) => {
    const asked = { ...request(model(gateway, name), weather), ...(options && { providerOptions: options }) };
    const { steps, totalUsage } = await generateText(asked);
    return outcomeOf(steps, totalUsage, thinks);
  };
}

function request(model: LanguageModel, weather: Weather) {
  return {
    model,
    prompt: question,
    tools: {
      get_weather: tool({
        description: "Weather now",
        inputSchema: z.object({ city: z.string() }),
        execute: (place) => weather(place),
      }),
    },
    stopWhen: isStepCount(4),
    maxRetries: 0,
  };
}

interface Step {
  text: string;
  reasoningText: string | undefined;
}

interface TotalUsage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

function outcomeOf(steps: readonly Step[], { inputTokens, outputTokens }: TotalUsage, thinks: boolean): Outcome {
  return {
    said: steps.map(({ text }) => text).join(""),
    ...(thinks && { thought: steps.map(({ reasoningText }) => reasoningText ?? "").join("") }),
    usage: { input: inputTokens ?? 0, output: outputTokens ?? 0 },
  };
}
