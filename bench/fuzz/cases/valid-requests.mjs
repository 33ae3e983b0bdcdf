/** Requests as clients send them; the fuzz changes them, or leaves them as they are where something else is changed. */

const strictParameters = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: ["integer", "null"] } },
  required: ["city", "days"],
  additionalProperties: false,
};

export const strictTool = "forecast";

/** Whether arguments fit the schema of the strict tool. */
export function fitsStrictTool(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  const { city, days, ...others } = value;
  return typeof city === "string" && (days === null || Number.isInteger(days)) && Object.keys(others).length === 0;
}

export const functions = [
  { name: "f", parameters: { type: "object", properties: { a: {}, b: { type: "string" }, c: { type: "integer" } } } },
  {
    name: "write_file",
    description: "Writes a file",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string" },
        content: { type: "string" },
        options: {
          type: "object",
          properties: { mode: { enum: ["a", "w"] }, tags: { type: "array", items: { type: "string" } } },
        },
      },
      required: ["path", "content"],
    },
  },
  { name: strictTool, description: "The weather", strict: true, parameters: strictParameters },
];

export const chatTools = functions.map((definition) => ({ type: "function", function: definition }));
export const responsesTools = functions.map((definition) => ({ type: "function", ...definition }));

const image =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const schema = {
  name: "answer",
  strict: true,
  schema: { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
};

const call = { id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } };

export const chatRequests = {
  plain: { messages: [{ role: "user", content: "Hello" }] },
  tools: {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Call f." },
    ],
    tools: chatTools,
  },
  history: {
    messages: [
      { role: "developer", content: "Use the tools." },
      {
        role: "user",
        content: [
          { type: "text", text: "See" },
          { type: "image_url", image_url: { url: image, detail: "low" } },
        ],
      },
      {
        role: "assistant",
        content: "I look.",
        reasoning_content: "I must call f.",
        tool_calls: [call, { ...call, id: "call_2" }],
      },
      { role: "tool", tool_call_id: "call_1", content: "1" },
      { role: "tool", tool_call_id: "call_2", content: [{ type: "text", text: "2" }] },
      { role: "assistant", content: null, refusal: "No.", name: "a" },
      { role: "user", content: "Go on." },
    ],
    tools: chatTools,
    tool_choice: "auto",
    parallel_tool_calls: true,
  },
  settings: {
    messages: [{ role: "user", content: "Hello", name: "me" }],
    temperature: 0.5,
    top_p: 1,
    n: 1,
    max_tokens: 100,
    max_completion_tokens: 100,
    stop: ["END", "\n\n\n"],
    seed: 1,
    logprobs: true,
    top_logprobs: 2,
    presence_penalty: 0,
    frequency_penalty: 0,
    logit_bias: { 50256: -100 },
    user: "me",
    metadata: { a: "b" },
    store: false,
    reasoning_effort: "low",
    response_format: { type: "json_schema", json_schema: schema },
    stream_options: { include_usage: true },
    service_tier: "auto",
  },
  forced: {
    messages: [{ role: "user", content: "Call f." }],
    tools: chatTools,
    tool_choice: { type: "function", function: { name: "f" } },
  },
  required: { messages: [{ role: "user", content: "Call it." }], tools: chatTools, tool_choice: "required" },
  allowed: {
    messages: [{ role: "user", content: "Call it." }],
    tools: chatTools,
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] },
    },
  },
  legacy: {
    messages: [
      { role: "user", content: "Call f." },
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "1" },
    ],
    functions: functions.slice(0, 2),
    function_call: "auto",
  },
  custom: {
    messages: [{ role: "user", content: "Call g." }],
    tools: [...chatTools, { type: "custom", custom: { name: "g", description: "d", format: { type: "text" } } }],
  },
};

export const responsesRequests = {
  plain: { input: "Hello" },
  tools: { instructions: "Be brief.", input: [{ role: "user", content: "Call f." }], tools: responsesTools },
  history: {
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Use the tools." }] },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "See" },
          { type: "input_image", image_url: image, detail: "low" },
        ],
      },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "I must call f." }],
        encrypted_content: "aGVsbG8=",
      },
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "I look.", annotations: [] }],
      },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: '{"a":1}', status: "completed" },
      { type: "custom_tool_call", id: "ctc_1", call_id: "call_2", name: "g", input: "x" },
      { type: "function_call_output", call_id: "call_1", output: "1" },
      { type: "custom_tool_call_output", call_id: "call_2", output: [{ type: "input_text", text: "2" }] },
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "a" } },
      { role: "user", content: "Go on." },
    ],
    tools: [
      ...responsesTools,
      { type: "custom", name: "g", format: { type: "grammar", syntax: "lark", definition: "start: /a+/" } },
    ],
    tool_choice: "auto",
    parallel_tool_calls: false,
  },
  settings: {
    input: [{ type: "input_text", text: "Hello" }],
    temperature: 0.5,
    top_p: 1,
    max_output_tokens: 100,
    max_tool_calls: 3,
    metadata: { a: "b" },
    store: false,
    include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
    reasoning: { effort: "low", summary: "auto" },
    text: { format: { type: "json_schema", ...schema }, verbosity: "low" },
    truncation: "auto",
    top_logprobs: 2,
    user: "me",
    prompt_cache_key: "k",
    safety_identifier: "s",
    service_tier: "auto",
    background: false,
  },
  forced: { input: "Call f.", tools: responsesTools, tool_choice: { type: "function", name: "f" } },
  required: { input: "Call it.", tools: responsesTools, tool_choice: "required" },
  allowed: {
    input: "Call it.",
    tools: responsesTools,
    tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] },
  },
  state: { input: [{ type: "item_reference", id: "msg_1" }], previous_response_id: "resp_1", conversation: "conv_1" },
  special: {
    input: "Search.",
    tools: [
      ...responsesTools,
      { type: "web_search" },
      { type: "mcp", server_label: "s", server_url: "https://example.com" },
      { type: "namespace", name: "n", tools: responsesTools.slice(0, 1) },
      { type: "local_shell" },
    ],
  },
};

export function requestsOf(api) {
  return api === "chat" ? chatRequests : responsesRequests;
}

export function pathOf(api) {
  return api === "chat" ? "/v1/chat/completions" : "/v1/responses";
}
