import { expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { mutate, mutateAll, type Path } from "./mutate.ts";
import { checkResponsesStream, type ResponsesStreamOptions } from "./responses-stream.ts";

/** Responses streams written by hand, and the means to spoil them in one place. */
export const response: JsonObject = {
  ...{ id: "resp_1", object: "response", created_at: 1700000000, completed_at: null, status: "in_progress" },
  ...{ incomplete_details: null, model: "m", previous_response_id: null, instructions: null, output: [], error: null },
  tools: [{ type: "function", name: "get_weather", description: null, parameters: { type: "object" }, strict: false }],
  ...{ tool_choice: "auto", truncation: "disabled", parallel_tool_calls: true, text: { format: { type: "text" } } },
  ...{ top_p: 1, presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0, temperature: 1 },
  ...{ reasoning: { effort: null, summary: null }, usage: null, max_output_tokens: null, max_tool_calls: null },
  ...{ store: false, background: false, service_tier: "default", metadata: {} },
  ...{ safety_identifier: null, prompt_cache_key: null },
};
export const usage = {
  ...{ input_tokens: 11, output_tokens: 7, total_tokens: 18 },
  input_tokens_details: { cached_tokens: 1, cache_write_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 2 },
};

export const begin: JsonObject[] = [
  { type: "response.created", response },
  { type: "response.in_progress", response },
];

export function ending(
  status: "completed" | "incomplete" | "failed",
  output: JsonObject[],
  more: JsonObject = {},
): JsonObject {
  const completed_at = status === "completed" ? 1700000002 : null;
  return { type: `response.${status}`, response: { ...response, completed_at, status, output, usage, ...more } };
}

export const thought = { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] };
export const thinking: JsonObject[] = [
  { type: "response.output_item.added", output_index: 0, item: { ...thought, summary: [] } },
  ...[
    { type: "response.reasoning_summary_part.added", part: { type: "summary_text", text: "" } },
    { type: "response.reasoning_summary_text.delta", delta: "Hm" },
    { type: "response.reasoning_summary_text.delta", delta: "." },
    { type: "response.reasoning_summary_text.done", text: "Hm." },
    { type: "response.reasoning_summary_part.done", part: { type: "summary_text", text: "Hm." } },
  ].map((event) => ({ ...event, item_id: "rs_1", output_index: 0, summary_index: 0 })),
  { type: "response.output_item.done", output_index: 0, item: thought },
];

export const citation = { type: "url_citation", url: "https://a.example", title: "A", start_index: 0, end_index: 2 };
export const message = {
  ...{ id: "msg_1", type: "message", role: "assistant", status: "completed" },
  content: [
    { type: "output_text", text: "Good day", annotations: [citation], logprobs: [] },
    { type: "refusal", refusal: "No." },
  ],
};
export const inPart = (content_index: number) => (event: JsonObject) => ({
  ...event,
  ...{ item_id: "msg_1", output_index: 0, content_index },
});
export const saying: JsonObject[] = [
  { type: "response.output_item.added", output_index: 0, item: { ...message, status: "in_progress", content: [] } },
  ...[
    { type: "response.content_part.added", part: { type: "output_text", text: "", annotations: [], logprobs: [] } },
    { type: "response.output_text.delta", delta: "Good ", logprobs: [] },
    { type: "response.output_text.delta", delta: "day", logprobs: [] },
    { type: "response.output_text.annotation.added", annotation_index: 0, annotation: citation },
    { type: "response.output_text.done", text: "Good day", logprobs: [] },
    { type: "response.content_part.done", part: message.content[0] },
  ].map(inPart(0)),
  ...[
    { type: "response.content_part.added", part: { type: "refusal", refusal: "" } },
    { type: "response.refusal.delta", delta: "No." },
    { type: "response.refusal.done", refusal: "No." },
    { type: "response.content_part.done", part: message.content[1] },
  ].map(inPart(1)),
  { type: "response.output_item.done", output_index: 0, item: message },
];

export const args = '{"city":"Rome"}';
export const weather = {
  ...{ id: "fc_1", type: "function_call", call_id: "call_1", name: "get_weather", arguments: args },
  status: "completed",
};
export const calling: JsonObject[] = [
  { type: "response.output_item.added", output_index: 0, item: { ...weather, arguments: "", status: "in_progress" } },
  ...[
    { type: "response.function_call_arguments.delta", delta: '{"city":' },
    { type: "response.function_call_arguments.delta", delta: '"Rome"}' },
    { type: "response.function_call_arguments.done", name: "get_weather", arguments: args },
  ].map((event) => ({ ...event, item_id: "fc_1", output_index: 0 })),
  { type: "response.output_item.done", output_index: 0, item: weather },
];

export const patch = {
  id: "ctc_1",
  type: "custom_tool_call",
  call_id: "call_2",
  name: "apply_patch",
  input: "*** End",
};
export const patching: JsonObject[] = [
  { type: "response.output_item.added", output_index: 0, item: { ...patch, input: "" } },
  ...[
    { type: "response.custom_tool_call_input.delta", delta: "*** End" },
    { type: "response.custom_tool_call_input.done", input: "*** End" },
  ].map((event) => ({ ...event, item_id: "ctc_1", output_index: 0 })),
  { type: "response.output_item.done", output_index: 0, item: patch },
];

/** The item's events as those of the second item. */
export function second(events: JsonObject[]): JsonObject[] {
  return events.map((event) => ({ ...event, output_index: 1 }));
}

export const callOnly = [...begin, ...calling, ending("completed", [weather])];
export const textOnly = [...begin, ...saying, ending("completed", [message])];
export const thoughtOnly = [...begin, ...thinking, ending("completed", [thought])];
export const patchOnly = [...begin, ...patching, ending("completed", [patch])];
export const twoCalls = [...begin, ...calling, ...second(patching), ending("completed", [weather, patch])];

export const problem = { message: "The provider broke off.", type: "server_error", param: null, code: "upstream_cut" };
export const failure = [
  { type: "error", message: problem.message, param: null, code: problem.code, error: problem },
  ending("failed", [], { error: { code: "server_error", message: problem.message } }),
];
export const failed = [...begin, ...saying.slice(0, 4), ...failure];
export const limited = [
  ...begin,
  ...saying,
  ...second(calling.slice(0, 2)),
  ending("incomplete", [message], { incomplete_details: { reason: "max_output_tokens" } }),
];

export const tool = { item_id: "fc_1", output_index: 0 };
export const extendedCall = [
  ...begin,
  ...calling.slice(0, 1),
  { type: "response.output_tool_call.begin", ...tool, call_id: "call_1", name: "get_weather" },
  ...calling.slice(1, 2),
  { type: "response.output_tool_call.delta", ...tool, delta: '{"city":' },
  ...calling.slice(2, 3),
  { type: "response.output_tool_call.delta", ...tool, delta: '"Rome"}' },
  ...calling.slice(3, 4),
  { type: "response.output_tool_call.end", ...tool, name: "get_weather", arguments: args },
  ...calling.slice(4),
  ending("completed", [weather]),
  { ...ending("completed", [weather]), type: "response.done" },
];

export function numbered(events: readonly JsonObject[]): JsonObject[] {
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

export function frames(events: readonly JsonObject[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

export const done = "data: [DONE]\n\n";

export function sse(events: readonly JsonObject[]): string {
  return `${frames(numbered(events))}${done}`;
}

export function withArguments(text: string): JsonObject[] {
  return mutateAll(
    callOnly.toSpliced(4, 1),
    [[3, "delta"], text],
    [[4, "arguments"], text],
    [[5, "item", "arguments"], text],
    [[6, "response", "output", 0, "arguments"], text],
  );
}

/** The faults that the stream must show, no more and no fewer. */
export type Case = [faults: string | string[], stream: JsonObject[] | string, options?: ResponsesStreamOptions];

export function bite(cases: Case[]): void {
  it.each(cases)("%s", (faults, stream, options) => {
    const text = typeof stream === "string" ? stream : sse(stream);
    expect(checkResponsesStream(text, options).faults).toEqual([faults].flat());
  });
}

export const on =
  (stream: JsonObject[]) =>
  (...path: Path) =>
  (value: unknown) =>
    mutate(stream, path, value);
export const call = on(callOnly);
export const text = on(textOnly);
export const mind = on(thoughtOnly);
export const both = on(twoCalls);

/** The last item of a stream, changed where it is done and in the terminal output alike. */
export function spoilItem(stream: JsonObject[], path: Path, value: unknown): JsonObject[] {
  const done = stream.length - 2;
  const output = stream.filter((event) => event.type === "response.output_item.done");
  return mutateAll(
    stream,
    [[done, "item", ...path], value],
    [[done + 1, "response", "output", output.length - 1, ...path], value],
  );
}
