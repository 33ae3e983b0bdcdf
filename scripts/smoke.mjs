// One tool round trip on each API against a running gateway, whole and streamed:
//   npm run smoke -- http://127.0.0.1:8787 [--model M] [--key K]
import { parseArgs } from "node:util";

const usage = "npm run smoke -- URL [--model M] [--key K]";
const timeout = 120_000;
const question = "What is the weather in Lisbon right now? Use the tool.";
const weather = {
  name: "get_weather",
  description: "The current weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string", description: "The city's name" } },
    required: ["city"],
    additionalProperties: false,
  },
};
const result = JSON.stringify({ city: "Lisbon", temperature_c: 21, sky: "clear" });

/** What was expected and did not come; its message is all that a person needs. */
class Failure extends Error {}

function expect(condition, sentence) {
  if (!condition) throw new Failure(sentence);
}

/** `http://host`, `http://host/` and `http://host/v1` all name the same gateway. */
function readArguments() {
  const { values, positionals } = parseArgs({
    options: { model: { type: "string" }, key: { type: "string" } },
    allowPositionals: true,
  });
  expect(positionals.length === 1, `Give the gateway's address: ${usage}`);
  const url = positionals[0].replace(/\/+$/, "").replace(/\/v1$/, "");
  expect(URL.canParse(url) && /^https?:/.test(url), `${positionals[0]} is not an http address: ${usage}`);
  return { url, model: values.model, key: values.key };
}

async function request({ url, key }, path, body) {
  const headers = { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const response = await fetch(`${url}${path}`, { ...init, headers, signal: AbortSignal.timeout(timeout) });
  if (response.ok) return response;
  const text = await response.text();
  throw new Failure(`${path} answered ${response.status}: ${readJson(text)?.error?.message ?? text.slice(0, 300)}`);
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The data of a whole event stream; the last line must be `[DONE]`. */
async function readEvents(response) {
  const type = response.headers.get("content-type") ?? "no content type";
  expect(type.startsWith("text/event-stream"), `A stream was asked for and ${type} came.`);
  const data = [];
  for (const line of (await response.text()).split(/\r?\n/)) {
    if (line.startsWith("data:")) data.push(line.slice(5).trim());
  }
  expect(data.pop() === "[DONE]", "The stream did not end in [DONE].");
  return data.map((text) => {
    const event = readJson(text);
    expect(event !== undefined, `The stream holds something that is not JSON: ${text.slice(0, 100)}`);
    expect(!event.error, `The stream reported an error: ${event.error?.message}`);
    return event;
  });
}

/** The two APIs in one shape: `turn` asks and gives back `{ calls, text }`, `after` is the conversation with the result. */
const apis = {
  "Chat Completions": {
    tools: [{ type: "function", function: weather }],
    start: [{ role: "user", content: question }],
    async turn(gateway, messages, { tools, choice, stream }) {
      const body = { model: gateway.model, messages, tools, tool_choice: choice, stream };
      const response = await request(gateway, "/v1/chat/completions", body);
      const { message, finish } = stream ? foldChunks(await readEvents(response)) : readChoice(await response.json());
      const called = (message.tool_calls ?? []).length > 0;
      expect(
        finish === (called ? "tool_calls" : "stop"),
        `finish_reason is ${finish} on a message ${called ? "with" : "without"} tool calls.`,
      );
      const calls = (message.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function }));
      return { calls, text: message.content ?? "", message };
    },
    after(messages, { calls, message }) {
      return [...messages, message, ...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: result }))];
    },
  },
  Responses: {
    tools: [{ type: "function", ...weather }],
    start: [{ role: "user", content: question }],
    async turn(gateway, input, { tools, choice, stream }) {
      const body = { model: gateway.model, input, tools, tool_choice: choice, stream, store: false };
      const response = await request(gateway, "/v1/responses", body);
      const { status, output = [] } = stream ? readTerminal(await readEvents(response)) : await response.json();
      expect(status === "completed", `The response's status is ${status}, not completed.`);
      const calls = output
        .filter((item) => item.type === "function_call")
        .map((item) => ({ id: item.call_id, name: item.name, arguments: item.arguments }));
      const parts = output.filter((item) => item.type === "message").flatMap((item) => item.content);
      return { calls, text: parts.map((part) => part.text ?? "").join(""), output };
    },
    after(input, { calls, output }) {
      const results = calls.map(({ id }) => ({ type: "function_call_output", call_id: id, output: result }));
      return [...input, ...output, ...results];
    },
  },
};

function readChoice(completion) {
  const choice = completion.choices?.[0];
  expect(choice?.message, "The completion has no choices[0].message.");
  return { message: choice.message, finish: choice.finish_reason };
}

function foldChunks(chunks) {
  const message = { role: "assistant", content: "" };
  let finish = null;
  for (const choice of chunks.flatMap((chunk) => chunk.choices)) {
    message.content += choice.delta.content ?? "";
    finish = choice.finish_reason ?? finish;
    for (const { index, id, function: part } of choice.delta.tool_calls ?? []) {
      message.tool_calls ??= [];
      message.tool_calls[index] ??= { id, type: "function", function: { name: part.name, arguments: "" } };
      message.tool_calls[index].function.arguments += part.arguments ?? "";
    }
  }
  return { message, finish };
}

function readTerminal(events) {
  expect(events[0]?.type === "response.created", `The first event is ${events[0]?.type}, not response.created.`);
  const last = events.findLast(({ type }) => type !== "response.done"); // which only the extended profile adds
  expect(last?.type === "response.completed", `The last event is ${last?.type}, not response.completed.`);
  return last.response;
}

async function roundTrip(gateway, api, stream) {
  const { tools, start, turn, after } = apis[api];
  const asked = await turn(gateway, start, { tools, choice: "required", stream });
  expect(asked.calls.length > 0, "tool_choice was required and no call came.");
  for (const call of asked.calls) {
    expect(call.id, "A call has no id.");
    expect(call.name === weather.name, `A call names ${call.name}, which was not offered.`);
    expect(readJson(call.arguments) !== undefined, `A call's arguments are not JSON: ${call.arguments}`);
  }
  const answered = await turn(gateway, after(start, asked), { tools, choice: "auto", stream });
  expect(answered.calls.length === 0, "The result was sent and another call came instead of an answer.");
  expect(answered.text.trim() !== "", "The result was sent and the final answer is empty.");
  return `${asked.calls[0].name}(${asked.calls[0].arguments}) → ${shorten(answered.text)}`;
}

function shorten(text) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

async function chooseModel(gateway) {
  const { data } = await (await request(gateway, "/v1/models")).json();
  const ids = (data ?? []).map((model) => model.id);
  expect(gateway.model ?? ids[0], "The gateway lists no model: name one with --model.");
  return gateway.model ?? ids[0];
}

async function step(name, run) {
  const started = performance.now();
  try {
    const said = await run();
    console.log(`ok    ${name} (${Math.round(performance.now() - started)} ms): ${said}`);
    return said;
  } catch (error) {
    console.log(`fail  ${name}`);
    throw error;
  }
}

function explain(error) {
  if (error instanceof Failure) return error.message;
  if (error.name === "TimeoutError") return `No answer within ${timeout / 1000} s.`;
  return error.cause?.message ? `${error.message}: ${error.cause.message}` : error.message;
}

try {
  const gateway = readArguments();
  await step("health", async () => `${(await request(gateway, "/health")).status} from ${gateway.url}`);
  gateway.model = await step("model", () => chooseModel(gateway));
  for (const api of Object.keys(apis)) {
    await step(`${api}, whole`, () => roundTrip(gateway, api, false));
    await step(`${api}, streamed`, () => roundTrip(gateway, api, true));
  }
  console.log(`${gateway.url} answers tool calls on both APIs.`);
} catch (error) {
  console.error(`Smoke test failed. ${explain(error)}`);
  process.exitCode = 1;
}
