import { tool } from "./words.mjs";

const parameters = {
  type: "object",
  properties: { word: { type: "string" } },
  required: ["word"],
  additionalProperties: false,
};
const description = "Looks a word up.";

/** The two APIs in one shape. `read` makes text and calls of an answer; `after` is the conversation with the results. */
export const apis = {
  chat: {
    path: "/v1/chat/completions",
    start: (text) => [{ role: "user", content: text }],
    body: (model, messages, stream) => ({
      ...{ model, messages, stream },
      tools: [{ type: "function", function: { name: tool, description, parameters } }],
    }),
    read: (text, stream) => (stream ? foldChunks(eventsOf(text)) : readMessage(JSON.parse(text).choices[0].message)),
    after: (messages, { text, calls }, result) => [
      ...messages,
      { role: "assistant", content: text || null, tool_calls: calls.map(chatCall) },
      ...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: result })),
    ],
  },
  responses: {
    path: "/v1/responses",
    start: (text) => [{ role: "user", content: text }],
    body: (model, input, stream) => ({
      ...{ model, input, stream, store: false },
      tools: [{ type: "function", name: tool, description, parameters }],
    }),
    read: (text, stream) => readOutput(stream ? eventsOf(text).at(-1).response : JSON.parse(text)),
    after: (input, { calls }, result) => [
      ...input,
      ...calls.map(({ id, ...call }) => ({ type: "function_call", call_id: id, ...call })),
      ...calls.map(({ id }) => ({ type: "function_call_output", call_id: id, output: result })),
    ],
  },
};

function eventsOf(text) {
  const data = text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : []));
  return data.filter((payload) => payload !== "[DONE]").map((payload) => JSON.parse(payload));
}

function chatCall({ id, ...call }) {
  return { id, type: "function", function: call };
}

function readMessage({ content, tool_calls: calls = [] }) {
  return { text: content ?? "", calls: calls.map(({ id, function: called }) => ({ id, ...called })) };
}

function foldChunks(chunks) {
  const folded = { text: "", calls: [] };
  for (const { delta } of chunks.flatMap(({ choices }) => choices)) {
    folded.text += delta.content ?? "";
    for (const { index, id, function: part } of delta.tool_calls ?? []) {
      folded.calls[index] ??= { id, name: part.name, arguments: "" };
      folded.calls[index].arguments += part.arguments ?? "";
    }
  }
  return folded;
}

function readOutput({ status, output }) {
  if (status !== "completed") throw new Error(`the response's status is ${status}`);
  const calls = output.filter(({ type }) => type === "function_call");
  const parts = output.filter(({ type }) => type === "message").flatMap(({ content }) => content);
  return {
    text: parts.map(({ text }) => text).join(""),
    calls: calls.map(({ call_id: id, name, arguments: words }) => ({ id, name, arguments: words })),
  };
}
