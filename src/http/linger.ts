import type { IncomingMessage } from "node:http";

/** How long, and how many bytes, a client may go on sending after its request was refused. */
const longest = 5_000;
const mostBytes = 64 * 1024 * 1024;

/**
 * Lets a client read its answer although its request was refused before all of it had come. Node closes a connection right after
 * its last answer. If the client is still sending, the system then resets the connection, and the client may lose the answer. So
 * the rest of the request is thrown away as it comes, for a while, and only then the connection is closed.
 */
export function lingerAfterAnswer(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete || socket.destroyed) return;
  const close = socket.destroySoon.bind(socket);
  let left = mostBytes;
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  socket.destroySoon = () => {
    if (request.complete) {
      close();
      return;
    }
    socket.end();
    request.once("end", close);
    const hangUp = setTimeout(() => socket.destroy(), longest);
    socket.once("close", () => clearTimeout(hangUp));
  };
}
