import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describeRoundTrips } from "./support/round-trip.ts";
import { streamTextProgram } from "./support/stream-text.ts";

const program = streamTextProgram({
  model: ({ url }, name) =>
    createOpenAICompatible({ name: "toolwire", baseURL: url, apiKey: "none", includeUsage: true }).chatModel(name),
  thinks: true,
});
describeRoundTrips({ client: ["ai", "@ai-sdk/openai-compatible"], mode: "`streamText`", api: "chat" }, program, null);
