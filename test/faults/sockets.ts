import { type Asked, answered, cut, type Fault, nothingCame, timedOut } from "./fault.ts";
import { httpAnswer, httpHead, type SocketPiece } from "./socket-provider.ts";
import { framesOf, upTo, wholeOf } from "./wire.ts";

const say = "Fine, after all.";

/** A correct answer as it goes over the wire, of the type that was asked for. */
export function correctAnswer({ backend, stream }: Pick<Asked, "backend" | "stream">, headers: string[] = []): string {
  return stream
    ? httpAnswer("text/event-stream", framesOf(backend, { say }).join(""), headers)
    : httpAnswer("application/json", JSON.stringify(wholeOf(backend, { say })), headers);
}

const typeOf = ({ stream }: Asked) => (stream ? "text/event-stream" : "application/json");
const halfText = ({ backend }: Asked) => upTo(framesOf(backend, { say: "Half a sentence." }), "Half a").join("");
const chunked = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const halfway = cut({ text: "Half a" });
const broken = nothingCame();
const fine = answered({ text: say });

const scripts: [name: string, socket: (asked: Asked) => SocketPiece[], ends: Fault["ends"]][] = [
  ["resets the connection before it answers", () => ["reset"], cut()],
  ["closes the connection before it answers", () => ["close"], cut()],
  ["resets the connection in its headers", () => ["HTTP/1.1 200 OK\r\ncontent-ty", "reset"], cut()],
  ["closes the connection in its headers", () => ["HTTP/1.1 200 OK\r\ncontent-ty", "close"], cut()],
  ["resets the connection after its headers", (asked) => [httpHead(typeOf(asked)), "reset"], broken],
  [
    "closes the connection after its headers",
    (asked) => [httpHead(typeOf(asked), ["content-length: 500"]), "close"],
    cut(),
  ],
  [
    "resets the connection in its first words",
    (asked) => [httpHead("text/event-stream", ["transfer-encoding: chunked"]), chunked(halfText(asked)), "reset"],
    halfway,
  ],
  [
    "closes the connection in its first words",
    (asked) => [httpHead("text/event-stream", ["transfer-encoding: chunked"]), chunked(halfText(asked)), "close"],
    halfway,
  ],
  [
    "announces more bytes of JSON than it sends",
    ({ backend }) => {
      const whole = httpAnswer("application/json", JSON.stringify(wholeOf(backend, { say })));
      return [whole.slice(0, -40), "close"];
    },
    cut(),
  ],
  [
    "announces fewer bytes of JSON than it sends",
    ({ backend }) => [
      httpHead("application/json", ["content-length: 40"]),
      JSON.stringify(wholeOf(backend, { say })),
      "close",
    ],
    broken,
  ],
  [
    "has no length and just closes after its answer",
    (asked) => [correctAnswer(asked).replace(/content-length: \d+\r\n/, ""), "close"],
    fine,
  ],
  [
    "writes its chunks wrongly",
    (asked) => [
      httpHead("text/event-stream", ["transfer-encoding: chunked"]),
      chunked(halfText(asked)),
      { wait: 100 },
      "zz\r\noops\r\n",
    ],
    nothingCame({ text: "Half a" }),
  ],
  ["greets as a mail server", () => ["220 mail.example ESMTP\r\n", "hang"], broken],
  ["greets as a secure shell", () => ["SSH-2.0-OpenSSH_9.6\r\n", "hang"], broken],
  ["answers in TLS", () => [Uint8Array.of(0x15, 3, 1, 0, 2, 2, 0x28), "hang"], broken],
  ["answers with noise", () => [Uint8Array.from({ length: 64 }, (_, at) => (at * 89) % 256), "hang"], broken],
  ["answers in the HTTP of another age", () => ["HTTP/9.9 200 OK\r\n\r\n", "hang"], broken],
  ["has headers without end", () => ["HTTP/1.1 200 OK\r\n", `x-long: ${"y".repeat(100_000)}\r\n`, "hang"], broken],
  ["answers in the HTTP of old", (asked) => [correctAnswer(asked).replace("HTTP/1.1", "HTTP/1.0"), "close"], fine],
  [
    "says first that it is working on it",
    (asked) => ["HTTP/1.1 102 Processing\r\n\r\n", { wait: 50 }, correctAnswer(asked)],
    fine,
  ],
  ["gives a hint first", (asked) => ["HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n", correctAnswer(asked)], fine],
  [
    "says first that the request may go on",
    (asked) => ["HTTP/1.1 100 Continue\r\n\r\n", correctAnswer(asked)],
    { either: fine },
  ],
  [
    "wants to speak another protocol",
    () => ["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "hang"],
    broken,
  ],
  ["takes the connection and says nothing", () => ["hang"], timedOut()],
  ["falls silent in its headers", () => ["HTTP/1.1 200 OK\r\ncontent-ty", "hang"], timedOut()],
  [
    "answers 500 and breaks off",
    () => ["HTTP/1.1 500 Oh\r\ncontent-length: 99\r\n\r\n{", "close"],
    { status: 502, error: {} },
  ],
];

export const socketFaults: Fault[] = scripts.map(([name, socket, ends]) => ({
  ...{ name, socket, ends },
  timed: () => "first_content",
}));
