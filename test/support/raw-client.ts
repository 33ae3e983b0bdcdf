import { connect, type Socket } from "node:net";
import type { JsonObject } from "../../src/turn/index.ts";

/** A client that does what libraries do not: sends broken bytes, stops reading, leaves in the middle. Its errors are nobody's. */
export function connectTo({ url }: { url: string }): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  return socket;
}

/** A POST as it goes over the wire. */
export function postText(path: string, body: JsonObject | string, headers: readonly string[] = []): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(text)}`,
    ...headers,
  ];
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}

/** Everything that comes until the connection is closed. */
export function readAll(socket: Socket): Promise<string> {
  const pieces: Buffer[] = [];
  socket.on("data", (piece) => pieces.push(piece));
  return new Promise((resolve) => {
    socket.once("close", () => resolve(Buffer.concat(pieces).toString("utf8")));
  });
}
