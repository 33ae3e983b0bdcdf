/** The events of a Responses stream, as the provider of the soak sends them. */
const usage = {
  input_tokens: 24,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 36,
};

export function print({ type, ...rest }) {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}

export const created = { type: "response.created", response: { id: "resp_soak", status: "in_progress" } };

export const completed = {
  type: "response.completed",
  response: { id: "resp_soak", status: "completed", output: [], usage },
};

export function messageStarted(id) {
  return { type: "response.output_item.added", output_index: 0, item: message(id, "in_progress", []) };
}

export function textDelta(id, delta) {
  return { type: "response.output_text.delta", item_id: id, output_index: 0, content_index: 0, delta };
}

export function messageDone(id, text) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "response.output_item.done", output_index: 0, item: message(id, "completed", content) };
}

export function callDone(callId, name, words) {
  const item = { type: "function_call", id: `fc_${callId}`, call_id: callId, name, arguments: JSON.stringify(words) };
  return { type: "response.output_item.done", output_index: 0, item };
}

function message(id, status, content) {
  return { type: "message", id, status, role: "assistant", content };
}
