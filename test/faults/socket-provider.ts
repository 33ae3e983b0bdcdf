import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject, parseJson } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";

/** Bytes, or what becomes of the connection: `close` ends it as it should be ended, `reset` does not, `hang` leaves it open. */
export type SocketPiece = string | Uint8Array | { wait: number } | "close" | "reset" | "hang";

export interface SocketRequest {
  api: Api;
  model: string;
  stream: boolean;
  /** The other side has closed the connection. */
  left: boolean;
}

export interface SocketProvider {
  url: string;
  requests: SocketRequest[];
  close(): Promise<void>;
}

/** A provider below HTTP: it reads one request a connection and then writes whatever the script says. */
export async function startSocketProvider(
  script: (request: SocketRequest) => SocketPiece[],
  port = 0,
): Promise<SocketProvider> {
  const requests: SocketRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    let heard = "";
    let request: SocketRequest | undefined;
    socket.on("close", () => {
      sockets.delete(socket);
      if (request) request.left = true;
    });
    socket.on("data", (bytes) => {
      heard += bytes.toString("latin1");
      if (request) return;
      request = readRequest(heard);
      if (!request) return;
      requests.push(request);
      void play(socket, script(request));
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A port of this machine on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** An answer as it goes over the wire, with its length. */
export function httpAnswer(type: string, body: string, headers: readonly string[] = []): string {
  const length = Buffer.byteLength(body);
  return `${httpHead(type, [`content-length: ${length}`, "connection: close", ...headers])}${body}`;
}

/** The head of an answer, without its length unless a header tells it. */
export function httpHead(type: string, headers: readonly string[] = []): string {
  return `${["HTTP/1.1 200 OK", `content-type: ${type}`, ...headers].join("\r\n")}\r\n\r\n`;
}

async function play(socket: Socket, pieces: SocketPiece[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed || piece === "hang") return;
    if (piece === "close") {
      socket.end();
      return;
    }
    if (piece === "reset") {
      // What was written before must arrive before the reset does.
      await sleep(30);
      socket.resetAndDestroy();
      return;
    }
    if (typeof piece === "object" && "wait" in piece) await sleep(piece.wait);
    else socket.write(piece);
  }
}

function readRequest(heard: string): SocketRequest | undefined {
  const [head, body] = cutAt(heard, "\r\n\r\n");
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (body === undefined || length === undefined || body.length < Number(length)) return undefined;
  const read = parseJson(body);
  const { model, stream } = isObject(read) ? read : {};
  const api = head.includes("/responses ") ? "responses" : "chat";
  return { api, model: String(model), stream: stream === true, left: false };
}

function cutAt(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}
