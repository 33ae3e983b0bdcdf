import { chatCall, chatChunk, chatEnd, chatText, chatWholeText } from "./chat-answers.mjs";
import { bombOf } from "./json.mjs";
import { eventStream, plainJson, print } from "./printed-answers.mjs";
import { responsesStreams, responsesText, responsesWholeText } from "./responses-answers.mjs";
import { complete } from "./sent-requests.mjs";
import { repeated } from "./sizes.mjs";
import { chatTools, pathOf, requestsOf } from "./valid-requests.mjs";

/**
 * The first cases of every run, whatever the seed is: inputs that once held a gateway up, in the size in which they did. Chance seldom
 * makes them so large.
 */

const megabyte = 1_000_000;

function streamed(events) {
  return {
    status: 200,
    headers: eventStream,
    pieces: events.map((event) => Buffer.from(print(event))),
    pause: 0,
    ending: "end",
  };
}

function bytes(text, headers = eventStream) {
  return { status: 200, headers, pieces: [Buffer.from(text)], pause: 0, ending: "end" };
}

function cut(text, length) {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, at) => text.slice(at * length, (at + 1) * length));
}

/** A text of the model, to a client of the other API. */
const text = (label, model, made, { as = "content", length = 200, after, isStream = true } = {}) => ({
  kind: "text",
  label,
  model,
  client: model.startsWith("chat") ? "responses" : "chat",
  request: "tools",
  isStream,
  answer(api) {
    if (!isStream)
      return bytes(JSON.stringify((api === "chat" ? chatWholeText : responsesWholeText)(made, as)), plainJson);
    const pieces = cut(made, length);
    return streamed(api === "chat" ? chatText(pieces, { as, after }) : responsesText(pieces, { as }));
  },
});

const answer = (label, model, make, more = {}) => ({
  kind: "answer",
  label,
  model,
  client: model.startsWith("chat") ? "chat" : "responses",
  request: "tools",
  answer: make,
  ...more,
});

const body = (label, path, make) => ({ kind: "request", label, model: "chat-auto", client: "chat", path, body: make });

/** A request that is nothing but a head. */
const head = (first, ...headers) => ({
  kind: "request",
  label: [first, ...headers].join(", "),
  bytes: () => Buffer.from([`${first} HTTP/1.1`, ...headers, "connection: close", "", ""].join("\r\n")),
});

const drafts = {
  "qwen3-function-xml": "<function=f>\n<parameter=c>\n",
  "qwen3-function-xml, closed": "<tool_call>\n<function=f>\n<parameter=c>\n1\n</parameter>\n",
  "glm-argkv": "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>",
  "minimax-m3": ']<]minimax[>[<invoke name="f">]<]minimax[>[<a>',
  "seed-oss-xml": "<seed:tool_call>\n<function=f>\n<parameter=c>",
  "deepseek-dsml": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">',
};

function manyCalls(count) {
  return Array.from({ length: count }, (_, index) => ({
    index,
    id: `c${index}`,
    type: "function",
    function: { name: "f", arguments: `{"a":"${index}"}` },
  }));
}

const token = { token: "a", logprob: -0.1, bytes: [97], top_logprobs: [] };
export const knownCases = [
  head("GET /health"),
  head("GET /health", "host: 127.0.0.1", "expect: junk"),
  head("GET /%zz", "host: 127.0.0.1"),
  head("CONNECT /health", "host: 127.0.0.1"),
  head("QUERY /v1/responses", "host: 127.0.0.1"),
  head("TRACE /", "host: 127.0.0.1"),
  ...Object.entries(drafts).flatMap(([name, piece]) => [
    text(`${name}: drafts in a think tag`, "chat-auto", `<think>${repeated(piece, 32_000)}`),
    text(`${name}: drafts in reasoning`, "chat-named", repeated(piece, 32_000), { as: "reasoning_content", after: [] }),
    text(`${name}: drafts in text`, "responses-auto", repeated(piece, 32_000)),
  ]),
  text("80,000 line breaks in reasoning", "chat-auto", `a${repeated("\n", 80_000)}b`, {
    as: "reasoning_content",
    length: 100_000,
  }),
  text("80,000 line breaks in a think tag", "responses-auto", `<think>a${repeated("\n", 80_000)}b`, {
    length: 100_000,
  }),
  text("2 MB of >", "chat-auto", repeated(">", 2 * megabyte), { length: 2 * megabyte }),
  text(
    "a parameter again and again, 480 KB",
    "chat-auto",
    `<tool_call>\n<function=f>\n${repeated("<parameter=a>\n1\n</parameter>\n", 480_000)}</function>\n</tool_call>`,
    { isStream: false },
  ),
  answer("6 MB of brackets in arguments", "chat-auto", () =>
    streamed([...chatCall(0, "c", "f", cut(`{"a":${bombOf("[", 6 * megabyte)}}`, 60_000)), ...chatEnd("tool_calls")]),
  ),
  answer("20,000 calls in text, 1,000 native", "chat-auto", () =>
    streamed([
      ...cut(manyCalls(20_000), 200).map((calls) =>
        chatChunk({
          content: calls
            .map(({ index }) => `<tool_call>{"name": "f", "arguments": {"a": ${index}}}</tool_call>\n`)
            .join(""),
        }),
      ),
      chatChunk({ tool_calls: manyCalls(1_000) }),
      ...chatEnd("tool_calls"),
    ]),
  ),
  // The text is held, as it may be a call.
  answer("50,000 tokens with logprobs", "chat-auto", () =>
    streamed([
      ...['{"name": "f", "arguments": {"a": "', ...Array.from({ length: 50_000 }, () => "a")].map((content) =>
        chatChunk({ content }, null, { logprobs: { content: [token], refusal: null } }),
      ),
      ...chatEnd("stop"),
    ]),
  ),
  // Without ids and indexes, each entry is looked for among all items.
  answer("4,000 items, 200,000 others in the end", "responses-auto", () => {
    const { data, event } = responsesStreams["only the end"].at(-1);
    const type = "response.output_item.done";
    const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }] };
    const output = Array.from({ length: 200_000 }, () => ({ type: "function_call", name: "f", arguments: "{}" }));
    return streamed([
      ...responsesStreams.text.slice(0, 2),
      ...Array.from({ length: 4_000 }, () => ({ event: type, data: { type, item: message } })),
      { event, data: { ...data, response: { ...data.response, output } } },
    ]);
  }),
  answer("8 MB of unknown fields", "chat-auto", () =>
    bytes(`${repeated("x: y\n", 8 * megabyte)}${chatText(["Yes."]).map(print).join("")}`),
  ),
  answer("8 MB of line breaks and a carriage return", "chat-auto", () =>
    bytes(`${repeated("\n", 8 * megabyte)}\r${chatText(["Yes."]).map(print).join("")}`),
  ),
  answer("a whole answer of 60 MB of [", "chat-again", () => bytes("[".repeat(60 * megabyte), plainJson), {
    isStream: false,
  }),
  answer("an event of 60 MB of [", "responses-auto", () => bytes(`data: ${"[".repeat(60 * megabyte)}\n\n`)),
  answer("names of 900 KB", "chat-auto", () =>
    streamed([
      ...Array.from({ length: 8 }, (_, n) => chatCall(n, `c${n}`, `f${n}`.padEnd(900_000, "x"), ["{}"])).flat(),
      ...chatEnd("tool_calls"),
    ]),
  ),
  answer("ids of 4 MB", "chat-auto", () =>
    streamed([
      ...Array.from({ length: 4 }, (_, n) => chatCall(n, `c${n}`.padEnd(4 * megabyte, "x"), "f", ["{}"])).flat(),
      ...chatEnd("tool_calls"),
    ]),
  ),
  answer("a stream of 160 MB", "chat-auto", () => {
    const [role, ...rest] = chatText(["x".repeat(megabyte)]);
    const [piece, ...end] = rest.map((event) => Buffer.from(print(event)));
    return { ...streamed([]), pieces: [Buffer.from(print(role)), ...Array.from({ length: 160 }, () => piece), ...end] };
  }),
  ...["[", "{}", "keys", "{", "same key"].map((shape) =>
    body(`31 MB of ${shape}`, "/v1/chat/completions", () =>
      bombOf(shape, shape === "[" ? 31 * megabyte : 25 * megabyte),
    ),
  ),
  body(
    "31 MB of {} in metadata",
    "/v1/responses",
    () => `{"model":"chat-auto","input":"a","metadata":{"a":${bombOf("{}", 30 * megabyte)}}}`,
  ),
  body("20 messages with 10,000 calls", "/v1/chat/completions", () =>
    JSON.stringify({
      model: "responses-auto",
      tools: chatTools,
      messages: Array.from({ length: 20 }, (_, n) => ({
        role: "assistant",
        content: null,
        tool_calls: Array.from({ length: 10_000 }, (_, index) => ({
          id: `c${n}_${index}`,
          type: "function",
          function: { name: "f", arguments: "{}" },
        })),
      })),
    }),
  ),
];

/** The request and the answer of a known case, in the form of all cases. */
export function knownCase(number) {
  const {
    kind,
    label,
    model,
    client,
    request: name,
    answer,
    path,
    bytes: sent,
    body,
    isStream = true,
  } = knownCases[number];
  return {
    number,
    kind,
    request() {
      if (sent !== undefined) {
        return { ...complete("GET", "/", Buffer.alloc(0)), pieces: [sent()], api: "chat", label: `known: ${label}` };
      }
      if (body !== undefined) {
        const api = path.endsWith("responses") ? "responses" : "chat";
        return { ...complete("POST", path, Buffer.from(body())), api, isStream: false, label: `known: ${label}` };
      }
      const valid = { model, ...requestsOf(client)[name], stream: isStream };
      const whole = complete("POST", pathOf(client), Buffer.from(JSON.stringify(valid)));
      return { ...whole, body: valid, api: client, isStream, isValid: true, label: `known: ${client} ${model}` };
    },
    answer: (api) =>
      answer === undefined
        ? { ...bytes('{"error":{"message":"No."}}', plainJson), status: 400, label: "" }
        : { ...answer(api), label },
  };
}
