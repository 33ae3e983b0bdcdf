import { gzipSync } from "node:zlib";
import type { Api } from "../support/api.ts";
import { answered, both, cut, type Fault, nothingCame, type Pieces, unreadable } from "./fault.ts";
import { framesOf, rome, wholeOf } from "./wire.ts";

const speech = "Naïve 日本 😀 — “two”\r\nlines\u2028and a tail.";
const call = { name: "get_weather", arguments: '{"location":"東京 😀 \\"x\\""}' };
const said = { say: speech, calls: [call] };
const content = { text: speech, calls: [call] };
const whole = answered(content);

/** A correct stream whose bytes are written in another way. */
function written(name: string, write: (text: string, api: Api) => Pieces, ends: Fault["ends"] = whole): Fault {
  return { name, stream: both((api) => write(framesOf(api, said).join(""), api)), ends };
}

const bytesOf = (text: string): Uint8Array[] => Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte));

/** Each byte of what is not ASCII by itself, and each line end. */
function crumbs(text: string): Uint8Array[] {
  const pieces =
    Buffer.from(text)
      .toString("latin1")
      .match(/[\x80-\xff\n]|[^\x80-\xff\n]+/g) ?? [];
  return pieces.map((piece) => Buffer.from(piece, "latin1"));
}

/** A piece of an answer that is no longer than it must be, because each byte takes its time. */
const short: Record<Api, string> = {
  chat: 'data: {"choices":[{"delta":{"content":"Drip 😀"},"finish_reason":"stop"}]}\n\n',
  responses: 'data: {"type":"response.output_text.delta","delta":"Drip 😀"}\n\ndata: {"type":"response.completed"}\n\n',
};

/** An answer that is one line of so many characters. */
function line(api: Api, length: number): Pieces {
  const text = "x".repeat(length);
  if (api === "chat") return [`data: {"choices":[{"delta":{"content":"${text}"},"finish_reason":"stop"}]}\n\n`];
  return [
    `data: {"type":"response.output_text.delta","delta":"${text}"}\n\n`,
    'data: {"type":"response.completed","response":{"status":"completed"}}\n\n',
  ];
}

const megabyte = 1024 * 1024;

const bytes: Fault[] = [
  written("cuts its bytes inside characters and line ends", (text) => crumbs(text)),
  {
    name: "cuts its text inside characters, so that each half is escaped",
    stream: both((api) => framesOf(api, { say: "😀日😀", calls: [call] }, 1)),
    ends: answered({ text: "😀日😀", calls: [call] }),
  },
  written("sends everything at once", (text) => [text]),
  written("ends its lines with CRLF", (text) => [text.replaceAll("\n", "\r\n")]),
  written("ends its lines with CR", (text) => [text.replaceAll("\n", "\r")]),
  written("ends its lines now so, now so", (text) => {
    const ends = ["\n", "\r\n", "\r"];
    let count = 0;
    return [text.replaceAll("\n\n", () => "\n".repeat(2).replaceAll("\n", ends[count++ % 3] ?? "\n"))];
  }),
  written("cuts between CR and LF", (text) =>
    text.split("\n").flatMap((each, at) => (at === 0 ? [each] : ["\r", `\n${each}`])),
  ),
  {
    name: "drips, a byte every few milliseconds",
    stream: both((api) => bytesOf(short[api]).flatMap((byte) => [byte, { wait: 3 }])),
    ends: answered({ text: "Drip 😀" }),
  },
  {
    name: "says all in one line of 4 MB",
    stream: both((api) => line(api, 4 * megabyte)),
    ends: answered({ text: "x".repeat(4 * megabyte) }),
    heavy: true,
  },
  {
    name: "sends a line that is larger than anybody can take",
    stream: both((api) => line(api, 17 * megabyte)),
    ends: unreadable(),
    heavy: true,
  },
  {
    name: "says a character an event, thousands of them",
    stream: both((api) => [framesOf(api, { say: "many ".repeat(600) }, 1).join("")]),
    ends: answered({ text: "many ".repeat(600) }),
  },
];

const lines: Fault[] = [
  written("writes comments between all events", (text) => [
    `: first\n\n${text.replaceAll("\n\n", "\n\n: PROCESSING\n\n:\n\n")}`,
  ]),
  written("writes comments inside events", (text) => [text.replaceAll("data: ", ": here it comes\ndata: ")]),
  written("writes ids and times to retry", (text) => [text.replaceAll("data: ", "id: 7\nretry: 3000\ndata: ")]),
  written("names its events after itself", (text) => [
    text.replaceAll(/^event: .*\n/gm, "").replaceAll("data: ", "event: delta\ndata: "),
  ]),
  written("names none of its events", (text) => [text.replaceAll(/^event: .*\n/gm, "")]),
  written("writes fields that nobody knows", (text) => [text.replaceAll("data: ", "vendor: x\nnothing\ndata: ")]),
  written("begins with a byte order mark", (text) => [`\ufeff${text}`]),
  written("leaves out the space after data:", (text) => [text.replaceAll("data: ", "data:")]),
  written("writes its JSON over several lines of data", (text) => [
    text.replaceAll(/^data: (\{.*\})$/gm, (_all, json: string) =>
      JSON.stringify(JSON.parse(json), null, 2).replaceAll(/^/gm, "data: "),
    ),
  ]),
  written("sends empty events between the others", (text) => [text.replaceAll("data: ", "data:\n\ndata: ")]),
  written("leaves out the last blank line", (text) => [text.trimEnd()]),
  written("leaves out [DONE]", (text) => [text.replace("data: [DONE]\n\n", "")]),
  written("leaves out [DONE] and the last blank line", (text) => [text.replace("data: [DONE]\n\n", "").trimEnd()]),
  written("says [DONE] with spaces around it, and twice", (text) => [
    `${text.replace("[DONE]", "  [DONE] ")}data: [DONE]\n\n`,
  ]),
  written("goes on after [DONE]", (text) => [
    `${text}data: {"choices":[{"delta":{"content":"more"}}]}\n\ndata: {oops\n\n`,
  ]),
  written("breaks off after its last event", (text) => [text.replace("data: [DONE]\n\n", ""), "cut"]),
  written("breaks off after [DONE]", (text) => [text, "cut"]),
  written("never closes after [DONE]", (text) => [text, "hang"]),
  written("never closes after its last event", (text) => [text.replace("data: [DONE]\n\n", ""), "hang"]),
];

/** A correct answer under headers that say something else of it. */
function declared(name: string, headers: Record<string, string>, ends: Fault["ends"]): Fault {
  return { name, reply: both((api) => ({ bytes: [framesOf(api, said).join("")], headers })), ends };
}

function declaredWhole(name: string, headers: Record<string, string>, ends: Fault["ends"]): Fault {
  return { name, reply: both((api) => ({ bytes: [JSON.stringify(wholeOf(api, said))], headers })), ends };
}

const types: Fault[] = [
  declared(
    "streams though it was not asked to, or as it was asked",
    { "content-type": "text/event-stream; charset=utf-8" },
    whole,
  ),
  declaredWhole(
    "answers in one piece though it was asked for a stream, or as it was asked",
    { "content-type": "application/json; charset=utf-8" },
    whole,
  ),
  declared("streams under the type of plain text", { "content-type": "text/plain" }, whole),
  declared("streams under the type of bytes", { "content-type": "application/octet-stream" }, whole),
  declared("streams under the type of JSON", { "content-type": "application/json" }, whole),
  declaredWhole("answers in one piece under the type of a stream", { "content-type": "text/event-stream" }, whole),
  declaredWhole("answers in one piece under the type of plain text", { "content-type": "text/plain" }, whole),
  {
    name: "sends blank lines until its answer is there",
    reply: both((api) => ({ bytes: ["\n", "\n\n", JSON.stringify(wholeOf(api, said))] })),
    ends: whole,
  },
  declared(
    "says that it compresses, and does not",
    { "content-type": "text/event-stream", "content-encoding": "gzip" },
    { either: whole },
  ),
  {
    name: "compresses though nobody asked",
    reply: both((api) => ({
      bytes: [gzipSync(framesOf(api, said).join(""))],
      headers: { "content-type": "text/event-stream", "content-encoding": "gzip" },
    })),
    ends: { either: whole },
  },
];

const garbage: Fault[] = [
  ["answers with a web page", "<html><body>Welcome!</body></html>", "text/html"],
  ["answers with a web page under the type of JSON", "<html><body>Welcome!</body></html>", "application/json"],
  ["answers with a web page under the type of a stream", "<html><body>Welcome!</body></html>", "text/event-stream"],
  ["answers with binary noise", Buffer.from([0, 255, 254, 10, 10, 0, 1, 2, 3, 13, 10]), "application/octet-stream"],
  [
    "answers with binary noise under the type of a stream",
    Buffer.from([0, 255, 254, 10, 10, 58, 1, 2]),
    "text/event-stream",
  ],
  ["answers with nothing under the type of JSON", "", "application/json"],
  ["answers with nothing under the type of a stream", "", "text/event-stream"],
  ["answers with comments only", ": OPENROUTER PROCESSING\n\n: still\n\n", "text/event-stream"],
  ["answers with [DONE] only", "data: [DONE]\n\n", "text/event-stream"],
  ["answers with JSON that is no answer", '{"hello":"world"}', "application/json"],
  ["answers with an empty object", "{}", "application/json"],
  ["answers with an empty list", "[]", "application/json"],
  ["answers with a list", '[{"choices":[]}]', "application/json"],
  ["answers with a number", "7", "application/json"],
  ["answers with null", "null", "application/json"],
  ["answers with half its JSON", JSON.stringify(wholeOf("chat", { calls: [rome] })).slice(0, -60), "application/json"],
  ["answers with events that say nothing", 'data: {"hello":"world"}\n\n', "text/event-stream"],
].map(([name, body, type]) => ({
  name: String(name),
  reply: both(() => ({ bytes: [body as string | Uint8Array], headers: { "content-type": String(type) } })),
  ends: nothingCame(),
}));

const lone: Fault = {
  name: "answers a stream with no choice in it",
  stream: {
    chat: ['data: {"choices":[]}\n\n', "data: [DONE]\n\n"],
    responses: ['data: {"type":"response.created"}\n\n'],
  },
  ends: ({ backend }) => (backend === "chat" ? nothingCame() : cut()),
};

export const framingFaults: Fault[] = [...bytes, ...lines, ...types, ...garbage, lone];
