import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";

/** The callbacks that wait for the end of each connection. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `then` once, when the reply was sent or its connection was closed. With pipelining several replies share a connection, and
 * when it closes Node emits `close` only on the reply that is being written, so this module listens to the socket too.
 */
export function whenOver(request: FastifyRequest, reply: FastifyReply, then: () => void): void {
  const { socket } = request.raw;
  if (socket.destroyed) {
    then();
    return;
  }
  const replies = repliesOn(socket);
  const over = () => {
    if (replies.delete(over)) then();
  };
  replies.add(over);
  reply.raw.once("close", over);
}

function repliesOn(socket: Socket): Set<() => void> {
  const known = waiting.get(socket);
  if (known) return known;
  const replies = new Set<() => void>();
  waiting.set(socket, replies);
  socket.once("close", () => {
    for (const over of [...replies]) over();
  });
  return replies;
}
