import { contentOf, toolName, wholeText } from "./script.mjs";

const usage = {
  input_tokens: 24,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 500,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 524,
};

/** A Responses stream with one item: a message, or a call of a function. */
export function responsesStream(script) {
  const pieces = contentOf(script);
  const { added, deltas, done } = script.kind === "call" ? callEvents(pieces) : messageEvents(pieces);
  const created = ["response.created", "response.in_progress"].map((type) => ({
    type,
    response: response("in_progress", []),
  }));
  const completed = { type: "response.completed", response: response("completed", [done.at(-1).item]) };
  let sequence_number = 0;
  const print = ({ type, ...rest }) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...rest })}\n\n`;
  return {
    opening: [...created, ...added].map(print),
    deltas: deltas.map(print),
    ending: [...done, completed].map(print),
  };
}

export function responsesWhole() {
  return JSON.stringify(response("completed", [message("completed", [part(wholeText)])]));
}

function messageEvents(pieces) {
  const place = { item_id: message("", []).id, output_index: 0, content_index: 0 };
  const text = pieces.join("");
  return {
    added: [
      { type: "response.output_item.added", output_index: 0, item: message("in_progress", []) },
      { type: "response.content_part.added", ...place, part: part("") },
    ],
    deltas: pieces.map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
    done: [
      { type: "response.output_text.done", ...place, text, logprobs: [] },
      { type: "response.content_part.done", ...place, part: part(text) },
      { type: "response.output_item.done", output_index: 0, item: message("completed", [part(text)]) },
    ],
  };
}

function callEvents(pieces) {
  const place = { item_id: call("", "").id, output_index: 0 };
  const whole = pieces.join("");
  return {
    added: [{ type: "response.output_item.added", output_index: 0, item: call("in_progress", "") }],
    deltas: pieces.map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
    done: [
      { type: "response.function_call_arguments.done", ...place, name: toolName, arguments: whole },
      { type: "response.output_item.done", output_index: 0, item: call("completed", whole) },
    ],
  };
}

function message(status, content) {
  return { type: "message", id: "msg_68af4030592c81938ec0a5fbab4a3e9f", status, role: "assistant", content };
}

function part(text) {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function call(status, text) {
  const id = "fc_68af4030baa48193b0b43b4c2a176a1a";
  return { type: "function_call", id, call_id: "call_8f31", name: toolName, arguments: text, status };
}

function response(status, output) {
  return {
    id: "resp_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b",
    object: "response",
    created_at: 1760000000,
    model: "bench-1",
    status,
    error: null,
    incomplete_details: null,
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage: status === "completed" ? usage : null,
    metadata: {},
  };
}
