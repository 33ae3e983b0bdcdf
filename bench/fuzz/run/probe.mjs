import { Agent, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/**
 * Asks the gateway for its health every 25 ms over one connection, as any other client would: what it waits is what others wait. In a
 * thread of its own, so that the work of making cases is not in its times.
 */
const every = 25;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

let url = workerData.url;
let seen = none();
let askedAt = null;

function none() {
  return { longest: 0, asked: 0, failures: [] };
}

function probe() {
  if (askedAt !== null || url === null) return;
  askedAt = performance.now();
  seen.asked++;
  const over = (failure) => {
    if (askedAt === null) return;
    seen.longest = Math.max(seen.longest, performance.now() - askedAt);
    askedAt = null;
    if (failure !== undefined && seen.failures.length < 5) seen.failures.push(failure);
  };
  const asked = request(`${url}/health`, { agent }, (response) => {
    response.setEncoding("utf8");
    let body = "";
    response.on("data", (text) => (body += text));
    response.once("end", () => {
      const isWell = response.statusCode === 200 && body === '{"status":"ok"}';
      over(isWell ? undefined : `${response.statusCode} ${body.slice(0, 100)}`);
    });
    response.once("error", (error) => over(error.message));
  });
  asked.once("error", (error) => over(asked.reusedSocket && error.code === "ECONNRESET" ? undefined : error.message));
  asked.end();
}

setInterval(probe, every);

parentPort.on("message", (message) => {
  if (message.url !== undefined) {
    url = message.url;
    seen = none();
    return;
  }
  const taken = seen;
  // A probe that still waits has waited so long already.
  if (askedAt !== null) taken.longest = Math.max(taken.longest, performance.now() - askedAt);
  seen = none();
  parentPort.postMessage(taken);
});
