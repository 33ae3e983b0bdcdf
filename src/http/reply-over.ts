import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";

/** What waits for each connection's end. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `then` once, when the reply is over: it was sent, or its connection is gone. Node tells the latter only to the reply that
 * is being written; those of the requests behind it on the same connection (pipelining) would never hear of it.
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
