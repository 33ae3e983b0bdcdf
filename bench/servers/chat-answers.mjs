import { contentOf, toolName, wholeText } from "./script.mjs";

const head = { id: "chatcmpl-C0ffee", created: 1760000000, model: "bench-1", service_tier: "default" };
const usage = {
  prompt_tokens: 24,
  completion_tokens: 500,
  total_tokens: 524,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

/** A Chat Completions stream with every key that OpenAI sends. */
export function chatStream(script) {
  const call = script.kind === "call";
  const pieces = contentOf(script);
  const first = call
    ? {
        role: "assistant",
        content: null,
        tool_calls: [{ index: 0, id: "call_8f31", type: "function", function: { name: toolName, arguments: "" } }],
        refusal: null,
      }
    : { role: "assistant", content: "", refusal: null };
  const deltas = pieces.map((piece) =>
    call ? { tool_calls: [{ index: 0, function: { arguments: piece } }] } : { content: piece },
  );
  return {
    opening: [chatDelta(first)],
    deltas: deltas.map(chatDelta),
    ending: chatEnding(call ? "tool_calls" : "stop"),
  };
}

export function chatDelta(delta) {
  return chunk([choice(delta, null)], null);
}

export function chatEnding(finishReason) {
  return [chunk([choice({}, finishReason)], null), chunk([], usage), "data: [DONE]\n\n"];
}

export function chatWhole() {
  const message = { role: "assistant", content: wholeText, refusal: null, annotations: [] };
  return JSON.stringify({
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
    usage,
    system_fingerprint: "fp_c0ffee",
  });
}

function choice(delta, finish_reason) {
  return { index: 0, delta, logprobs: null, finish_reason };
}

function chunk(choices, usage) {
  const fields = {
    ...head,
    object: "chat.completion.chunk",
    system_fingerprint: "fp_c0ffee",
    choices,
    usage,
  };
  return `data: ${JSON.stringify(fields)}\n\n`;
}
