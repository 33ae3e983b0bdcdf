import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "../../codex/serve.mjs";
import { listen } from "../../servers/serve.mjs";
import { callDone, completed, created, messageDone, messageStarted, print, textDelta } from "./answers.mjs";
import { babble, piecesOf, resultOf, sayingOf, tool, wordIn } from "./words.mjs";

/** A model that does what its name says. Each request has a word of its own, which comes back in everything that is said. */
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { model, input } = JSON.parse(Buffer.concat(chunks).toString());
  const word = wordIn(JSON.stringify(input));
  open.add(response);
  response.once("close", () => {
    open.delete(response);
    if (!response.writableFinished) cut.push({ word, model, at: Date.now() });
  });
  await models[model](response, word, input);
});

const open = new Set();
/** The answers that were not wanted to their end. */
let cut = [];

const models = {
  plain: (response, word) => say(response, sayingOf(word)),
  native: (response, word, input) =>
    input.some(({ type }) => type === "function_call_output") ? say(response, sayingOf(word)) : call(response, word),
  written: (response, word, input) =>
    JSON.stringify(input).includes(resultOf(word)) ? say(response, sayingOf(word)) : goOn(response, word),
  held: (response, word) => begin(response, word, piecesOf(sayingOf(word)).slice(0, 3)),
  failing: (response) => {
    response.writeHead(500, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "The server had an error", type: "server_error" } }));
  },
};

async function say(response, text) {
  const word = wordIn(text);
  const id = await begin(response, word, piecesOf(text));
  send(response, messageDone(id, text), completed);
  response.end();
}

function call(response, word) {
  begin(response, word, []);
  send(response, callDone(`call_${word}`, tool, { word }), completed);
  response.end();
}

/** Calls in its text, and then makes up what the tool says, for seconds. */
async function goOn(response, word) {
  const sentinel = `<tool_call>${JSON.stringify({ name: tool, arguments: JSON.stringify({ word }) })}</tool_call>\n`;
  const id = await begin(response, word, piecesOf(`Let me look.\n${sentinel}`));
  for (let pieces = 0; pieces < 500 && !response.destroyed; pieces++) {
    send(response, textDelta(id, babble));
    await sleep(5);
  }
  send(response, messageDone(id, babble), completed);
  response.end();
}

async function begin(response, word, pieces) {
  const id = `msg_${word}`;
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  send(response, created, ...(pieces.length > 0 ? [messageStarted(id)] : []));
  for (const piece of pieces) {
    send(response, textDelta(id, piece));
    await sleep(1);
  }
  return id;
}

function send(response, ...events) {
  if (!response.destroyed) response.write(events.map(print).join(""));
}

const answers = {
  async counts() {
    const sockets = await new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    return { sockets, open: open.size };
  },
  takeCut() {
    const taken = cut;
    cut = [];
    return taken;
  },
};

await serve(async () => ({ started: { url: await listen(server) }, answers }));
