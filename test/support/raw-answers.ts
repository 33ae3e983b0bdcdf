import type { Socket } from "node:net";
import { isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";

/** One answer as it came over the wire. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  error: JsonObject | undefined;
}

/** Reads the answers on a connection one after the other, and throws on bytes that are no part of one. */
export class RawAnswers {
  #received = Buffer.alloc(0);
  #ended = false;
  #wake = () => {};

  constructor(socket: Socket) {
    socket.on("data", (piece: Buffer) => {
      this.#received = Buffer.concat([this.#received, piece]);
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    socket.on("end", end);
    socket.on("close", end);
  }

  /** The next answer; null if the gateway closed the connection and nothing is left. An answer to HEAD has no body. */
  async next({ head = false } = {}): Promise<RawAnswer | null> {
    for (;;) {
      const read = readAnswer(this.#received, head);
      if (read) {
        this.#received = this.#received.subarray(read.length);
        return read.answer;
      }
      if (this.#ended) {
        if (this.#received.length > 0) throw new Error(`no answer: ${JSON.stringify(this.#received.toString("utf8"))}`);
        return null;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function readAnswer(bytes: Buffer, head: boolean): { answer: RawAnswer; length: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) [A-Z]/.exec(first)?.[1]);
  if (!status) throw new Error(`no status line: ${JSON.stringify(first.slice(0, 200))}`);
  const headers = Object.fromEntries(lines.map((line) => readHeader(line)));
  const start = headEnd + 4;
  const bodiless = head || status === 204 || status < 200;
  const body = bodiless ? { text: "", end: start } : readBody(bytes, start, headers);
  if (body === undefined) return undefined;
  const json = parseJson(body.text);
  const error = isObject(json) && isObject(json.error) ? json.error : undefined;
  return { answer: { status, headers, body: body.text, error }, length: body.end };
}

function readHeader(line: string): [string, string] {
  const colon = line.indexOf(": ");
  if (colon < 1) throw new Error(`no header: ${JSON.stringify(line)}`);
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
}

function readBody(
  bytes: Buffer,
  start: number,
  headers: Record<string, string>,
): { text: string; end: number } | undefined {
  const length = headers["content-length"];
  if (length === undefined && headers["transfer-encoding"] === "chunked") return readChunks(bytes, start);
  if (length === undefined) throw new Error("an answer without a length");
  const end = start + Number(length);
  return end > bytes.length ? undefined : { text: bytes.toString("utf8", start, end), end };
}

function readChunks(bytes: Buffer, start: number): { text: string; end: number } | undefined {
  const pieces: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const digits = bytes.toString("latin1", at, lineEnd);
    if (!/^[0-9a-f]+$/i.test(digits)) throw new Error(`no chunk: ${JSON.stringify(digits.slice(0, 200))}`);
    const size = Number.parseInt(digits, 16);
    at = lineEnd + 2 + size + 2;
    if (at > bytes.length) return undefined;
    if (size === 0) return { text: Buffer.concat(pieces).toString("utf8"), end: at };
    pieces.push(bytes.subarray(lineEnd + 2, at - 2));
  }
}
