import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { planStream } from "../servers/plan.mjs";
import { listen } from "../servers/serve.mjs";
import { serve } from "./serve.mjs";

/** A Responses provider that says what the name of the model tells it to: see scenarios.mjs. */
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString());
  heard = body;
  const { writes, pause } = planOf(body.model);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  for (const write of writes) {
    if (pause > 0 && write !== writes[0]) await sleep(pause);
    response.write(write);
  }
  response.end();
});

let heard;
const plans = new Map();

/** What it sends is made once. The last number of a name is the pause between two writes, in milliseconds. */
function planOf(model) {
  if (!plans.has(model)) {
    plans.set(model, { writes: planStream("responses", model).writes, pause: Number(model.split("-").at(-1)) });
  }
  return plans.get(model);
}

/** The last request, without what is of its own in every thread. */
function lastHeard() {
  const { prompt_cache_key, client_metadata, input, ...rest } = heard;
  return { ...rest, input: input.map(({ id, ...item }) => item) };
}

await serve(async () => ({ started: { url: await listen(server) }, answers: { lastHeard } }));
