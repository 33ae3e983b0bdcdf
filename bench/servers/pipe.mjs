import { createServer } from "node:http";
import { Agent, request } from "undici";
import { listen, serve } from "./serve.mjs";

/** The least that a proxy can do: bytes in, bytes out, nothing read. */
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
    body.pipe(outgoing);
  } catch {
    outgoing.destroy();
  }
});

await serve(async () => ({ url: await listen(server) }));
