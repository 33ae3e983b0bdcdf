/** Answers of a Chat Completions provider, as lists of events; `data` is what stands behind `data:`. */

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1760000000, model: "fuzz" };
const usage = {
  prompt_tokens: 5,
  completion_tokens: 7,
  total_tokens: 12,
  prompt_tokens_details: { cached_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

export function chatChunk(delta, finish_reason = null, more = {}) {
  return { data: { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason, ...more }] } };
}

export const chatDone = { data: "[DONE]" };
export const chatUsage = { data: { ...head, choices: [], usage } };

export function chatEnd(reason) {
  return [chatChunk({}, reason), chatUsage, chatDone];
}

export function chatCall(index, id, name, pieces) {
  return [
    chatChunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
    ...pieces.map((piece) => chatChunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

const role = chatChunk({ role: "assistant", content: "" });
const weather = ['{"city":', '"Lisbon"', ',"days":3}'];
const error = { message: "The model is overloaded.", type: "server_error", param: null, code: "overloaded" };
const logprobs = (token) => ({
  content: [{ token, logprob: -0.1, bytes: [97], top_logprobs: [{ token: "b", logprob: -2, bytes: [98] }] }],
  refusal: null,
});

export const chatStreams = {
  text: [role, ..."Hello you there.".split(" ").map((word) => chatChunk({ content: `${word} ` })), ...chatEnd("stop")],
  logprobs: [
    role,
    ...["a", "b", "c"].map((token) => chatChunk({ content: token }, null, { logprobs: logprobs(token) })),
    ...chatEnd("stop"),
  ],
  call: [role, ...chatCall(0, "call_1", "forecast", weather), ...chatEnd("tool_calls")],
  "text and call": [
    role,
    chatChunk({ content: "I look." }),
    ...chatCall(0, "call_1", "f", ['{"a"', ":1}"]),
    ...chatEnd("tool_calls"),
  ],
  "mixed calls": [
    role,
    ...interleave(
      chatCall(0, "call_1", "f", ['{"a":', '"x"}']),
      chatCall(1, "call_2", "write_file", ['{"path":"p",', '"content":"c"}']),
    ),
    ...chatEnd("tool_calls"),
  ],
  "same call in text": [
    role,
    chatChunk({ content: '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>' }),
    ...chatCall(0, "call_1", "f", ['{"a":1}']),
    ...chatEnd("tool_calls"),
  ],
  reasoning: [
    role,
    chatChunk({ reasoning_content: "I think " }),
    chatChunk({ reasoning: "about it.", reasoning_details: [{ type: "reasoning.text", text: "x", signature: "s" }] }),
    chatChunk({ content: "Yes." }),
    ...chatEnd("stop"),
  ],
  "think tags": [
    role,
    chatChunk({ content: "<think>I think" }),
    chatChunk({ content: "</think>\n\nYes." }),
    ...chatEnd("stop"),
  ],
  parts: [
    role,
    chatChunk({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Hm" }] },
        { type: "text", text: "Yes" },
      ],
    }),
    ...chatEnd("stop"),
  ],
  refusal: [role, chatChunk({ refusal: "No." }), ...chatEnd("stop")],
  images: [
    role,
    chatChunk({
      content: "See",
      images: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
      annotations: [
        {
          type: "url_citation",
          url_citation: { url: "https://example.com", title: "t", start_index: 0, end_index: 1 },
        },
      ],
    }),
    ...chatEnd("stop"),
  ],
  cut: [role, chatChunk({ content: "And then" }), ...chatEnd("length")],
  filter: [role, chatChunk({ content: "And then" }), ...chatEnd("content_filter")],
  legacy: [
    role,
    chatChunk({ function_call: { name: "f", arguments: "" } }),
    chatChunk({ function_call: { arguments: '{"a":1}' } }),
    ...chatEnd("function_call"),
  ],
  error: [role, chatChunk({ content: "And" }), { data: { error } }],
  "error first": [{ data: { error: { ...error, code: 429, type: "rate_limit_error" } } }],
  "error event": [role, { event: "error", data: { error } }, chatDone],
};

function interleave(...lists) {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) =>
    lists.flatMap((list) => (at < list.length ? [list[at]] : [])),
  ).flat();
}

const message = { role: "assistant", content: "Hello.", refusal: null, reasoning_content: "Hm.", annotations: [] };
const whole = (choice) => ({
  ...head,
  object: "chat.completion",
  choices: [{ index: 0, logprobs: null, ...choice }],
  usage,
});

export const chatWholes = {
  text: whole({ message, finish_reason: "stop" }),
  call: whole({
    message: {
      ...message,
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "forecast", arguments: weather.join("") } }],
    },
    finish_reason: "tool_calls",
  }),
  logprobs: whole({ message, logprobs: logprobs("a"), finish_reason: "stop" }),
  error: { error },
  list: { object: "list", data: [{ id: "fuzz", object: "model" }] },
};

/** The stream of one text: in the content, or as reasoning, which `after` follows. */
export function chatText(pieces, { as = "content", ending = "stop", after = as === "content" ? [] : ["Yes."] } = {}) {
  const deltas = pieces.map((piece) => chatChunk({ [as]: piece }));
  return [role, ...deltas, ...after.map((content) => chatChunk({ content })), ...chatEnd(ending)];
}

export function chatWholeText(text, as = "content") {
  return whole({ message: { role: "assistant", content: null, [as]: text }, finish_reason: "stop" });
}
