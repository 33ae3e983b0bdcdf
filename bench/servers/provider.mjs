import { createServer } from "node:http";
import { chatEvents, chatOpening, chatWhole } from "./chat-answers.mjs";
import { responsesEvents, responsesOpening, responsesWhole } from "./responses-answers.mjs";
import { readModelName } from "./script.mjs";
import { listen, serve } from "./serve.mjs";

/** A provider that says what it is told to by the name of the model. What it sends is made beforehand: it only writes. */
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { model, stream } = JSON.parse(Buffer.concat(chunks).toString());
  const api = request.url.endsWith("/responses") ? "responses" : "chat";
  if (stream) sendStream(response, api, model);
  else sendWhole(response, api);
});

const events = { chat: chatEvents, responses: responsesEvents };
const openings = { chat: chatOpening, responses: responsesOpening };
const wholes = { chat: Buffer.from(chatWhole()), responses: Buffer.from(responsesWhole()) };
const prepared = new Map();

function sendWhole(response, api) {
  const body = wholes[api];
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
}

function sendStream(response, api, model) {
  const { writes, tick, hold } = prepare(api, model);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  let next = 0;
  const timer = setInterval(() => {
    if (next < writes.length - 1) response.write(writes[next++]);
    else {
      clearInterval(timer);
      if (hold) response.write(writes[next]);
      else response.end(writes[next]);
    }
  }, tick);
  response.once("close", () => clearInterval(timer));
}

/** The writes of a stream; one that holds stops after its first delta and stays open until the client leaves. */
function prepare(api, model) {
  const key = `${api} ${model}`;
  let plan = prepared.get(key);
  if (!plan) {
    const script = readModelName(model);
    const hold = script.kind === "hold";
    const sent = events[api](script).slice(0, hold ? openings[api] : undefined);
    plan = { writes: group(sent, script.perWrite), tick: script.tick, hold };
    prepared.set(key, plan);
  }
  return plan;
}

function group(list, size) {
  const groups = [];
  for (let at = 0; at < list.length; at += size) groups.push(Buffer.from(list.slice(at, at + size).join("")));
  return groups;
}

await serve(() => listen(server));
