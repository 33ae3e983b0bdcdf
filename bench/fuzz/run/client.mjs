import { connect } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

/**
 * Sends the bytes of a case, and takes all bytes that come back until the gateway closes the connection, nothing has come for as long as
 * the client has patience, or the client leaves.
 */
export function exchange(port, request) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const pieces = [];
    let length = 0;
    let timer;
    let leaving;
    let isOver = false;
    const over = (how) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      clearTimeout(leaving);
      socket.destroy();
      resolve({ bytes: Buffer.concat(pieces), how });
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => over("silence"), request.patience);
    };
    const { leaves = null, readsEvery } = request;
    socket.on("data", (piece) => {
      pieces.push(piece);
      length += piece.length;
      wait();
      if (leaves?.afterBytes !== undefined && length >= leaves.afterBytes) over("left");
      if (readsEvery !== undefined && !isOver) {
        socket.pause();
        setTimeout(() => socket.resume(), readsEvery);
      }
    });
    socket.once("end", () => over("closed"));
    socket.once("close", () => over("closed"));
    socket.once("error", (error) => over(error.code === "ECONNRESET" || error.code === "EPIPE" ? "reset" : error.code));
    socket.once("connect", async () => {
      wait();
      if (leaves?.afterMilliseconds !== undefined) leaving = setTimeout(() => over("left"), leaves.afterMilliseconds);
      for (const piece of request.pieces) {
        if (isOver) return;
        socket.write(piece);
        if (request.pause > 0) await sleep(request.pause);
        else await nextTurn();
      }
      if (request.closesItsSide) socket.end();
    });
  });
}
