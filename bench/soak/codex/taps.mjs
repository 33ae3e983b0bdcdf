import { createServer } from "node:net";
import { createInterface } from "node:readline";

const limit = 10_000;

/** Where the taps of Codex report (tap.mjs). Codex is started twice before it serves: the last one that came is meant. */
export async function createTaps() {
  let last;
  const sockets = new Set();
  const server = createServer((socket) => {
    const tap = { socket, pid: undefined, waiting: [] };
    last = tap;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    createInterface({ input: socket }).on("line", (line) => {
      const { pid, threads } = JSON.parse(line);
      if (pid === undefined) tap.waiting.shift()?.(threads);
      else tap.pid = pid;
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: server.address().port,
    /** The process that the tap has started. */
    pid: () => last.pid,
    /** How many threads Codex has loaded. */
    threads: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error("Codex did not tell its threads")), limit);
        last.waiting.push((threads) => {
          clearTimeout(timer);
          resolve(threads);
        });
        last.socket.write("threads\n");
      }),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
