import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "./api.ts";
import type { Folded, FoldedCall } from "./folded.ts";
import type { Reply } from "./provider.ts";
import type { ToolWish } from "./requests.ts";

/** What a scripted model does, and what a client of either API must have of it, whatever lies between. */
export interface Scene {
  name: string;
  reply: Reply;
  /** What the model does when it is asked for a whole answer, where the stream cannot be put into one. */
  whole?: Reply;
  /** The kind of backend that can do this; both unless said. */
  backend?: Api;
  expects: Partial<Omit<Folded, "calls">> & {
    calls?: (Pick<FoldedCall, "name" | "arguments"> & Partial<FoldedCall>)[];
  };
  /** The types of a Responses client's items. */
  items: string[];
}

const place = {
  type: "object",
  properties: { location: { type: "string" }, note: { type: "string" } },
  required: ["location"],
};

export const tools: ToolWish[] = [
  { name: "get_weather", description: "The weather now", parameters: place },
  { name: "get_time", description: "The time now", parameters: place },
  { name: "refresh", description: "Loads everything again", parameters: { type: "object", properties: {} } },
  { name: "apply_patch", kind: "custom", description: "Edits files" },
];

const rome = { name: "get_weather", arguments: '{"location":"Rome"}' };
const oslo = { name: "get_weather", arguments: '{ "location": "Oslo" }' };
const noon = { name: "get_time", arguments: '{"location":"日本","note":"naïve \\"quoted\\" 😀\\n"}' };
const patch = { name: "apply_patch", arguments: '*** Begin\n+say "日本"\n*** End', kind: "custom" } as const;
const speech = "A plain answer — 日本 😀,\r\nin two lines.";
const citation = { type: "url_citation", url: "https://a.example/", title: "A", start_index: 0, end_index: 7 };

const elevenAndSeven = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/** Chat alone can send a call's arguments before its name. */
const late = [
  { tool_calls: [{ index: 0, function: { arguments: '{"loca' } }] },
  { tool_calls: [{ index: 0, id: "call_late", type: "function", function: { arguments: 'tion":' } }] },
  { tool_calls: [{ index: 0, function: { name: "get_weather" } }] },
  { tool_calls: [{ index: 0, function: { arguments: '"Rome"}' } }] },
].map((delta) => chunk(delta));

const sameIndex = [rome, noon].map((call, at) =>
  chunk({ tool_calls: [{ index: 0, id: `call_${at}`, type: "function", function: call }] }),
);

export const scenes: Scene[] = [
  { name: "text", reply: { say: speech }, expects: { text: speech }, items: ["message"] },
  { name: "call", reply: { calls: [noon] }, expects: { calls: [noon] }, items: ["function_call"] },
  {
    name: "parallel",
    reply: { calls: [rome, oslo, noon] },
    expects: { calls: [rome, oslo, noon] },
    items: ["function_call", "function_call", "function_call"],
  },
  {
    name: "interleaved",
    reply: { calls: [rome, noon, oslo], interleave: true, chunk: 4 },
    expects: { calls: [rome, noon, oslo] },
    items: ["function_call", "function_call", "function_call"],
  },
  {
    name: "text-and-call",
    reply: { say: "Let me look.", calls: [rome] },
    expects: { text: "Let me look.", calls: [rome] },
    items: ["message", "function_call"],
  },
  {
    name: "crumbs",
    reply: { think: "Ha 😀", say: speech, calls: [noon, rome], chunk: 1 },
    expects: { reasoning: "Ha 😀", text: speech, calls: [noon, rome] },
    items: ["reasoning", "message", "function_call", "function_call"],
  },
  {
    name: "empty-arguments",
    reply: { calls: [{ name: "refresh", arguments: "" }, rome, { name: "refresh", arguments: "" }] },
    expects: { calls: [{ name: "refresh", arguments: "{}" }, rome, { name: "refresh", arguments: "{}" }] },
    items: ["function_call", "function_call", "function_call"],
  },
  {
    name: "arguments-before-name",
    backend: "chat",
    whole: { calls: [rome] },
    reply: { chunks: [...late, chunk({}, "tool_calls"), { ...chunk({}), choices: [], usage: elevenAndSeven }] },
    expects: { calls: [rome] },
    items: ["function_call"],
  },
  {
    // Providers that count calls wrongly still give each its own id.
    name: "two-calls-under-one-index",
    backend: "chat",
    whole: { calls: [rome, noon] },
    reply: { chunks: [...sameIndex, chunk({}, "tool_calls"), { ...chunk({}), choices: [], usage: elevenAndSeven }] },
    expects: { calls: [rome, noon] },
    items: ["function_call", "function_call"],
  },
  {
    name: "custom",
    reply: { calls: [patch, rome] },
    expects: { calls: [patch, rome] },
    items: ["custom_tool_call", "function_call"],
  },
  {
    name: "custom-interleaved",
    reply: { calls: [patch, rome, patch], interleave: true, chunk: 4 },
    expects: { calls: [patch, rome, patch] },
    items: ["custom_tool_call", "function_call", "custom_tool_call"],
  },
  {
    name: "reasoning",
    reply: { think: "First this,\nthen that.", say: "So it is." },
    expects: { reasoning: "First this,\nthen that.", text: "So it is." },
    items: ["reasoning", "message"],
  },
  { name: "refusal", reply: { refuse: "I cannot." }, expects: { refusal: "I cannot." }, items: ["message"] },
  {
    name: "annotations",
    reply: { say: "A says so, and B.", annotations: [citation, { ...citation, url: "https://b.example/" }] },
    expects: {
      text: "A says so, and B.",
      annotations: [citation, { ...citation, url: "https://b.example/" }],
    },
    items: ["message"],
  },
  {
    name: "usage",
    reply: { say: "Counted.", usage: { input: 120, output: 34, cached: 64, reasoning: 20 } },
    expects: { text: "Counted.", usage: { input: 120, output: 34, total: 154, cached: 64, reasoning: 20 } },
    items: ["message"],
  },
  {
    name: "limit",
    reply: { say: "As far as it we", finish: "length" },
    expects: { text: "As far as it we", ended: "length" },
    items: ["message"],
  },
  {
    name: "filter",
    reply: { say: "As far as", finish: "content_filter" },
    expects: { text: "As far as", ended: "content_filter" },
    items: ["message"],
  },
  { name: "nothing", reply: {}, expects: {}, items: [] },
];

function chunk(delta: JsonObject, finish_reason: string | null = null): JsonObject {
  const choices = [{ index: 0, delta, finish_reason }];
  return { id: "chatcmpl-late", object: "chat.completion.chunk", created: 1, model: "m", choices };
}
