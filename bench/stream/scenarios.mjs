import { planStream } from "../servers/plan.mjs";
import { contentOf, modelName, toolName, wholeText } from "../servers/script.mjs";

const paths = { chat: "/v1/chat/completions", responses: "/v1/responses" };

/** As a fast or buffered provider writes: here the translation itself is what costs. It comes first, for it warms up the most. */
const batched = { pieces: 500, perWrite: 20 };
/** As a model writes: an event, a write, a read. What a system call costs is in every number. */
const single = { pieces: 250, perWrite: 1 };

const streamBudgets = { chat: 1.2, responses: 1.3 };
const wholeBudget = 2;

/** Each is named client-backend-what, and by how its events come. */
export const scenarios = [
  ...stream("chat", "chat", "text"),
  ...stream("chat", "chat", "call"),
  ...stream("responses", "responses", "text"),
  ...stream("responses", "chat", "text"),
  ...stream("responses", "chat", "call", { batched }),
  ...stream("chat", "responses", "text"),
  whole("chat", "chat"),
  whole("responses", "chat"),
];

function stream(client, backend, kind, paces = { batched, single }) {
  return Object.entries(paces).map(([pace, writing]) => {
    const script = { kind, ...writing };
    return {
      name: `${client}-${backend}-${kind}-${pace}`,
      client,
      backend,
      kind,
      stream: true,
      model: modelName(script),
      pieces: contentOf(script),
      units: "event",
      unitsPerRequest: planStream(backend, modelName(script)).events,
      requests: pace === "single" ? 4 : 8,
      warmUps: pace === "single" ? 3 : 12,
      baseline: "reprint",
      budget: streamBudgets[client],
    };
  });
}

function whole(client, backend) {
  return {
    name: `${client}-${backend}-whole`,
    client,
    backend,
    kind: "text",
    stream: false,
    model: modelName({ kind: "text", pieces: 1, perWrite: 1 }),
    pieces: [wholeText],
    units: "request",
    unitsPerRequest: 1,
    requests: 300,
    // A request goes through much code once: it takes thousands of them until all of it is compiled.
    warmUps: 30,
    baseline: "pipe",
    budget: wholeBudget,
  };
}

/**
 * What is asked of a contender. Toolwire is asked in the client's API; the others cannot translate, so they carry the backend's:
 * the same events of the same provider.
 */
export function requestOf(scenario, contender) {
  const { client, backend, kind, stream, model } = scenario;
  const { translates } = contender;
  const api = translates ? client : backend;
  return {
    api,
    url: contender.url + paths[api],
    body: { ...bodies[api](kind), model: translates ? `${backend}/${model}` : model, stream, ...besides(api, stream) },
  };
}

function besides(api, stream) {
  return api === "chat" && stream ? { stream_options: { include_usage: true } } : {};
}

const description = "Writes a text to a file.";
const parameters = {
  type: "object",
  properties: { path: { type: "string" }, content: { type: "string" } },
  required: ["path", "content"],
};
const questions = { text: "How is the weather in Paris?", call: "Write the report to notes/report.md." };

const bodies = {
  chat: (kind) => ({
    messages: [
      { role: "system", content: "You are a helpful assistant." },
      { role: "user", content: questions[kind] },
    ],
    tools: [{ type: "function", function: { name: toolName, description, parameters } }],
  }),
  responses: (kind) => ({
    instructions: "You are a helpful assistant.",
    input: [{ role: "user", content: questions[kind] }],
    tools: [{ type: "function", name: toolName, description, parameters }],
  }),
};

/** The idle streams: a chat stream that the provider holds after its first delta. */
export const idle = {
  name: "memory",
  count: 300,
  budget: 16 * 1024,
  scenario: {
    client: "chat",
    backend: "chat",
    kind: "text",
    stream: true,
    model: modelName({ kind: "hold", pieces: 1, perWrite: 1 }),
  },
};
