import { createServer } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { createCase } from "../cases/case.mjs";
import { loadDialects } from "../cases/fragments.mjs";

/** The provider behind the gateway, in a process of its own. It answers every request by the script of the case under way. */
const [seed, build, only] = process.argv.slice(2);
const { forms } = await loadDialects(build);

let current = null;
let told = null;
const scripts = new Map();

function scriptFor(api, isStream) {
  const key = `${api} ${isStream}`;
  if (!scripts.has(key)) scripts.set(key, current.answer(api, isStream));
  return scripts.get(key);
}

const server = createServer({ maxHeaderSize: 1_000_000 }, async (request, response) => {
  request.on("error", () => {});
  response.on("error", () => {});
  const pieces = [];
  try {
    for await (const piece of request) pieces.push(piece);
    if (request.method !== "POST" || current === null) {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ object: "list", data: [{ id: "fuzz", object: "model", created: 1, owned_by: "a" }] }),
      );
      return;
    }
    const body = Buffer.concat(pieces).toString("utf8");
    // Not parsed: what the gateway passes on may be large.
    const isStream = /"stream":\s*true/.test(body);
    const script = scriptFor(request.url.endsWith("/responses") ? "responses" : "chat", isStream);
    told.requests.push({ path: request.url, bytes: body.length, label: script.label, size: sizeOf(script) });
    await play(script, response);
  } catch {
    response.destroy();
  }
});
server.on("clientError", (_error, socket) => socket.destroy());

function sizeOf({ pieces }) {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

async function play({ status, headers, pieces, pause, ending, raw }, response) {
  const { socket } = response;
  const isOpen = () => !response.destroyed && !socket.destroyed;
  if (raw === undefined) {
    const length = ending === "short" ? { "content-length": String(sizeOf({ pieces }) + 100) } : {};
    for (const [name, value] of Object.entries({ ...headers, ...length })) response.setHeader(name, value);
    response.writeHead(status);
  } else {
    socket.write(raw, "latin1");
  }
  const target = raw === undefined ? response : socket;
  for (const piece of pieces) {
    if (!isOpen()) return;
    const isFull = !target.write(piece);
    if (pause > 0) await sleep(pause);
    else if (isFull) await drained(target);
    else await nextTurn();
  }
  if (ending === "hang") return;
  if (ending === "reset") socket.resetAndDestroy();
  else if (ending !== "end" || raw !== undefined) socket.destroy();
  else response.end();
}

function drained(target) {
  return new Promise((resolve) => {
    const done = () => {
      target.off("drain", done).off("close", done);
      resolve();
    };
    target.once("drain", done).once("close", done);
  });
}

server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));

process.on("message", ({ begin, end, show }) => {
  if (begin !== undefined) {
    current = createCase({ seed, number: begin, only: only || undefined, forms });
    told = { requests: [] };
    scripts.clear();
    process.send({ begun: begin });
  }
  if (end) {
    const dump = show
      ? [...scripts].map(([key, { pieces, status, headers, ending, raw, pause }]) => ({
          key,
          status,
          headers,
          ending,
          raw,
          pause,
          body: Buffer.concat(pieces).toString("base64"),
        }))
      : [];
    process.send({ ended: { ...told, dump } });
  }
});
process.on("disconnect", () => process.exit());
