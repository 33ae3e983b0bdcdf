import type { JsonObject, JsonValue } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import {
  answered,
  both,
  type Content,
  cut,
  type Ending,
  type Fault,
  filtered,
  limited,
  type Pieces,
  reported,
  unreadable,
} from "./fault.ts";
import { callItem, chatCalls, chunk, entry, event, framesOf, oslo, response, rome, upTo, wholeOf } from "./wire.ts";

/** How far an answer has come when something happens to it, and what the client has of it by then. */
const stages: Record<string, { frames: (api: Api) => string[]; after?: Content }> = {
  "before it has said anything": { frames: (api) => framesOf(api, {}).slice(0, 1) },
  "in the middle of its text": {
    frames: (api) => upTo(framesOf(api, { say: "Half a sentence." }), "Half a"),
    after: { text: "Half a" },
  },
  "in the middle of its reasoning": {
    frames: (api) => upTo(framesOf(api, { think: "Half a thought." }), "Half a"),
    after: { reasoning: "Half a" },
  },
  "in the middle of a call's arguments": {
    frames: (api) => upTo(framesOf(api, { say: "Now:", calls: [rome] }), "loca"),
    after: { text: "Now:" },
  },
  "after a call's name": {
    frames: (api) => upTo(framesOf(api, { calls: [rome] }), rome.name),
    after: {},
  },
  "after a whole call": {
    frames: (api) => upTo(framesOf(api, { calls: [rome] }), '"}"'),
    after: { calls: [rome] },
  },
  "after a whole call, in the next one's arguments": {
    frames: (api) => upTo(framesOf(api, { calls: [rome, oslo] }), "Oslo"),
    after: { calls: [rome] },
  },
};

/** Something that happens at each of these stages. */
function happening(
  what: string,
  tail: (api: Api) => Pieces,
  ends: (after?: Content) => Ending,
  at: string[] = Object.keys(stages),
): Fault[] {
  return at.map((place) => {
    const { frames, after } = stages[place] ?? { frames: () => [] };
    return {
      name: `${what} ${place}`,
      stream: both((api) => [...frames(api), ...tail(api)]),
      ends: ends(after),
    };
  });
}

const early = "before it has said anything";
const midway = "in the middle of its text";
const words = "The machine is on fire.";
const tooLong = { type: "invalid_request_error", param: "messages[0].content", code: "context_length_exceeded" };

/** Ways to say in a stream that the provider failed. */
const errors: [string, (api: Api) => string][] = [
  [
    "with an error object",
    (api) => event(api, { ...typed(api), error: { message: words, type: "server_error", code: "fire" } }),
  ],
  ["with a text as its error", (api) => event(api, { ...typed(api), error: words })],
  [
    "with an error that is the whole event",
    (api) => event(api, { ...typed(api), object: "error", message: words, code: 500 }),
  ],
  [
    "with the API's own event",
    (api) =>
      api === "chat"
        ? `event: error\ndata: ${JSON.stringify({ message: words })}\n\n`
        : event(api, {
            type: "response.failed",
            response: response([], "failed", { error: { code: "server_error", message: words } }),
          }),
  ],
  ["with an error that has no type", () => `data: ${JSON.stringify({ error: { message: words } })}\n\n`],
  [
    "with an error after the name of its event",
    () => `event: error\ndata: ${JSON.stringify({ error: { message: words, code: null } })}\n\n`,
  ],
];

function typed(api: Api): JsonObject {
  return api === "responses" ? { type: "error" } : {};
}

/** What no reader can make anything of. */
const lines: [string, string][] = [
  ["a line that is half a JSON object", 'data: {"choices":[{"delta":\n\n'],
  ["a line that is no JSON", "data: {oops}\n\n"],
  ["a number", "data: 7\n\n"],
  ["a list", "data: [1,2]\n\n"],
  ["a text", 'data: "hello"\n\n'],
  ["a web page in an event", "data: <html><body>Bad gateway</body></html>\n\n"],
];

/** An answer that a limit or a filter ended, in both forms. */
function ended(name: string, said: Parameters<typeof framesOf>[1], ends: Ending): Fault {
  return { name, stream: both((api) => framesOf(api, said)), whole: both((api) => wholeOf(api, said)), ends };
}

const halfRome = { ...rome, arguments: rome.arguments.slice(0, -5) };

const limits: Fault[] = [
  ended(
    "reaches its limit in text",
    { say: "As far as it we", finish: "length" },
    limited({ text: "As far as it we" }),
  ),
  ended("reaches its limit in reasoning", { think: "Hm, if", finish: "length" }, limited({ reasoning: "Hm, if" })),
  ended(
    "reaches its limit in a call's arguments",
    { say: "Now:", calls: [halfRome], finish: "length" },
    limited({ text: "Now:" }),
  ),
  ended(
    "reaches its limit after a call's name",
    { calls: [{ ...rome, arguments: "" }], finish: "length" },
    limited({}),
  ),
  ended(
    "reaches its limit in the second call",
    { calls: [rome, halfRome], finish: "length" },
    limited({ calls: [rome] }),
  ),
  {
    name: "reaches its limit after a whole call",
    stream: {
      chat: chatCalls([entry({ index: 0, id: "call_a" }, rome)], "length"),
      responses: [
        ...framesOf("responses", { calls: [rome] }).slice(0, -2),
        event("responses", {
          type: "response.incomplete",
          response: stopped(callItem({ ...rome, id: "fc_0" }, { call_id: "call_0" })),
        }),
      ],
    },
    whole: { responses: stopped(callItem(rome)) },
    ends: limited({ calls: [rome] }),
  },
  ended("is stopped by its filter in text", { say: "I", finish: "content_filter" }, filtered({ text: "I" })),
  ended("is stopped by its filter in a call", { calls: [halfRome], finish: "content_filter" }, filtered({})),
  ended("is stopped by its filter at once", { finish: "content_filter" }, filtered({})),
  ended("stops in a call's arguments and says that all is well", { calls: [halfRome] }, limited({})),
  ended(
    "stops in the second call's arguments and says that all is well",
    { say: "Two:", calls: [rome, halfRome] },
    limited({ text: "Two:", calls: [rome] }),
  ),
];

function stopped(item: JsonObject): JsonObject {
  return response([item], "incomplete", { incomplete_details: { reason: "max_output_tokens" } });
}

const controls: Fault[] = [
  ended("answers with text", { say: "A plain answer." }, answered({ text: "A plain answer." })),
  ended(
    "answers with text, reasoning and calls",
    { think: "Hm.", say: "Two:", calls: [rome, oslo] },
    answered({ reasoning: "Hm.", text: "Two:", calls: [rome, oslo] }),
  ),
  ended("has nothing to say", {}, answered({})),
];

/** The provider's own words for having failed, as a reason to stop. */
function failedWith(reason: string): Fault {
  const half = chunk({ content: "Half a" }, reason);
  return {
    name: `stops for the reason ${reason}`,
    stream: { chat: [event("chat", half), "data: [DONE]\n\n"] },
    ends: { status: 502, after: { text: "Half a" } },
  };
}

const wholeErrors: [string, JsonValue][] = [
  ["an error object", { error: { message: words, type: "server_error", code: null } }],
  ["an error that is a text", { error: words }],
  ["an error in FastAPI's form", { detail: words }],
  ["an error of the older form", { object: "error", message: words, type: "server_error", code: 500 }],
];

export const brokenFaults: Fault[] = [
  ...controls,
  ...limits,
  ...happening("ends", () => [], cut),
  ...happening("resets the connection", () => ["cut"], cut),
  ...happening("says [DONE]", () => ["data: [DONE]\n\n"], cut, [early]),
  ...errors.flatMap(([how, frame]) =>
    happening(
      `fails ${how}`,
      (api) => [frame(api), "hang"],
      (after) => reported(words, after),
      [early, midway],
    ),
  ),
  ...lines.flatMap(([what, line]) => happening(`sends ${what}`, () => [line, "hang"], unreadable, [early, midway])),
  failedWith("error"),
  failedWith("abort"),
  ...wholeErrors.map(
    ([what, body]): Fault => ({ name: `answers 200 with ${what}`, whole: both(() => body), ends: reported(words) }),
  ),
  {
    name: "has failed, by the status of a whole response",
    whole: { responses: response([], "failed", { error: { code: "server_error", message: words } }) },
    ends: reported(words),
  },
  {
    name: "has its limit of requests in the stream",
    stream: both((api) => [
      event(api, { ...typed(api), error: { message: words, type: "requests", code: "rate_limit_exceeded" } }),
    ]),
    ends: { status: 429, error: { message: /fire/, code: "rate_limit_exceeded" } },
  },
  ...happening(
    "refuses the request with an error",
    (api) => [event(api, { ...typed(api), error: { message: words, ...tooLong } }), "hang"],
    (after) => ({ status: 400, error: { message: words, ...tooLong }, ...(after && { after }) }),
    [early, midway],
  ),
];
