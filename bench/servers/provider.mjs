import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { chatWhole } from "./chat-answers.mjs";
import { planManyCalls } from "./many-calls.mjs";
import { planStream } from "./plan.mjs";
import { responsesWhole } from "./responses-answers.mjs";
import { readModelName } from "./script.mjs";
import { listen, serve } from "./serve.mjs";

/**
 * A provider that says what it is told to by the name of the model. What it sends is made beforehand: it only writes.
 *
 * It writes the next piece of a stream when the client says, by a connection of its own, that the last one has come. So whoever
 * stands in the middle reads the same pieces, one at a time, however slow it or the machine is: nobody gets cheaper by lagging
 * behind. `user` in the request is the number that the client calls the stream by.
 */
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { model, stream, user } = JSON.parse(Buffer.concat(chunks).toString());
  const api = request.url.endsWith("/responses") ? "responses" : "chat";
  if (stream) new Stream(response, plan(api, model), Number(user));
  else sendWhole(response, api);
});

const wholes = { chat: Buffer.from(chatWhole()), responses: Buffer.from(responsesWhole()) };

function sendWhole(response, api) {
  const body = wholes[api];
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
}

const plans = new Map();
let streamsOfCalls = 0;

function plan(api, model) {
  const script = readModelName(model);
  // No two of these streams are alike: a gateway must not find any call twice.
  if (script.kind === "open" || script.kind === "finished") return planManyCalls(script, streamsOfCalls++);
  const key = `${api} ${model}`;
  if (!plans.has(key)) plans.set(key, planStream(api, model));
  return plans.get(key);
}

const open = new Map();

class Stream {
  #response;
  #plan;
  #next = 0;
  #wroteAt = 0;

  constructor(response, plan, number) {
    this.#response = response;
    this.#plan = plan;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      ...(plan.closes && { connection: "close" }),
    });
    open.set(number, this);
    response.once("close", () => {
      if (open.get(number) === this) open.delete(number);
    });
    this.proceed();
  }

  proceed() {
    const { writes } = this.#plan;
    if (this.#next >= writes.length) return;
    const write = writes[this.#next++];
    this.#wroteAt = performance.now();
    if (this.#next === writes.length) this.#response.end(write);
    else this.#response.write(write);
  }

  /** A piece that a translator keeps to itself is never heard of by the client. */
  proceedIfStuck(now) {
    if (this.#next !== this.#plan.heldBefore && now - this.#wroteAt > 100) this.proceed();
  }
}

setInterval(() => {
  const now = performance.now();
  for (const stream of open.values()) stream.proceedIfStuck(now);
}, 50);

const arrivals = createSocketServer((socket) => {
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("data", (numbers) => {
    for (const number of numbers) open.get(number)?.proceed();
  });
});

await serve(async () => ({ url: await listen(server), arrivals: await listen(arrivals) }));
