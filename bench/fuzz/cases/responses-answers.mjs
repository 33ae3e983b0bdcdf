/** Answers of a Responses provider, as lists of events. */

const usage = {
  input_tokens: 5,
  input_tokens_details: { cached_tokens: 1 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 12,
};
const error = { type: "server_error", code: "server_error", message: "The model failed.", param: null };

function response(status, output, more = {}) {
  return {
    id: "resp_1",
    object: "response",
    created_at: 1760000000,
    model: "fuzz",
    status,
    error: null,
    incomplete_details: null,
    output,
    usage: status === "in_progress" ? null : usage,
    ...more,
  };
}

export const part = (text) => ({ type: "output_text", text, annotations: [], logprobs: [] });
export const message = (text, index = 0) => ({
  type: "message",
  id: `msg_${index}`,
  status: "completed",
  role: "assistant",
  content: [part(text)],
});
const call = (index, name, args) => ({
  type: "function_call",
  id: `fc_${index}`,
  call_id: `call_${index}`,
  name,
  arguments: args,
  status: "completed",
});
const custom = (index, input) => ({
  type: "custom_tool_call",
  id: `ctc_${index}`,
  call_id: `call_${index}`,
  name: "g",
  input,
  status: "completed",
});
const reasoning = (index, text) => ({
  type: "reasoning",
  id: `rs_${index}`,
  summary: [{ type: "summary_text", text }],
  encrypted_content: "aGVsbG8=",
});

/** How an item grows: the events from its beginning to its end. */
function eventsOf(item, output_index, pieces) {
  const place = { item_id: item.id, output_index };
  const begin = (began) => ({
    type: "response.output_item.added",
    output_index,
    item: { ...item, status: "in_progress", ...began },
  });
  const done = { type: "response.output_item.done", output_index, item };
  switch (item.type) {
    case "message": {
      const text = item.content[0].text;
      const at = { ...place, content_index: 0 };
      return [
        begin({ content: [] }),
        { type: "response.content_part.added", ...at, part: part("") },
        ...(pieces ?? text.split(/(?<= )/)).map((delta) => ({
          type: "response.output_text.delta",
          ...at,
          delta,
          logprobs: [],
        })),
        { type: "response.output_text.done", ...at, text, logprobs: [] },
        { type: "response.content_part.done", ...at, part: part(text) },
        done,
      ];
    }
    case "function_call":
      return [
        begin({ arguments: "" }),
        ...(pieces ?? item.arguments.split(/(?<=[:,])/)).map((delta) => ({
          type: "response.function_call_arguments.delta",
          ...place,
          delta,
        })),
        { type: "response.function_call_arguments.done", ...place, name: item.name, arguments: item.arguments },
        done,
      ];
    case "custom_tool_call":
      return [
        begin({ input: "" }),
        { type: "response.custom_tool_call_input.delta", ...place, delta: item.input },
        { type: "response.custom_tool_call_input.done", ...place, input: item.input },
        done,
      ];
    case "reasoning": {
      const { text } = item.summary[0];
      const at = { ...place, summary_index: 0 };
      return [
        begin({ summary: [] }),
        { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
        ...(pieces ?? [text]).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
        { type: "response.reasoning_summary_text.done", ...at, text },
        { type: "response.reasoning_summary_part.done", ...at, part: { type: "summary_text", text } },
        done,
      ];
    }
    default:
      return [begin({}), done];
  }
}

const opening = ["response.created", "response.in_progress"].map((type) => ({
  type,
  response: response("in_progress", []),
}));

function numbered(events) {
  return events.map(({ type, ...rest }, sequence_number) => ({
    event: type,
    data: { type, sequence_number, ...rest },
  }));
}

function stream(items, ending = { type: "response.completed", response: response("completed", items) }, pieces = []) {
  return numbered([...opening, ...items.flatMap((item, index) => eventsOf(item, index, pieces[index])), ending].flat());
}

const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "a" } };
const weather = '{"city":"Lisbon","days":3}';
const failed = { type: "response.failed", response: response("failed", [], { error }) };

export const responsesStreams = {
  text: stream([message("Hello you there.")]),
  call: stream([call(0, "forecast", weather)]),
  "reasoning, text, calls": stream([
    reasoning(0, "I think."),
    message("I look.", 1),
    call(2, "f", '{"a":1}'),
    call(3, "write_file", '{"path":"p","content":"c"}'),
  ]),
  custom: stream([custom(0, "some input")]),
  search: stream([search, message("Found.", 1)]),
  "same call in text": stream([
    message('<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'),
    call(1, "f", '{"a":1}'),
  ]),
  incomplete: stream([message("And then")], {
    type: "response.incomplete",
    response: response("incomplete", [message("And then")], { incomplete_details: { reason: "max_output_tokens" } }),
  }),
  failed: stream([message("And then")], failed),
  "failed first": stream([], failed),
  error: stream([message("And then")], [{ type: "error", ...error }, failed]),
  "error first": numbered([{ type: "error", ...error, code: "rate_limit_exceeded" }]),
  "only the end": stream([], {
    type: "response.completed",
    response: response("completed", [message("All of it."), call(1, "f", "{}")]),
  }),
};

export const responsesWholes = {
  text: response("completed", [message("Hello.")]),
  calls: response("completed", [reasoning(0, "Hm."), call(1, "forecast", weather), custom(2, "x")]),
  incomplete: response("incomplete", [message("And")], { incomplete_details: { reason: "content_filter" } }),
  failed: response("failed", [], { error }),
  error: { error },
};

/** The stream of one text: in a message, or as reasoning. */
export function responsesText(pieces, { as = "content", status = "completed" } = {}) {
  const text = pieces.join("");
  const items = as === "content" ? [message(text)] : [reasoning(0, text), message("Yes.", 1)];
  return stream(items, { type: `response.${status}`, response: response(status, items) }, [pieces]);
}

export function responsesWholeText(text, as = "content") {
  return response("completed", as === "content" ? [message(text)] : [reasoning(0, text), message("Yes.", 1)]);
}
