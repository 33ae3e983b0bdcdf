import { createServer } from "node:http";
import { createParser } from "eventsource-parser";
import { Agent, request } from "undici";
import { listen, serve } from "./serve.mjs";

/** The least that a translator can do: each event is read, parsed, and printed as it was; one write for each read. */
const [provider] = process.argv.slice(2);
const dispatcher = new Agent();

const server = createServer(async (incoming, outgoing) => {
  try {
    const { "content-type": contentType, "content-length": contentLength } = incoming.headers;
    const { statusCode, headers, body } = await request(provider + incoming.url, {
      dispatcher,
      method: incoming.method,
      headers: { "content-type": contentType, "content-length": contentLength },
      body: incoming,
    });
    outgoing.writeHead(statusCode, { "content-type": headers["content-type"] });
    outgoing.once("close", () => body.destroy());
    body.on("error", () => outgoing.destroy());
    reprint(body, outgoing);
  } catch {
    outgoing.destroy();
  }
});

function reprint(body, outgoing) {
  const decoder = new TextDecoder();
  let text = "";
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const name = event === undefined ? "" : `event: ${event}\n`;
      text += `${name}data: ${data === "[DONE]" ? data : JSON.stringify(JSON.parse(data))}\n\n`;
    },
  });
  body.on("data", (chunk) => {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (text === "") return;
    const written = text;
    text = "";
    if (outgoing.write(written)) return;
    body.pause();
    outgoing.once("drain", () => body.resume());
  });
  body.on("end", () => outgoing.end());
}

await serve(async () => ({ url: await listen(server) }));
