import { defineCommand } from "citty";

export const replayFlags = {
  file: {
    type: "positional",
    required: false,
    valueHint: "FILE",
    description: "What was recorded; - is standard input",
  },
  tools: { type: "string", valueHint: "FILE", description: "The tools, as JSON: a list of either API, or a request" },
  tool: { type: "string", valueHint: "NAME,…", description: "The tools, by name alone" },
  dialects: { type: "string", valueHint: "auto|none|NAME,…", description: "In which calls are looked for (auto)" },
  format: { type: "string", valueHint: "spans|events", description: "spans on a terminal, events (NDJSON) elsewhere" },
  api: { type: "string", valueHint: "responses|chat", description: "Whose events (responses)" },
  ending: { type: "string", valueHint: "stop|cut", description: "How a text ended (stop)" },
  pieces: { type: "string", valueHint: "N", description: "Give a text N characters at a time" },
} as const;

export const replay = defineCommand({
  meta: { name: "replay", description: "Show what a recorded answer of a model becomes for a client" },
  args: replayFlags,
  // Imported on demand, because the other commands do not need it.
  run: async ({ args }) => (await import("./replay/run.ts")).runReplay(args),
});
