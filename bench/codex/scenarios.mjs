import { contentOf, modelName, toolName } from "../servers/script.mjs";

/** `pause` is between the writes of the provider, in milliseconds: 0 is a model that has all its words at once. */
export const scenarios = [
  scenario("short", { kind: "text", pieces: 10, perWrite: 10, pause: 0 }, { requests: 10, concurrency: 1 }),
  // As a model writes: each delta by itself.
  scenario("long", { kind: "text", pieces: 200, perWrite: 1, pause: 3 }, { requests: 2, concurrency: 1 }),
  scenario("call", { kind: "call", pieces: 20, perWrite: 20, pause: 0 }, { requests: 10, concurrency: 1 }),
  scenario("crowd", { kind: "text", pieces: 10, perWrite: 10, pause: 0 }, { requests: 16, concurrency: 8 }),
];

/** Before anything is measured: code that has run a hundred times costs less. */
export const warmUp = { ...scenarios.at(-1), requests: 96 };

function scenario(name, script, size) {
  const pieces = contentOf(script);
  return { name, kind: script.kind, pieces, model: `${modelName(script)}-${script.pause}`, ...size };
}

const instructions = "You are a helpful assistant.";
const question = "Write the report to notes/report.md.";
const description = "Writes a text to a file.";
const parameters = {
  type: "object",
  properties: { path: { type: "string" }, content: { type: "string" } },
  required: ["path", "content"],
};

/** What a client of the gateway asks. */
export function chatBody({ model }, stream) {
  return {
    model: `codex/${model}`,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
    messages: [
      { role: "system", content: instructions },
      { role: "user", content: question },
    ],
    tools: [{ type: "function", function: { name: toolName, description, parameters } }],
  };
}

/** The same in the words of the app-server. */
export function threadOf(model, cwd) {
  return {
    model,
    cwd,
    approvalPolicy: "never",
    sandbox: "read-only",
    ephemeral: true,
    baseInstructions: "",
    environments: [],
    experimentalRawEvents: true,
    dynamicTools: [{ type: "function", name: toolName, description, inputSchema: parameters }],
  };
}

export const items = [message("developer", instructions), message("user", question)];

function message(role, text) {
  return { type: "message", role, content: [{ type: "input_text", text }] };
}
